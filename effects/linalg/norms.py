"""Norms of vectors and matrices, condition numbers, determinants."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from effects.arguments import flag, integers, number, refusal
from effects.arrays.array import Array, ArrayLike, Foreign
from effects.arrays.promotion import inexact, rounded_once
from effects.errors import ArgumentError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic, unary
from effects.functions.manipulation import movement
from effects.functions.products.matrices import unit
from effects.functions.reductions import reduction
from effects.linalg.arguments import matrix, rounded, square
from effects.operations.factoring import SVD, Det, SlogDet
from effects.operations.reduction import Norm, Reduce, ReduceKind
from effects.operations.solving import Solve
from effects.program.chain import perform
from effects.types import dtypes, shapes
from effects.types.dtypes import DType
from effects.types.signatures import typed_as
from effects.types.signatures.fractions import OfCond, OfDet, OfMatrixNorm, OfNorm, OfVectorNorm

if TYPE_CHECKING:
    from effects.types.shapes import Axes
    from effects.types.signatures.becoming import HasFloatsAndReals
    from effects.types.signatures.fractions import MatrixNorm


class SlogdetResult[D: DType, R: DType](NamedTuple):
    """The sign of a determinant, and the logarithm of its absolute value."""

    sign: Array[D]
    logabsdet: Array[R]


_EXACT_IN_ANY_ORDER: Final = 1000
"""Number of elements up to which the order of summation does not matter for the accuracy."""


@typed_as(OfDet)
def det(x: ArrayLike, /) -> Array:
    """The determinant of each square matrix of x, (..., n, n); 1 for matrices without rows.

    The derivative is the matrix of cofactors, which singular matrices have too. Second derivatives of singular matrices
    with more than three rows are NaN.

    >>> import effects as fx
    >>> fx.linalg.det(fx.asarray([[3.0, 0.0], [5.0, 2.0]]))
    Array(6., float64)
    """
    return rounded_once(lambda x: perform(Det(x)), square("det", x))


def slogdet[D: DType, R: DType](x: HasFloatsAndReals[D, R] | complex | Foreign, /) -> SlogdetResult[D, R]:
    """The sign of the determinant of each square matrix of x, (..., n, n), and the logarithm of its absolute value.

    det(x) is sign * exp(logabsdet), which may overflow. The sign of complex matrices is a number of absolute value 1. A
    singular matrix gives 0 and -∞, and has no derivative.

    >>> import effects as fx
    >>> fx.linalg.slogdet(fx.asarray([[-1.0, 0.0], [5.0, 1.0]]))
    SlogdetResult(sign=Array(-1., float64), logabsdet=Array(0., float64))
    """
    return SlogdetResult(*rounded(lambda x: perform(SlogDet(x)), square("slogdet", x)))


@typed_as(OfVectorNorm)
def vector_norm(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Array:
    """The norm (Σ |x|ᵖ)^(1/p), for p = `ord`, along `axis`: an int or a tuple; None for all elements.

    `ord` inf is the greatest absolute value, -inf the least, and 0 the number of elements that are not 0. With
    `keepdims` the axes stay, of size 1. Without elements the norm is 0 for `ord` from 0 to inf; for -inf this raises
    ShapeError. For p ≥ 1 the derivative at 0 is 0.

    >>> import effects as fx
    >>> fx.linalg.vector_norm(fx.asarray([3.0, 4.0])), fx.linalg.vector_norm(fx.asarray([3.0, 4.0]), ord=1)
    (Array(5., float64), Array(7., float64))
    """
    keep, power = flag("vector_norm", "keepdims", keepdims), number("vector_norm", "ord", ord)
    array = inexact("vector_norm", x)
    return rounded_once(lambda x: _vector_norm(x, axis, keep, power), array)


def _vector_norm(x: Array, axis: Axes, keepdims: bool, power: float) -> Array:
    if power == math.inf:
        return reduction.max(unary.abs(x), axis=axis, keepdims=keepdims, initial=0)
    if power == -math.inf:
        if not x.aval.size and not reduction.count("vector_norm", x, axis):
            raise _nothing(power, x)
        return reduction.min(unary.abs(x), axis=axis, keepdims=keepdims)
    if power == 0:
        counted = unary.astype(x != 0, dtypes.real_of(x.aval.dtype))
        return reduction.sum(counted, axis=axis, keepdims=keepdims)
    if power == 2:
        return perform(Norm(reduction.axes_of("vector_norm", x, axis), x, keepdims))
    sizes = unary.abs(x)
    if power == 1:
        return reduction.sum(sizes, axis=axis, keepdims=keepdims)
    total = reduction.sum(sizes**power, axis=axis, keepdims=keepdims)
    return _smooth(lambda x: x ** (1 / power), total) if power > 0 else total ** (1 / power)


def _smooth(root: Callable[[Array], Array], x: Array) -> Array:
    """A root, with the derivative 0 at 0."""
    zero = x == 0
    return logic.where(zero, 0, root(logic.where(zero, 1, x)))


@typed_as(OfMatrixNorm)
def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: MatrixNorm = "fro") -> Array:
    """The norm of each matrix of x, (..., m, n), that `ord` names.

    "fro" is the root of the sum of squares, "nuc" the sum of the singular values, 2 and -2 are the greatest and the
    least of them, 1 and -1 the greatest and the least sum of absolute values in a column, inf and -inf in a row. With
    `keepdims` the last two axes stay, of size 1. Raises ArgumentError for another `ord`.

    >>> import effects as fx
    >>> (fx.linalg.matrix_norm(fx.asarray([[3.0, 0.0], [4.0, 0.0]])),
    ...  fx.linalg.matrix_norm(fx.asarray([[3.0, 0.0], [4.0, 0.0]]), ord=1))
    (Array(5., float64), Array(7., float64))
    """
    keep, kind = flag("matrix_norm", "keepdims", keepdims), _kind("matrix_norm", "ord", ord)
    return rounded_once(lambda x: _matrix_norm(x, kind, keep), matrix("matrix_norm", x))


def _kind(function: str, argument: str, value: object) -> float | str:
    """The norm of matrices that a value names."""
    if isinstance(value, str) and value in ("fro", "nuc"):
        return value
    if isinstance(value, str) or (kind := number(function, argument, value)) not in (1, -1, 2, -2, math.inf, -math.inf):
        raise refusal(function, argument, "'fro', 'nuc', 1, -1, 2, -2, inf or -inf", value)
    return kind


def _matrix_norm(x: Array, kind: float | str, keepdims: bool) -> Array:
    if kind == "fro":
        return perform(Norm((x.aval.ndim - 2, x.aval.ndim - 1), x, keepdims))
    if kind in ("nuc", 2, -2):
        (s,) = perform(SVD(False, False, x))
        result = reduction.sum(s, axis=-1) if kind == "nuc" else _extreme(s, kind)
        return movement.expand_dims(result, (-2, -1)) if keepdims else result
    summed = -2 if kind in (1, -1) else -1
    result = _extreme(_folded(ReduceKind.SUM, unary.abs(x), summed), kind)
    return movement.expand_dims(result, (-2, -1)) if keepdims else result


def _extreme(sizes: Array, kind: float | str) -> Array:
    """The greatest of `sizes`, or 0 if there are none, for 1, 2 and infinity; the least for negative kinds."""
    if sizes.aval.shape[-1]:
        return _folded(ReduceKind.MAX if kind in (1, 2, math.inf) else ReduceKind.MIN, sizes, -1)
    if kind in (1, 2, math.inf):
        return creation.zeros(sizes.aval.shape[:-1], dtype=sizes.aval.dtype)
    raise _nothing(kind, sizes)


def _folded(kind: ReduceKind, x: Array, axis: int) -> Array:
    return perform(Reduce(kind, (x.aval.ndim + axis,), x))


def _nothing(kind: float | str, sizes: Array) -> ShapeError:
    return ShapeError(f"a norm with ord={kind} is a minimum, which needs elements: {sizes.aval}")


@typed_as(OfNorm)
def norm(x: ArrayLike, /, ord: MatrixNorm | None = None, axis: Axes = None, keepdims: bool = False) -> Array:
    """The norm of vectors along one axis (`vector_norm`) or of matrices along two (`matrix_norm`), under NumPy's name.

    Without `axis` and `ord` it is the root of the sum of the squares of all elements; with `ord` alone, x has to be one
    vector or one matrix. With `keepdims` the axes stay, of size 1.

    >>> import effects as fx
    >>> (fx.linalg.norm(fx.asarray([[3.0, 0.0], [4.0, 0.0]])),
    ...  fx.linalg.norm(fx.asarray([[3.0, 1.0], [4.0, 0.0]]), axis=0))
    (Array(5., float64), Array([5., 1.], float64))
    """
    array, keep = inexact("norm", x), flag("norm", "keepdims", keepdims)
    if axis is None and ord is None:
        return rounded_once(lambda x: _vector_norm(x, None, keep, 2), array)
    if axis is None and array.aval.ndim == 2:
        of_whole = _kind("norm", "ord", ord)
        return rounded_once(lambda x: _matrix_norm(x, of_whole, keep), array)
    at = tuple(range(array.aval.ndim)) if axis is None else integers("norm", "axis", axis)
    places = tuple([shapes.normalize_axis("norm", array.aval.shape, a) for a in at])
    if len(places) == 1:
        power = 2 if ord is None else number("norm", "ord", ord)
        return rounded_once(lambda x: _vector_norm(x, places, keep, power), array)
    if len(places) == 2 and places[0] == places[1]:
        raise ArgumentError(f"norm: axis must name two axes, got {list(at)}, the same twice")
    if len(places) != 2:
        raise ShapeError(f"norm: a norm is along one axis or two, got {list(at)} for {array.aval}; pass axis")
    moved = movement.moveaxis(array, places, (-2, -1))
    kind = _kind("norm", "ord", "fro" if ord is None else ord)
    result = rounded_once(lambda x: _matrix_norm(x, kind, False), moved)
    return movement.expand_dims(result, tuple(sorted(places))) if keep else result


@typed_as(OfCond)
def cond(x: ArrayLike, /, p: MatrixNorm | None = None) -> Array:
    """The condition number of each matrix of x, (..., m, n): norm(x) · norm(x⁻¹) by the norm `p` of `matrix_norm`.

    Without `p` it is the greatest singular value divided by the least, and matrices need not be square. It is infinite
    for singular matrices.

    >>> import effects as fx
    >>> fx.linalg.cond(fx.asarray([[4.0, 0.0], [0.0, 2.0]]))
    Array(2., float64)
    """
    kind = 2 if p is None else _kind("cond", "p", p)

    def by_values(x: Array) -> Array:
        (s,) = perform(SVD(False, False, x))
        if not s.aval.shape[-1]:
            raise ArgumentError(f"cond: x has no elements, {x.aval}")
        return _ratio(kind == 2, s)

    def by_norms(x: Array) -> Array:
        singular = perform(Det(x)) == 0
        lanes = movement.expand_dims(singular, (-2, -1))
        inverse = perform(Solve(False, logic.where(lanes, unit(x), x), unit(x)))
        product = _matrix_norm(x, kind, False) * _matrix_norm(inverse, kind, False)
        return logic.where(singular, math.inf, product)

    if kind in (2, -2):
        return rounded_once(by_values, matrix("cond", x))
    return rounded_once(by_norms, square("cond", x))


def _ratio(up: bool, s: Array) -> Array:
    """The greatest singular value divided by the least if `up`, else the least by the greatest; infinity for zeros."""
    high, low = s[..., 0], s[..., -1]
    return logic.where(high == 0, math.inf, arithmetic.divide(high, low) if up else arithmetic.divide(low, high))
