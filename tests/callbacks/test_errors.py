"""What goes wrong in a callback reaches the caller; what a callback must not do is said at the line that made it."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import ArgumentError, Array, DTypeError, IllTyped, MissingRule, NotLinearError, ShapeError, TreeError
from handlers import (
    debug_callback,
    debug_print,
    grad,
    io_callback,
    jvp,
    linear_transpose,
    linearize,
    pure_callback,
    scan,
    vmap,
    while_loop,
)
from lowering import jit
from tests.errors.expect import refusal

X = fx.arange(3.0)


class Refused(LookupError):
    """An exception of the user's own."""


def _fails(x: object) -> None:
    raise Refused(x) from ZeroDivisionError("the reason")


WAYS: dict[str, Callable[[Callable[[Any], Any]], object]] = {
    "eager": lambda f: f(X),
    "jit": lambda f: jit(f)(X),
    "jit of jit": lambda f: jit(lambda x: jit(f)(x) * 2)(X),
    "vmap": lambda f: vmap(f)(X),
    "jit of vmap": lambda f: jit(vmap(f))(X),
    "scan": lambda f: jit(lambda x: scan(lambda c, v: (c, f(v)), 0.0, x))(X),
    "grad": lambda f: jit(grad(lambda x: fx.sum(f(x))))(X),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ordered", [False, True])
def test_exception_reaches_the_caller(way: str, ordered: bool) -> None:
    def f(x: Array) -> Array:
        debug_callback(_fails, x, ordered=ordered)
        return x * 2

    with pytest.raises(Refused) as caught:
        WAYS[way](f)
    assert isinstance(caught.value.__cause__, ZeroDivisionError) and caught.value.__suppress_context__
    assert "_fails" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert isinstance(caught.value.args[0], np.ndarray)


def test_a_program_can_be_run_again_after_an_exception() -> None:
    answers: list[Any] = [KeyboardInterrupt(), SystemExit(3), ValueError("a"), 1.0]

    def answer() -> Any:
        found = answers.pop(0)
        if isinstance(found, BaseException):
            raise found
        return found

    @jit
    def f() -> Array:
        return io_callback(answer, fx.ShapedArray((), fx.float64))

    for kind in (KeyboardInterrupt, SystemExit, ValueError):
        with pytest.raises(kind):
            f()
    assert f().tolist() == 1


def test_exception_with_a_donated_argument() -> None:
    def f(x: Array) -> Array:
        debug_callback(_fails, x)
        return x + 1

    with pytest.raises(Refused):
        jit(f, donate_argnums=0)(fx.arange(3.0) + 1)


def _says(kind: type[BaseException], result: Any, types: Any, *words: str) -> None:
    def answer(x: object) -> Any:
        return result

    def eager() -> object:
        return pure_callback(answer, types, X)  # here

    def ask(x: Array) -> Any:
        return pure_callback(answer, types, x)

    refusal(kind, "pure_callback: answer must return", *words, of=eager)
    for run in (jit(ask), vmap(lambda x: ask(X + x)), jit(lambda x: scan(lambda c, v: (c, ask(x)), 0.0, x))):
        with pytest.raises(kind) as caught:
            run(X)
        assert all(word in str(caught.value) for word in words)
        source = caught.value.source  # type: ignore[attr-defined]
        assert (source.file, source.line) == (__file__, ask.__code__.co_firstlineno + 1)


def test_wrong_shape() -> None:
    _says(ShapeError, np.zeros(2), X, "float64[3]", "float64[2]")
    _says(ShapeError, 1.0, X, "float64[3]", "float64[]")


def test_wrong_dtype() -> None:
    _says(DTypeError, np.zeros(3, np.float32), X, "float64[3]", "float32[3]")
    _says(DTypeError, 1.5, fx.ShapedArray((), fx.int64), "int64[]", "float64[]")
    _says(DTypeError, {"a": (1j,)}, {"a": (fx.ShapedArray((), fx.float64),)}, "['a'][0]", "complex128[]")


def test_wrong_tree() -> None:
    _says(TreeError, (np.zeros(3),), X, "float64[3]", "tuple")
    _says(TreeError, None, X, "got None")
    _says(TreeError, {"b": np.zeros(3)}, {"a": X}, "{'a': float64[3]}")


def test_no_array() -> None:
    _says(IllTyped, "text", X, "'text' of type str")


def test_arguments_of_callbacks() -> None:
    refusal(ArgumentError, "result_types['a']", "shape and a dtype", of=lambda: io_callback(print, {"a": 3}))
    refusal(
        ArgumentError,
        "vmap_method must be 'sequential', 'expand_dims' or 'broadcast_all'",
        of=lambda: pure_callback(np.sort, X, X, vmap_method="all"),  # type: ignore[call-overload]
    )


def test_formats() -> None:
    refusal(ArgumentError, "asks for argument 2, and given are 1 by position", of=lambda: debug_print("{} {}", 1))
    refusal(
        ArgumentError, "asks for y, and given are 0 by position and x", of=lambda: debug_print("{x} {y.shape}", x=1)
    )
    refusal(ArgumentError, "does not use argument 1, x", of=lambda: debug_print("text", 1, x=2))
    for fmt, x in (("{:.2f}", X), ("{0[3]}", X), ("{:d}", 1.5), ("{0.size_}", X), ("{:.2f}", (1.0, 2.0))):
        words = "does not fit the arguments: ", "; print an array of several elements by {}, or its elements"
        refusal(ArgumentError, *words, of=lambda fmt=fmt, x=x: jit(lambda x: debug_print(fmt, x))(x))  # type: ignore[misc]  # defaults
    refusal(ArgumentError, "is not a valid format", of=lambda: debug_print("{"))
    refusal(ArgumentError, "debug_print: fmt must be a format", of=lambda: debug_print(X))  # type: ignore[arg-type]


def test_while_loop_whose_work_is_done_again() -> None:
    def draws(x: Array) -> Array:
        def step(c: tuple[Array, Array]) -> tuple[Array, Array]:
            return c[0] + io_callback(lambda: 1.0, fx.ShapedArray((), fx.float64)), 2 * c[1]

        return while_loop(lambda c: c[0] < 2, step, (fx.asarray(0.0), x))[1]

    assert jvp(draws, (X,), (X,))[1].tolist() == [0, 4, 8]
    with pytest.raises(MissingRule, match="use scan or fori_loop"):
        linearize(draws, X)


def test_tangent_in_reverse_mode() -> None:
    def linear(t: Array) -> Array:
        debug_print("{}", t)
        return 2 * t

    with pytest.raises(NotLinearError, match="no value in reverse mode"):
        linear_transpose(linear, X)(X)
    with pytest.raises(NotLinearError, match="no value in reverse mode"):
        linear_transpose(jit(linear), X)(X)
