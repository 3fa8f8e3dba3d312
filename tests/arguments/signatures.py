"""Calls of every public function, made of its signature: a valid value for each argument, and what else it may be."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass
from typing import Any, Final

import effects as fx
import handlers
import lowering
from tests.arguments.by_name import OVERRIDES
from tests.arguments.kinds import ARRAYS, HANDLER, KINDS, WHOLE, V, double, total
from tests.arguments.saved import FOLDER
from tests.requests.own import Total

INTEGERS: Final = (
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "gcd",
    "lcm",
)
COLLECTIVES: Final = (
    *(
        "all_gather",
        "all_to_all",
        "axis_index",
        "axis_size",
        "pmax",
        "pmean",
        "pmin",
        "ppermute",
        "psum",
        "psum_scatter",
    ),
)
DEFERRED: Final[dict[str, Callable[[Any], object]]] = {
    **{name: lambda f: f(V) for name in ("checkpoint", "jacfwd", "jacrev", "make_jaxpr", "remat", "vmap")},
    "jit": lambda f: f(fx.asarray(V, copy=True)),  # which may be donated
    **{name: lambda f: f(2.0) for name in ("grad", "hessian", "value_and_grad")},
    "linear_transpose": lambda f: f(V),
    "vectorize": lambda f: f(V),
    "shard_map": lambda f: f(V),
}
"""What is done with a result that is a function: some arguments are looked at only then."""

LEFT_OUT: Final = {
    "clear_caches",  # these take nothing
    "axes_in_scope",
    "chain",
    "disk_report",
    "keep_on_disk",  # these change what the tests after them keep
    "keep_programs",
    "partwise",  # these are given classes and operations, and have tests of their own
    "operation",
    "perform",
    "register",
    "register_node",
    "default_float",
    "result_type",
}


@dataclass(frozen=True)
class Argument:
    """One argument of a function: how it is passed, a valid value, the values of `nonsense` that are none here."""

    name: str
    kind: Any
    valid: Any
    accepted: set[str] | None


@dataclass(frozen=True)
class Call:
    """A function with a valid value for each of its arguments."""

    name: str
    f: Callable[..., Any]
    arguments: tuple[Argument, ...]

    def __str__(self) -> str:
        return self.name

    @property
    def takes_more(self) -> bool:
        """Whether it takes any number of arguments by position, so that none of these can be given by name."""
        return any(a.kind is inspect.Parameter.VAR_POSITIONAL for a in self.arguments)

    def __call__(self, given: dict[str, Any], by_keyword: bool = False) -> object:
        """The function of these arguments, where valid ones are not replaced."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for a in self.arguments:
            value = given.get(a.name, a.valid)
            if a.kind is inspect.Parameter.VAR_POSITIONAL:
                args.append(value)
            elif a.kind is inspect.Parameter.KEYWORD_ONLY or (
                by_keyword and a.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            ):
                kwargs[a.name] = value
            else:
                args.append(value)
        out = self.f(*args, **kwargs)
        deferred = DEFERRED.get(self.name)
        return out if deferred is None else deferred(out)


RANDOM: Final = ("ArrayLike", "Real")
"""What parameters of distributions are."""


def argument(function: str, parameter: inspect.Parameter) -> Argument:
    """An argument of a function: a valid value for it, and what else it may be."""
    default = parameter.default
    valid, accepted = OVERRIDES.get(f"{function}.{parameter.name}", (None, None))
    if f"{function}.{parameter.name}" not in OVERRIDES:
        valid, accepted = KINDS.get(str(parameter.annotation), (None, None))
        if function in INTEGERS and accepted is ARRAYS:
            valid = WHOLE
        elif parameter.name == "axis_name" and function in COLLECTIVES:
            valid = "i"
        elif parameter.name in ("x", "args", "primals", "example_args", "tree") and accepted is None:
            valid = V
        elif function.startswith("random.") and str(parameter.annotation) in RANDOM and default is parameter.empty:
            valid, accepted = 0.5, None
        elif parameter.name in ("f", "body_fun"):
            valid = total if function in ("grad", "value_and_grad", "hessian", "linearize") else double
        elif default is not parameter.empty:
            valid = default
    return Argument(parameter.name, parameter.kind, valid, accepted)


def _calls() -> Iterator[Call]:
    for module, prefix in (
        (fx, ""),
        (handlers, ""),
        (lowering, ""),
        (fx.fft, "fft."),
        (fx.image, "image."),
        (fx.integrate, "integrate."),
        (fx.linalg, "linalg."),
        (fx.nn, "nn."),
        (fx.optim, "optim."),
        (fx.optimize, "optimize."),
        (fx.random, "random."),
        (fx.signal, "signal."),
        (fx.special, "special."),
    ):
        for own in sorted(module.__all__):
            f, name = getattr(module, own), prefix + own
            if not inspect.isfunction(f) or name in LEFT_OUT or f.__code__.co_qualname != own:  # other names
                continue
            if prefix and f is getattr(fx, own, None):
                continue
            parameters = [
                p
                for p in inspect.signature(f).parameters.values()
                if p.kind is not p.VAR_KEYWORD and p.annotation != "Never"
            ]
            if name in COLLECTIVES:
                f = _mapped(f)
            elif name == "handled":
                f = _under_a_new_handler
            elif "checkpoint" in name:
                f = _elsewhere(f)
            yield Call(name, f, tuple([argument(name, p) for p in parameters]))


def _mapped(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` where the axis "i" has a name; its size is 3, as that of the vectors here."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return handlers.vmap(lambda _: f(*args, **kwargs), axis_name="i")(V)

    return called


def _elsewhere(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` in a folder that goes, since any text is a folder's name."""

    def called(*args: Any, **kwargs: Any) -> object:
        with chdir(FOLDER.name):
            return f(*args, **kwargs)

    return called


def _under_a_new_handler(handler: Any, f: Any, *args: Any) -> object:
    """`handled`, with a copy of the handler that is valid, since one is used once."""
    return handlers.handled(Total(V) if handler is HANDLER else handler, f, *args)


CALLS: Final = tuple(_calls())
