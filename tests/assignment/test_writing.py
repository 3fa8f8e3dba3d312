"""`writing`: views, dtypes and what is refused, beside what NumPy does."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, DTypeError, LeakedValueError, OutOfBoundsError, ShapeError
from handlers import WritableArray, writable, writing
from lowering import jit


def equal(actual: Any, expected: Any) -> None:
    np.testing.assert_array_equal(np.asarray(actual), expected)


def test_the_block() -> None:
    with writing() as xp:
        x = xp.zeros((2, 3))
        x.T[1] = 5.0
        x.fill(xp.sum(x))
        x[0] = [3.0, 1.0, 2.0]  # type: ignore[assignment]  # lists are NumPy's
        x[0].sort()
        result = fx.asarray(x)
        assert xp.add(x, 1.0, out=x) is x
        xp.reshape(x, shape=(6,), copy=True)[:] = 0.0
        assert isinstance(xp.sin(x), WritableArray)
        assert x.device == "cpu:0"
        kept, host = pickle.loads(pickle.dumps(x)), copy.deepcopy(x)
    equal(result, [[1.0, 2.0, 3.0], [10.0, 10.0, 10.0]])
    equal(kept, np.asarray(result) + 1)
    with pytest.raises(LeakedValueError):
        host[0] = 1.0


@pytest.mark.parametrize(
    "f",
    [
        lambda np, x: np.asarray(x, dtype=x.dtype),
        lambda np, x: np.asarray(x, copy=False),
        lambda np, x: np.asarray(x, copy=True),
        lambda np, x: np.atleast_1d(x, x)[1],
        lambda np, x: np.rollaxis(x, 2),
        lambda np, x: np.diag(x[0]),
        lambda np, x: np.linalg.diagonal(x),
        lambda np, x: np.diagonal(x, 1, 0, 2),
    ],
)
def test_functions_give_views_where_numpys_do(f: Any) -> None:
    def seen(namespace: Any, x: Any) -> tuple[Any, ...]:
        y = f(namespace, x)
        x[...] *= 2
        try:
            y[0] = 7.0
        except (ArgumentError, ValueError) as error:
            assert "read-only" in str(error)
        return y.shape, np.asarray(x).tolist(), np.asarray(y).tolist()

    x = np.arange(12.0).reshape(2, 2, 3)
    with writing() as xp:
        assert seen(xp, xp.asarray(x)) == seen(np, x)


def test_products_and_functions_in_place_of_views_in_other_orders() -> None:
    def run(np: Any, x: Any) -> list[Any]:
        y = x.T
        order = np.argsort(y, axis=0)
        results = [np.matmul(y, x), np.vecdot(y, y), np.vecdot(y + y, y, axis=0), np.matvec(y, x[:, 0])]
        np.put_along_axis(y, order, values=y.copy(), axis=0)
        np.fill_diagonal(x, 9.0)
        return [*results, x, y]

    x = np.asarray([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])
    with writing() as xp:
        for actual, expected in zip(run(xp, xp.asarray(x)), run(np, x), strict=True):
            equal(actual, expected)


def test_numpys_own_functions_and_views_of_other_dtypes() -> None:
    x = np.asarray([[1.0, 2.0], [3.0, 4.0]])
    with writing() as xp:
        y = xp.asarray(x)
        joined = np.hstack([y, np.sin(y)])
        joined[0] = 7.0
        equal(joined, [[7.0] * 4, [*x[1], *np.sin(x[1])]])
        equal((y + 2j).view(float), (x + 2j).view(float))
        equal(y.view(complex), x.view(complex))
        assert y.view(float) is y
        with pytest.raises(ArgumentError, match="read-only"):
            y.view(complex)[0] = 1.0
        with pytest.raises(ArgumentError, match="arrays are immutable"):
            np.reshape(y, (4,))[0] = 1.0
        equal(y.view(np.uint16), x.view(np.uint16))


def numpy_program(x: Any) -> Any:
    """A program that writes by NumPy's own functions alone."""
    a, b = x.copy(), x.copy()
    np.divmod(x, 2.0, out=(a, b))
    np.modf(x, out=(b, None))  # type: ignore[arg-type]  # NumPy's types know no None there
    np.sum(x, out=a[:1].reshape(()))
    np.cumsum(x, out=b)
    np.put(x, [0, 1], [9.0])
    np.putmask(a, a > 2, [1.0, 2.0])
    np.fill_diagonal(x.reshape(2, 2), 7.0)
    np.maximum.at(x, [0, 0], [1.0, 99.0])
    np.subtract.at(x, np.array([1, 1], dtype=np.intp), b[:2])
    np.add.reduce(x, out=a[1:2].reshape(()))
    np.copyto(b, 3, where=b > 5)
    np.copyto(b[:2], x[1:2])
    np.put_along_axis(a, np.array([2], dtype=np.intp), 4.0, 0)
    return x, a, b, np.negative(np.ones(4), out=x[::-1])


@pytest.mark.parametrize("compiled", [False, True])
def test_numpys_functions_that_write(compiled: bool) -> None:
    x = np.arange(4.0)
    f = writable(numpy_program)
    for actual, expected in zip((jit(f) if compiled else f)(fx.asarray(x)), numpy_program(x), strict=True):
        equal(actual, expected)
    with writing() as xp, pytest.raises(ArgumentError, match=r"numpy.copyto: out: x is read-only"):
        np.copyto(xp.broadcast_to(xp.zeros(1), (2,)), 1.0)


def test_dtypes_stay() -> None:
    with writing() as xp:
        x, z = xp.zeros(2, dtype=xp.int32), xp.zeros(2, dtype=xp.complex64)
        x[0] = 2.7
        z.imag[1] = 3.0
        z.real += 1.0
        equal(x, [2, 0])
        equal(z, [1.0, 1.0 + 3.0j])
        assert x.dtype is fx.int32
        with pytest.raises(DTypeError, match=r"x \+= y: x keeps its dtype, int32, which float64 does not become"):
            x += fx.asarray(0.5)
        with pytest.raises(DTypeError, match="would lose imaginary parts"):
            x[0] = 1j
        for number in (2**31, float("nan")):
            with pytest.raises(ArgumentError, match=rf"x\[0\] = …: the value = {number} does not fit int32"):
                x[0] = number
        with pytest.raises(ShapeError, match=r"x \+= y: x keeps its shape, int32\[2\]"):
            x += xp.zeros((3, 2), dtype=xp.int32)


def test_numbers_are_no_places() -> None:
    with writing() as xp:
        x = xp.ones(2)
        number = x[0]
        number += 1.0
        place = x[..., 1]
        place += 1.0
        equal(x, [1.0, 2.0])
        equal(number, 2.0)


@pytest.mark.parametrize("size", [0, 1])
def test_small_arrays(size: int) -> None:
    x = np.arange(float(size))
    with writing() as xp:
        ours = xp.asarray(x)
        for a in (x, ours):
            a[:] += 1
            a[::-1][:1] = 7.0
            a.reshape(1, -1)[...] *= 2
        equal(ours, x)


def test_what_is_refused_says_what_to_write() -> None:
    with writing() as xp:
        x = xp.zeros((2, 2))
        with pytest.raises(ArgumentError, match=r"x\[0\] = …: x is read-only, since it has elements more than once"):
            xp.broadcast_to(x, (3, 2, 2))[0] = 1.0
        diagonal = x.diagonal()
        for part in (diagonal, x.imag):
            with pytest.raises(ArgumentError, match="read-only"):
                part[0] = 1.0
        x[1, 1] = 2.0
        equal(diagonal, [0.0, 2.0])
        with pytest.raises(OutOfBoundsError):
            x[5] = 1.0
        with pytest.raises(OutOfBoundsError, match="index 5 is out of bounds for axis 0 of size 2"):
            x[fx.asarray(5)]  # now, and not where the view is read
        with pytest.raises(ShapeError, match="the step of a slice must not be 0"):
            x[::0]
        with pytest.raises(ArgumentError, match="start, stop and step of slice"):
            x[0:1.5]  # type: ignore[index]  # the mistake
        with pytest.raises(ArgumentError, match=r"x.sort\(\): axis must be an int, got None"):
            x.sort(None)  # type: ignore[arg-type]  # the mistake
        with pytest.raises(ArgumentError, match="order must be 'C' or 'F', got 'K'"):
            x.ravel("K")  # type: ignore[arg-type]  # the mistake
        with pytest.raises(ArgumentError, match="out must be an array that can be assigned to"):
            xp.add(x, x, out=fx.zeros((2, 2)))
        with pytest.raises(DTypeError, match=r"add: out keeps its dtype, int8\[2,2\], which the result, float64"):
            xp.add(x, x, out=xp.zeros((2, 2), dtype=xp.int8))
        with pytest.raises(ShapeError, match=r"sum: out must have the shape of the result, float64\[\], got"):
            xp.sum(x, out=x)
        with pytest.raises(ArgumentError, match="unique_all: out is one array, but unique_all returns UniqueAll"):
            xp.unique_all(x, out=x)
        with pytest.raises(TypeError, match="real"):
            xp.real(x, x)
        with pytest.raises(ArgumentError, match=r"x\[\.\.\.\] = … : arrays are immutable; .*, of an argument y"):
            fx.zeros(2)[...] = 1.0  # type: ignore[index]  # which it cannot
    with pytest.raises(LeakedValueError):
        x[0] = 1.0
    with pytest.raises(ArgumentError, match=r"exist only inside writable\(f\) or writing\(\)"):
        xp.zeros(2)
    with pytest.raises(ArgumentError, match="writable takes a function, got 3"):
        writable(3)  # type: ignore[arg-type]  # which it is not


def test_ravel_copies_what_does_not_lie_in_order() -> None:
    x = np.arange(4.0)
    with writing() as xp:
        ours = xp.asarray(x)
        for a in (x, ours):
            a[::-1].ravel()[0] = 9.0
            a[::2].ravel()[0] = 9.0
            a[1:].ravel()[0] = 7.0
        equal(ours, x)
