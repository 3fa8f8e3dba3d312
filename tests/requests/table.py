"""The effects of the library and one of a user: a program that performs each, its handler, and both in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from returns.result import Success

import effects as fx
import handlers as real
from handlers import added, catching, enumerated, with_output, with_random, with_reader, with_state
from lowering import jit
from tests.requests import reference as ref
from tests.requests.own import with_cost


class Bad(NamedTuple):
    why: str
    x: Any


_NAMES: Final = (
    *("checkpoint", "cond", "switch", "scan", "fori_loop", "while_loop", "map"),
    *("vmap", "grad", "jvp", "jacfwd", "custom_vjp", "custom_jvp"),
)
STAGED: Final[Any] = SimpleNamespace(
    jit=jit,
    hessian=lambda f: real.grad(real.grad(f)),
    **{name: getattr(ref, name) for name in ("jet", "linearize", "vjp")},
    evaluated=lambda f, x: fx.eval_jaxpr(real.make_jaxpr(f)(x), [x])[0],
    **{name: getattr(real, name) for name in _NAMES},
)
"""The transformations of the library."""


class Tested(NamedTuple):
    """An effect: what a program does with it, its handler (to value and the rest), what that is in Python.

    Of some the rest is not looked at.
    """

    base: Callable[[Any, Any], Any]
    handle: Callable[[Any], Callable[..., tuple[Any, Any]]]
    cap: Callable[[], ref.Cap]
    rest: bool = True


def _emit(c: Any, x: Any) -> Any:
    c.emit("x", 2.0 * x)
    return fx.sin(x)


def _raise(c: Any, x: Any) -> Any:
    c.check(x < 2.5, Bad("too large", x))
    return x * x


def _raise_early(c: Any, x: Any) -> Any:
    c.check(x < 0.15, Bad("too large", x))
    return x * x


def _state(c: Any, x: Any) -> Any:
    c.modify(lambda s: 0.5 * s + x)
    return c.get() * x


def _caught(f: Any) -> Any:
    def run(x: Any) -> Any:
        outcome: Any = catching(f)(x)
        return outcome.value, outcome

    return run


def _mean(f: Any) -> Any:
    """The exact mean of all results over the paths."""

    def run(x: Any) -> Any:
        posterior = enumerated(f)(x)
        return fx.tree_map(lambda v: posterior._replace(values=v).expectation(), posterior.values), 0.0

    return run


EFFECTS: Final = {
    "Random": Tested(
        lambda c, x: x * c.normal() + c.uniform(),
        lambda f: lambda x: (with_random(f, 7)(x), 0.0),
        lambda: ref.Draws((fx.random.key(7), 0)),
        False,
    ),
    "State": Tested(_state, lambda f: with_state(f, fx.asarray(1.0), lanes=added), lambda: ref.Added(fx.asarray(1.0))),
    "Output": Tested(_emit, with_output, lambda: ref.Emits({})),
    "Raise": Tested(_raise, _caught, lambda: ref.Raises(0.0)),
    "Raise early": Tested(_raise_early, _caught, lambda: ref.Raises(0.0)),
    "Ask": Tested(
        lambda c, x: x * c.ask(),
        lambda f: lambda x: (with_reader(f, fx.asarray(3.0))(x), 0.0),
        lambda: ref.Added(3.0),
        False,
    ),
    "Cost": Tested(lambda c, x: (c.charge(x), x * x)[1], with_cost, lambda: ref.Added(fx.asarray(0.0))),
    "Choice": Tested(
        lambda c, x: x * fx.where(c.flip(0.3), 2.0, 0.5) + c.flip(0.6), _mean, lambda: ref.Chooses(), False
    ),
}


def expected(effect: Tested, program: Any, x: float) -> Any:
    """What a program gives under the handler, and the rest, in plain Python."""
    if isinstance(effect.cap(), ref.Chooses):
        ref.capabilities[:] = []
        return ref.expectation(lambda cap: program(ref.Eager(), lambda x: effect.base(cap, x), fx.asarray(x))), 0.0
    cap, eager = effect.cap(), ref.Eager()
    ref.capabilities[:] = [cap]
    try:
        value = program(eager, lambda x: effect.base(cap, x), fx.asarray(x))
    except ref.Failed as failed:
        return f"failed at {failed.args[0]:.6f}"
    return value, cap.state if effect.rest and not isinstance(cap, ref.Raises) else 0.0


def expected_outside(effect: Tested, program: Any, x: float) -> Any:
    """What a program of the function with its handler gives, in plain Python."""

    def handle(x: Any) -> Any:
        cap = effect.cap()
        return effect.base(cap, x), cap.state

    def mean(x: Any) -> Any:
        return ref.expectation(lambda cap: effect.base(cap, x)), 0.0

    ref.capabilities[:] = []
    of = mean if isinstance(effect.cap(), ref.Chooses) else handle
    return program(ref.Eager(), of, fx.asarray(x))


def shown(effect: Tested, given: Any) -> Any:
    """What a handler gives, in the form that the reference has."""
    value, rest = given
    cap = effect.cap()
    if isinstance(cap, ref.Emits):
        rest = {
            (k, *i): fx.asarray(e.value)[i]
            for k, e in rest.items()
            for i in _indices(e.valid.shape)
            if bool(e.valid[i])
        }
    if isinstance(cap, ref.Raises):
        return rest.result().map(lambda v: (v, 0.0)).lash(lambda e: Success(f"failed at {float(e.x):.6f}")).unwrap()
    return value, rest if effect.rest else 0.0


def _indices(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for n in shape:
        found = [(*i, j) for i in found for j in range(n)]
    return found
