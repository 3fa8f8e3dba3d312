"""Functions of lines and of elements: `apply_along_axis`, `vectorize`, `pad` by a function; through every handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, EffaxError, ShapeError
from handlers import apply_along_axis, grad, jvp, vectorize, vmap
from lowering import jit
from tests.errors.expect import refusal

X: Final = np.arange(24.0).reshape(2, 3, 4) ** 1.5
LINES: Final[dict[str, Callable[[Any], Any]]] = {
    "a number": lambda v: v[0] - v.sum(),
    "a line": lambda v: v * v[::-1],
    "a shorter line": lambda v: v[1:],
    "a matrix": lambda v: v[:, None] * v[:2],
    "a list": lambda v: [v[0], v[-1], 1.0],
}


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("what", LINES)
def test_lines(what: str, axis: int) -> None:
    f = LINES[what]
    expected = np.apply_along_axis(f, axis, X)
    ways: list[Callable[[Any], Any]] = [
        lambda x: apply_along_axis(f, axis, x),
        lambda x: np.apply_along_axis(f, axis, x),
    ]
    for way in ways:
        for got in (way(fx.asarray(X)), jit(way)(fx.asarray(X)), vmap(way)(fx.asarray(X)[None])[0]):
            np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-14)


def _scaled(line: fx.Array, a: float, b: float = 0.0) -> fx.Array:
    return line * a + b


def test_lines_of_a_vector_and_of_nothing() -> None:
    v = fx.asarray([1.0, 2.0])
    assert apply_along_axis(fx.sum, 0, v) == 3.0
    assert apply_along_axis(_scaled, 0, v, 2.0, b=1.0).tolist() == [3.0, 5.0]
    assert apply_along_axis(fx.sum, 1, fx.ones((3, 0))).tolist() == [0.0] * 3
    assert apply_along_axis(lambda line: line[:2], 1, fx.ones((0, 3))).shape == (0, 2)


def test_derivatives_of_lines() -> None:
    x = fx.asarray(X)
    got = grad(lambda x: fx.sum(apply_along_axis(lambda v: fx.cumsum(v) ** 2, 1, x)))(x)
    np.testing.assert_allclose(np.asarray(got), np.asarray(grad(lambda x: fx.sum(fx.cumsum(x, 1) ** 2))(x)))


def _of_two(x: Any, y: Any) -> Any:
    return fx.where(x > y, x * y, x - y)


@pytest.mark.parametrize(
    "shapes", [((3,), (3,)), ((2, 1), (3,)), ((), (2,)), ((1, 3), (2, 1, 1)), ((0,), (1,)), ((), ())]
)
def test_elements(shapes: tuple[tuple[int, ...], ...]) -> None:
    x, y = [np.cos(np.arange(np.prod(s), dtype=float)).reshape(s) for s in shapes]
    f = vectorize(_of_two)
    for got in (f(fx.asarray(x), y), jit(f)(x, y), f(x, y=y)):
        np.testing.assert_array_equal(np.asarray(got), np.where(x > y, x * y, x - y))
    along = np.ones(x.shape)
    _, slope = jvp(lambda x: f(x, y), (fx.asarray(x),), (fx.asarray(along),))
    np.testing.assert_array_equal(np.asarray(slope), np.where(x > y, y, 1.0) + 0 * x)


def test_signatures() -> None:
    a, b = np.arange(24.0).reshape(2, 3, 4), np.arange(8.0).reshape(2, 1, 4)
    inner = vectorize(lambda x, y: fx.sum(x * y), signature="(n),(n)->()")
    np.testing.assert_array_equal(np.asarray(inner(a, b)), (a * b).sum(-1))
    outer = vectorize(
        lambda x, y: (x[:, None] * y, x[0]), signature="(m), (n) -> (m,n), ()", otypes=["float32", "int8"]
    )
    first, second = outer(a[:, 0], b)
    assert first.dtype is fx.float32 and second.dtype is fx.int8
    np.testing.assert_array_equal(np.asarray(first), a[:, 0][None, :, :, None] * b[:, :, None, :])


def test_what_is_excluded() -> None:
    scaled = vectorize(lambda x, power, name="": x**power if name else x, excluded=[1, "name"])
    assert scaled(fx.asarray([1.0, 2.0]), 3, name="cube").tolist() == [1.0, 8.0]


def _ends(line: Any, width: tuple[int, int], axis: int, options: dict[str, Any]) -> Any:
    return line.at[: width[0]].set(line[-1 - width[1]]).at[line.size - width[1] :].set(float(axis))


def _ends_in_place(line: Any, width: tuple[int, int], axis: int, options: dict[str, Any]) -> None:
    line[: width[0]] = line[-1 - width[1]]
    line[line.size - width[1] :] = axis


def test_pad_by_a_function() -> None:
    x = X[0]
    expected = np.pad(x, ((1, 2), (2, 1)), _ends_in_place)
    f: Callable[[Any], Any] = lambda x: fx.pad(x, ((1, 2), (2, 1)), _ends)
    for got in (f(fx.asarray(x)), jit(f)(x), vmap(f)(fx.asarray(x)[None])[0]):
        np.testing.assert_array_equal(np.asarray(got), expected)


x = fx.asarray(X)
REFUSED: Final[list[tuple[type[EffaxError], str, Callable[[], object]]]] = [
    (ShapeError, "arr must have at least one axis", lambda: apply_along_axis(fx.sum, 0, 1.0)),
    (ArgumentError, "signature must be like '(m,n),(n)->(m)', got '(n'", lambda: vectorize(fx.sum, signature="(n")),
    (ArgumentError, "has 2 arguments, got 1", lambda: vectorize(fx.sum, signature="(n),(n)->()")(x)),
    (ShapeError, "must have the axes (n, m)", lambda: vectorize(fx.sum, signature="(n,m)->()")(fx.ones(3))),
    (ShapeError, "has size 3, elsewhere 2", lambda: vectorize(fx.dot, signature="(n),(n)->()")(fx.ones(2), fx.ones(3))),
    (ShapeError, "say which axes are its own with signature=", lambda: vectorize(lambda x: x[None])(x)),
    (ShapeError, "of result 0, float64[3], has size 3", lambda: vectorize(lambda x: x[1:], signature="(n)->(n)")(x)),
    (ArgumentError, "reflect_type has no meaning for mode 'edge'", lambda: fx.pad(x, 1, "edge", reflect_type="odd")),
    (ArgumentError, "stat_length must be positive", lambda: fx.pad(x, 1, "mean", stat_length=0)),
    (ShapeError, "has nothing along axis 0 that mode 'wrap'", lambda: fx.pad(fx.ones(0), 1, "wrap")),
    (ArgumentError, "must return the line that it is given", lambda: fx.pad(x, 1, lambda line, *_: line[1:])),
    (ArgumentError, "line that it is given, int64[3]", lambda: fx.pad(fx.arange(1), 1, lambda line, *_: line + 0.5)),
]


@pytest.mark.parametrize(("kind", "words", "bad"), REFUSED, ids=[words for _, words, _ in REFUSED])
def test_refused(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)
