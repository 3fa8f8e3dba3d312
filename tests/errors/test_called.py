"""Errors speak in the name of what was called, by the name that was used, and of no function that is inside."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest

from effects.errors import (
    ArgumentError,
    CompileError,
    ConcretizationError,
    DTypeError,
    EffaxError,
    NotLinearError,
    ShapeError,
)
from effects.runtime.tracebacks import short_tracebacks
from tests.arguments.signatures import CALLS, Call
from tests.errors.expect import refusal
from tests.errors.untyped import fx, grad, handlers, jit, lowering, scan, vmap

PUBLIC: Final = {*fx.__all__, *handlers.__all__, *lowering.__all__}
X, M = fx.asarray([1.0, 2.0, 3.0]), fx.ones((3, 4))
WRONG: Final[tuple[Any, ...]] = (object(), fx.ones((2, 3, 4)), fx.ones(3, dtype=fx.complex128), (7, 8))
MADE_OF: Final = r"(\w+)(:| takes| needs| must| cannot| has| gives| contraction)"


def _foreign(call: Call, message: str) -> bool:
    """Whether a message speaks of another function than the one that was called."""
    if not message.startswith(call.name):
        return True
    inside = re.match(MADE_OF, message.removeprefix(call.name).removeprefix(": "))
    arguments = {a.name for a in call.arguments}
    return inside is not None and inside[1] not in arguments and (inside[1] in PUBLIC or inside[2] == ":")


def test_no_function_speaks_in_the_name_of_another() -> None:
    found = []
    for call in CALLS:
        if not call.f.__module__.startswith("effects."):
            continue
        for a in call.arguments:
            for value in WRONG:
                try:
                    call({a.name: value})
                except EffaxError as error:
                    if (
                        not callable(a.valid)
                        and "tests/arguments" not in str(error.source)
                        and _foreign(call, error.message)
                    ):
                        found.append(f"{call}({a.name}={value!r:.20}): {error.message}")
                except RuntimeWarning:
                    pass
    assert not found, "\n".join(found)


NAMED: Final[tuple[tuple[str, Callable[[], object]], ...]] = (
    ("concatenate takes a sequence of arrays: write [x, y]", lambda: fx.concatenate(X, X)),
    ("transpose: axes (1, 2, 3) are not", lambda: fx.transpose(M, (1, 2, 3))),
    ("transpose: axes (1, 2, 3) are not", lambda: M.transpose(1, 2, 3)),
    ("dot contraction mismatch", lambda: M.dot(X)),
    ("mT needs rank >= 2", lambda: X.mT),
    ("x[key]: index 5", lambda: X[5]),
    ("set: values of shape [7]", lambda: M.at[0].set(fx.ones(7))),
    ("bitwise_and takes an integer or bool", lambda: X & X),
    ("segment_max: complex numbers are not compared", lambda: fx.segment_max(X * 1j, [0, 1, 1])),
    ("histogram: complex numbers are not compared", lambda: fx.histogram(X, X * 1j)),
    ("histogram2d: complex numbers are not compared", lambda: fx.histogram2d(X * 1j, X)),
    ("swish: x must be an array", lambda: fx.nn.swish("a")),
    ("sum: axis 5 is out of bounds", lambda: np.sum(X, axis=5)),
    ("hvp: the structure of the tangents differs", lambda: handlers.hvp(fx.sum, (), (X,))),
    ("tree_map: the keys of the dict", lambda: fx.tree_map(fx.sin, {1: X, "a": X})),
    ("hstack takes a sequence of arrays: write [x, y]", lambda: fx.hstack(X, X)),
    ("block takes a sequence of arrays: write [x, y]", lambda: fx.block(X, X)),
    ("empty: 4 is not a dtype; sizes are one tuple: write empty((3, 4))", lambda: fx.empty(3, 4)),
    ("full: 5 is not a dtype; sizes are one tuple: write full((3, 4), 5)", lambda: fx.full(3, 4, 5)),
    ("Array cannot be instantiated: write asarray(x)", lambda: fx.Array([1.0])),
    ("einsum: the numbers of axes are from 0 to 51, got 99", lambda: fx.einsum(M, [0, 99])),
    ("einsum: spec must be a specification such as", lambda: fx.einsum(M, 3)),
)


@pytest.mark.parametrize(("words", "call"), NAMED, ids=[words for words, _ in NAMED])
def test_names(words: str, call: Callable[[], object]) -> None:
    with pytest.raises(EffaxError) as caught:
        call()
    assert caught.value.message.startswith(words)


@dataclass
class Field:
    w: Any
    n: Any


fx.register(Field)


def test_a_field_that_python_needs_is_static() -> None:
    refusal(
        DTypeError, "argument p.n of", "register(static=['n'])", of=lambda: grad(lambda p: fx.sum(p.w))(Field(X, 3))
    )
    refusal(
        ConcretizationError,
        "it is argument p.n of",
        "mark the field static (register(static=['n']) on its class)",
        of=lambda: jit(lambda p: fx.tile(p.w, p.n))(Field(X, 3)),
    )


def test_what_has_no_static_arguments_does_not_speak_of_them() -> None:
    for transformation in (grad, vmap):
        error = refusal(ArgumentError, "register_node", of=lambda t=transformation: t(lambda q: q)(object()))  # type: ignore[misc]  # bound now
        assert "static_argnums" not in error.message
    refusal(ArgumentError, "static_argnums", of=lambda: jit(lambda q: q)(object()))


def _batched(f: Any) -> Any:
    return vmap(grad(f))


@pytest.mark.parametrize("run", [grad, lambda f: jit(grad(f)), _batched])
def test_a_rule_that_is_not_linear_is_shown(run: Any) -> None:
    f = handlers.custom_jvp(lambda x: x * x)

    def rule(primals: Any, tangents: Any) -> Any:
        return primals[0] ** 2, tangents[0] * tangents[0]

    f.defjvp(rule)
    with pytest.raises(NotLinearError, match="a derivative rule in its tangents") as caught:
        run(f)(X if run is _batched else 1.0)
    assert caught.value.source is not None and caught.value.source.code is rule.__code__


def test_every_error_is_public() -> None:
    def below(kind: type[EffaxError]) -> set[type[EffaxError]]:
        return {kind}.union(*[below(each) for each in kind.__subclasses__()])

    ours = {kind for kind in below(EffaxError) if kind.__module__.startswith(("effects", "handlers", "lowering"))}
    assert CompileError in ours and all([getattr(fx, kind.__name__, None) is kind for kind in ours])


def test_what_is_listed_is_public() -> None:
    for package in (fx, handlers, lowering):
        own = [value for name in package.__all__ if isinstance(value := getattr(package, name), ModuleType)]
        for module in (
            package,
            fx.nn.initializers,
            *[m for m in own if hasattr(m, "__getattr__")],
            lowering.distributed,
        ):
            listed, public = [{name for name in names if name[:2] != "__"} for names in (dir(module), module.__all__)]
            assert listed == public


def test_signatures_of_named_tuples_show_what_is_written() -> None:
    for package in (fx, handlers, lowering, fx.integrate, fx.linalg, fx.nn, fx.optim, fx.optimize, fx.stats):
        for name in package.__all__:
            if isinstance(value := getattr(package, name), type) and hasattr(value, "_fields"):
                assert "ForwardRef" not in f"{inspect.signature(value)} {vars(value).get('__annotations__')}", name


def _nested() -> object:
    def loss(w: Any) -> Any:
        return fx.sum(scan(lambda c, r: (c + r @ fx.ones(4), None), w, fx.ones((4, 3)))[0])

    return jit(vmap(grad(loss)))(fx.ones((4, 3)))


def test_short_tracebacks_have_the_lines_of_the_program() -> None:
    with pytest.raises(ShapeError) as long:
        _nested()
    with pytest.raises(ShapeError) as short, fx.short_tracebacks():
        _nested()
    files = [frame.filename for frame in traceback.extract_tb(short.value.__traceback__)]
    assert set(files) == {__file__} and len(files) < len(traceback.extract_tb(long.value.__traceback__)) / 4
    assert str(short.value) == str(long.value)


def test_short_tracebacks_of_causes_and_of_what_is_the_librarys_alone() -> None:
    @short_tracebacks()
    def fails() -> None:
        try:
            fx.ones(3) + fx.ones(4)
        except ShapeError as error:
            raise ValueError("mine") from error

    with pytest.raises(ValueError, match="mine") as caught:
        fails()
    cause = caught.value.__cause__
    assert cause is not None and {f.filename for f in traceback.extract_tb(cause.__traceback__)} == {__file__}
    with fx.short_tracebacks():
        pass
