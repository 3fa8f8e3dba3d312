"""Convolutions of vectors, and polynomials as vectors of coefficients, the highest power first, as NumPy's.

Nothing here depends on values: zero coefficients stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from effects.arguments import choice, natural, repetitions
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import as_array, convert, inexact, promote_pair
from effects.errors import ShapeError
from effects.functions.creation import creation, sequences
from effects.functions.elementwise import arithmetic, unary
from effects.functions.manipulation import movement, padding
from effects.operations.convolution import Convolution
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.shapes import Layout, Window
from effects.types.signatures.contraction import Outer
from effects.types.signatures.convolution import Slid

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.signatures.becoming import AsFloats

type Overlap = Literal["full", "same", "valid"]
"""Part of a convolution: all of it, the size of the longer vector, or where the vectors overlap completely."""

_LINE: Final = Layout((0, 1, 2), (0, 1, 2), (0, 1, 2))


def _vectors(function: str, x: ArrayLike, y: ArrayLike, names: tuple[str, str]) -> tuple[Array, Array]:
    a, b = promote_pair(function, x, y, names)
    for name, v in zip(names, (a, b), strict=True):
        if v.aval.ndim != 1 or not v.aval.size:
            raise ShapeError(f"{function}: {name} must be a vector with at least one element, got {v.aval}")
    return a, b


def _slid(function: str, x: Array, over: Array, mode: Overlap) -> Array:
    """Σ x[i + k] over[k] for every position of `over` along `x`, which is the longer one."""
    n = over.aval.size
    before = {"full": n - 1, "same": n // 2, "valid": 0}[choice(function, "mode", mode, Overlap)]
    after = n - 1 - before if mode == "same" else before
    if x.aval.dtype is dtypes.bool_:
        counts = _slid(function, convert(x, dtypes.int64), convert(over, dtypes.int64), mode)
        return convert(counts, dtypes.bool_)
    window = Window((1,), ((before, after),), (1,), (1,))
    rows = [movement.reshape(v, (1, 1, v.aval.size)) for v in (x, over)]
    return movement.reshape(perform(Convolution(window, _LINE, 1, rows[0], rows[1])), (-1,))


@Slid
def convolve(x1: ArrayLike, x2: ArrayLike, /, mode: Overlap = "full") -> Array:
    """out[n] = Σ x1[k] x2[n - k] of two vectors.

    `mode` says for which n: "full" wherever they overlap, "valid" where the shorter one lies within the longer, "same"
    as many as the longer one has elements, from the middle. Raises ShapeError for what is no vector, or empty.

    >>> import effects as fx
    >>> (fx.convolve(fx.asarray([1, 2, 3]), fx.asarray([1, 10])),
    ...  fx.convolve(fx.asarray([1, 2, 3]), fx.asarray([1, 10]), "valid"))
    (Array([ 1, 12, 23, 30], int64), Array([12, 23], int64))
    """
    a, b = _vectors("convolve", x1, x2, ("x1", "x2"))
    if a.aval.size < b.aval.size:
        a, b = b, a
    return _slid("convolve", a, movement.flip(b), mode)


@Slid
def correlate(x1: ArrayLike, x2: ArrayLike, /, mode: Overlap = "valid") -> Array:
    """out[n] = Σ x1[n + k] conj(x2[k]) of two vectors, with n as for `convolve`; the first is where x2 begins.

    >>> import effects as fx
    >>> (fx.correlate(fx.asarray([1, 2, 3]), fx.asarray([1, 10])),
    ...  fx.correlate(fx.asarray([1, 2, 3]), fx.asarray([1, 10]), "full"))
    (Array([21, 32], int64), Array([10, 21, 32,  3], int64))
    """
    a, b = _vectors("correlate", x1, x2, ("x1", "x2"))
    b = unary.conj(b)
    if a.aval.size < b.aval.size:
        return movement.flip(_slid("correlate", b, a, mode))
    return _slid("correlate", a, b, mode)


def coefficients_of(function: str, p: ArrayLike, argument: str = "p") -> Array:
    """A vector of coefficients; a number gives a vector of size 1."""
    array = as_array(p, function, argument)
    if array.aval.ndim > 1:
        raise ShapeError(f"{function}: {argument} must be a vector of coefficients, got {array.aval}")
    return movement.reshape(array, (-1,))


@Outer
def polyval(p: ArrayLike, /, x: ArrayLike) -> Array:
    """p[0] xⁿ⁻¹ + … + p[n - 1] for every element of x, by Horner's rule; 0 for no coefficients.

    >>> import effects as fx
    >>> fx.polyval(fx.asarray([1, 0, 2]), fx.asarray([0, 1, 10]))
    Array([  2,   3, 102], int64)
    """
    coefficients, at = promote_pair("polyval", p, x, ("p", "x"))
    coefficients = coefficients_of("polyval", coefficients)
    out = creation.zeros_like(at)
    for coefficient in movement.unstack(coefficients):
        out = arithmetic.add(arithmetic.multiply(out, at), coefficient)
    return out


def _of_one_length(function: str, x1: ArrayLike, x2: ArrayLike) -> tuple[Array, Array]:
    a, b = promote_pair(function, x1, x2, ("x1", "x2"))
    a, b = coefficients_of(function, a, "x1"), coefficients_of(function, b, "x2")
    n = max(a.aval.size, b.aval.size)
    return padding.pad(a, (n - a.aval.size, 0)), padding.pad(b, (n - b.aval.size, 0))


@Outer
def polyadd(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The sum of two polynomials.

    >>> import effects as fx
    >>> fx.polyadd(fx.asarray([1, 2]), fx.asarray([9, 5, 4]))
    Array([9, 6, 6], int64)
    """
    return arithmetic.add(*_of_one_length("polyadd", x1, x2))


@Outer
def polysub(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The difference of two polynomials.

    >>> import effects as fx
    >>> fx.polysub(fx.asarray([2, 10, -2]), fx.asarray([3, 10, -4]))
    Array([-1,  0,  2], int64)
    """
    return arithmetic.subtract(*_of_one_length("polysub", x1, x2))


@Outer
def polymul(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The product of two polynomials; leading zeros stay, which NumPy takes away.

    >>> import effects as fx
    >>> fx.polymul(fx.asarray([1, 2]), fx.asarray([1, -2]))
    Array([ 1,  0, -4], int64)
    """
    a, b = promote_pair("polymul", x1, x2, ("x1", "x2"))
    return convolve(coefficients_of("polymul", a, "x1"), coefficients_of("polymul", b, "x2"))


def polyder(p: Like[DT], /, m: int = 1) -> Array[DT]:
    """The coefficients of the m-th derivative.

    >>> import effects as fx
    >>> fx.polyder(fx.asarray([1, 1, 1, 1])), fx.polyder(fx.asarray([1, 1, 1, 1]), 2)
    (Array([3, 2, 1], int64), Array([6, 2], int64))
    """
    out = coefficients_of("polyder", p)
    for _ in range(min(natural("polyder", "m", m), out.aval.size)):
        powers = sequences.arange(out.aval.size - 1, 0, -1)
        out = arithmetic.multiply(out[:-1], convert(powers, out.aval.dtype, out.aval.weak_type))
    return out


def _constants(k: object, times: int) -> Sequence[ArrayLike]:
    """Constants of integration, one for each time, from a vector, a sequence or one for all; None is 0."""
    if isinstance(k, Array | np.ndarray) and k.ndim:
        rows = movement.unstack(as_array(k, "polyint", "k"))
        return rows * times if len(rows) == 1 else rows
    constants: list[ArrayLike] = (
        list(k) if isinstance(k, list | tuple) else [0.0 if k is None else as_array(k, "polyint", "k")]
    )
    return constants * times if len(constants) == 1 else constants


def polyint(p: AsFloats[DT], /, m: int = 1, k: ArrayLike | Sequence[ArrayLike] | None = None) -> Array[DT]:
    """The coefficients of the m-th antiderivative, with the constants `k`: one for all, or one for each of m; None: 0.

    Integers become the default float.

    >>> import effects as fx
    >>> fx.polyint(fx.asarray([3, 2, 1])), fx.polyint(fx.asarray([2.0]), 2, [5.0, 7.0])
    (Array([1., 1., 1., 0.], float64), Array([1., 5., 7.], float64))
    """
    times = repetitions("polyint", "m", m)
    constants = _constants(k, times)
    if len(constants) != times:
        raise ShapeError(f"polyint: k must be one constant or {times}, got {len(constants)}")
    out = inexact("polyint", coefficients_of("polyint", as_array(p, "polyint", "p")))
    for constant in constants:
        powers = sequences.arange(out.aval.size, 0, -1)
        scaled = arithmetic.divide(out, convert(powers, out.aval.dtype))
        last = as_array(constant, "polyint", "k")
        out = movement.concat([scaled, movement.reshape(convert(last, out.aval.dtype), (1,))])
    return out


def poly(roots: AsFloats[DT], /) -> Array[DT]:
    """The polynomial with these roots whose first coefficient is 1. Integers become the default float.

    Raises ShapeError for matrices, of which NumPy takes the eigenvalues.

    >>> import effects as fx
    >>> fx.poly(fx.asarray([1.0, 2.0]))
    Array([ 1., -3.,  2.], float64)
    """
    array = inexact("poly", roots, "roots")
    if array.aval.ndim > 1:
        raise ShapeError(f"poly: roots must be a vector, got {array.aval}; of a matrix write poly(linalg.eigvals(x))")
    array = movement.reshape(array, (-1,))
    one = creation.ones((1,), dtype=array.aval.dtype)
    out: Array = one
    for root in movement.unstack(array):
        out = convolve(out, movement.concat([one, movement.reshape(unary.negative(root), (1,))]))
    return out
