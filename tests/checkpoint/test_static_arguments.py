"""Checkpoints of functions with static arguments: Python values in the function, said as for jit, with its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

import effects as fx
from effects import Array
from effects.errors import ArgumentError
from handlers import checkpoint, grad, make_jaxpr, saved_residuals, scan, vmap
from lowering import jit
from tests.reference.agreement import close

X: Final = fx.asarray([0.3, -0.8, 1.2])


def repeated(x: Array, mode: str, times: int = 2) -> Array:
    for _ in range(times):
        x = fx.sin(x) if mode == "sin" else fx.tanh(x)
    return fx.sum(x)


def unchecked(value: object) -> Any:
    return value


BY: Final[dict[str, Callable[[Array], Array]]] = {
    "positions": lambda x: checkpoint(repeated, static_argnums=(1, 2))(x, "sin", 3),
    "a position and keywords": lambda x: checkpoint(repeated, static_argnums=(1, -1))(x, times=3, mode="sin"),
    "names": lambda x: checkpoint(repeated, static_argnames=("mode", "times"))(x, times=3, mode="sin"),
    "names and positions": lambda x: checkpoint(repeated, static_argnames=("mode", "times"))(x, "sin", 3),
    "one of each": lambda x: checkpoint(repeated, static_argnums=2, static_argnames="mode")(x, "sin", 3),
    "decorator": lambda x: checkpoint(static_argnums=(1, 2))(repeated)(x, "sin", 3),
    "within another": lambda x: checkpoint(lambda x: BY["positions"](x))(x),
    "jit": lambda x: jit(checkpoint(repeated, static_argnums=(1, 2)), static_argnums=(1, 2))(x, "sin", 3),
}


@pytest.mark.parametrize("by", BY)
def test_values_and_derivatives_are_those_of_the_function(by: str) -> None:
    given = BY[by]
    plain: Callable[[Array], Array] = lambda x: repeated(x, "sin", 3)
    close(given(X), plain(X))
    close(grad(given)(X), grad(plain)(X))
    close(jit(grad(given))(X), grad(plain)(X))
    close(vmap(given)(fx.stack([X, 2.0 * X])), vmap(plain)(fx.stack([X, 2.0 * X])))
    assert saved_residuals(given, X).bytes == X.size * 8 < saved_residuals(plain, X).bytes


def test_each_value_is_a_program_of_its_own() -> None:
    def times(x: Array, n: complex) -> Array:
        return x * n

    power = checkpoint(times, static_argnums=1)
    for n in (2, 2.0, True, 1, 1.0):
        assert power(fx.asarray(3), n).dtype is (fx.asarray(3) * n).dtype
    assert "tanh" in str(make_jaxpr(lambda x: checkpoint(repeated, static_argnums=1)(x, "tanh"))(X))


def test_a_function_is_a_static_argument_of_a_step() -> None:
    def step(f: Callable[[Array], Array], h: Array, x: Array) -> tuple[Array, None]:
        return f(h * x), None

    def loss(step: Callable[[Callable[[Array], Array], Array, Array], tuple[Array, None]], xs: Array) -> Array:
        return scan(lambda h, x: step(fx.sin, h, x), fx.asarray(1.0), xs)[0]

    saving = checkpoint(step, static_argnums=0, prevent_cse=False)
    close(grad(lambda xs: loss(saving, xs))(X), grad(lambda xs: loss(step, xs))(X))


def test_a_method() -> None:
    class Layer:
        @checkpoint(static_argnums=(0, 2))
        def __call__(self, x: Array, times: int) -> Array:
            return repeated(x, "tanh", times)

    close(grad(lambda x: Layer()(x, 4))(X), grad(lambda x: repeated(x, "tanh", 4))(X))


@pytest.mark.parametrize("wrap", [lambda f: f, jit, lambda f: lambda x: vmap(f)(fx.stack([x, x]))[0]])
def test_they_need_not_be_hashable(wrap: Any) -> None:
    def scaled(x: Any, sizes: list[float], options: Any = None) -> Any:
        return fx.sum(fx.sin(x) * sizes[0] * (options or {"by": 1.0})["by"])

    f = checkpoint(scaled, static_argnums=1, static_argnames="options")
    close(wrap(grad(lambda x: f(x, [2.0])))(X), 2.0 * fx.cos(X))
    close(wrap(grad(lambda x: f(x, [2.0], options={"by": 5.0})))(X), 10.0 * fx.cos(X))
    close(grad(wrap(lambda x: f(x, [3.0])))(X), 3.0 * fx.cos(X))
    assert "sin" in str(make_jaxpr(scaled, static_argnums=1)(X, [2.0]))


def test_refused() -> None:
    """In its own name; what is refused is what jit refuses."""
    with pytest.raises(ArgumentError, match="checkpoint: static_argnums names argument 3, but repeated has 3"):
        checkpoint(repeated, static_argnums=3)
