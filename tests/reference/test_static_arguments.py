"""Static arguments of `make_jaxpr`: Python values in the function, said as for jit, with its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

import effects as fx
from effects import Array, ArrayLike, Jaxpr, eval_jaxpr
from effects.errors import ArgumentError
from handlers import grad, make_jaxpr, vmap
from lowering import jit, trace
from tests.reference.agreement import close

X: Final = fx.asarray([0.3, -0.8, 1.2])


def repeated(p: dict[str, Array], mode: str, times: int = 2, *, scale: ArrayLike = 1.0) -> Array:
    x = p["x"] * p["y"]
    for _ in range(times):
        x = fx.sin(x) if mode == "sin" else fx.tanh(x)
    return x * scale


P: Final = {"x": X, "y": X + 1.0}
BY: Final[dict[str, Callable[[], Jaxpr]]] = {
    "positions": lambda: make_jaxpr(repeated, (1, 2))(P, "sin", 3),
    "negative positions": lambda: make_jaxpr(repeated, static_argnums=[-1, -2])(P, "sin", 3),
    "a position and keywords": lambda: make_jaxpr(repeated, static_argnums=(1, 2))(P, times=3, mode="sin"),
    "names": lambda: make_jaxpr(repeated, static_argnames=("mode", "times"))(P, times=3, mode="sin"),
    "names and positions": lambda: make_jaxpr(repeated, static_argnames=("mode", "times"))(P, "sin", 3),
    "one of each": lambda: make_jaxpr(repeated, 2, "mode")(P, "sin", 3),
    "a type": lambda: make_jaxpr(repeated, (1, 2))({"x": unchecked(X.aval), "y": unchecked(X.aval)}, "sin", 3),
    "a name that is for keywords only": lambda: make_jaxpr(repeated, (1, 2), "scale")(P, "sin", 3, scale=1.0),
}


def unchecked(value: object) -> Any:
    return value


@pytest.mark.parametrize("by", BY)
def test_the_program_is_that_of_the_other_arguments(by: str) -> None:
    expected = make_jaxpr(lambda p: repeated(p, "sin", 3))(P)
    assert str(BY[by]()) == str(expected)
    (actual,) = eval_jaxpr(BY[by](), [P["x"], P["y"]])
    close(actual, repeated(P, "sin", 3))


def test_other_arguments_keep_their_places() -> None:
    program = make_jaxpr(repeated, 1)(P, "tanh", scale=fx.asarray(3.0))
    assert [str(aval) for aval in program.in_avals] == ["float64[3]", "float64[3]", "float64[]"]
    close(eval_jaxpr(program, [X, X, fx.asarray(3.0)])[0], repeated({"x": X, "y": X}, "tanh", scale=3.0))


def test_none_is_no_argument() -> None:
    assert str(make_jaxpr(fx.sin, None, None)(X)) == str(make_jaxpr(fx.sin)(X))


def test_inside_other_transformations() -> None:
    def through(x: Array) -> Array:
        program = make_jaxpr(repeated, (1, 2))({"x": x, "y": x}, "sin", 3)
        return fx.sum(eval_jaxpr(program, [x, x])[0])

    plain: Callable[[Array], Array] = lambda x: fx.sum(repeated({"x": x, "y": x}, "sin", 3))
    close(grad(through)(X), grad(plain)(X))
    close(jit(through)(X), plain(X))
    close(vmap(through)(fx.stack([X, 2.0 * X])), vmap(plain)(fx.stack([X, 2.0 * X])))


def test_the_program_is_what_jit_traces() -> None:
    jitted = jit(repeated, static_argnums=(1, 2))
    assert make_jaxpr(repeated, (1, 2))(P, "sin", 3) == trace(jitted, P, "sin", 3).jaxpr
    inner = make_jaxpr(jitted, (1, 2))(P, "sin", 3)
    close(eval_jaxpr(inner, [P["x"], P["y"]])[0], repeated(P, "sin", 3))


def test_refused() -> None:
    """In its own name; what is refused is what jit refuses."""
    with pytest.raises(ArgumentError, match="make_jaxpr: static_argnums names argument 3, but repeated has 3"):
        make_jaxpr(repeated, 3)
