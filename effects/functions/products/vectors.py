"""NumPy's products of vectors and matrices beside the standard's."""

from __future__ import annotations

from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, promote_pair, rounded_once
from effects.errors import DTypeError, ShapeError
from effects.functions.elementwise import unary
from effects.functions.manipulation import movement, reordering
from effects.functions.products import contraction
from effects.operations.contraction import DotGeneral
from effects.program.chain import perform
from effects.types import dtypes, shapes
from effects.types.signatures.contraction import Outer


@Outer
def dot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Products summed over the last axis of x1 and the last but one of x2 (its only one); x1 · x2 for a number.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.dot(np.array([1, 2]), np.array([3, 4]))
    Array(11, int64)
    """
    a, b = as_array(x1, "dot", "x1"), as_array(x2, "dot", "x2")
    if not (a.aval.ndim and b.aval.ndim):
        return a * b
    return _summed("dot", a, b, b.aval.ndim - min(b.aval.ndim, 2))


@Outer
def inner(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Products summed over the last axes of both; x1 · x2 for a number.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.inner(np.array([1, 2]), np.array([3, 4]))
    Array(11, int64)
    """
    a, b = as_array(x1, "inner", "x1"), as_array(x2, "inner", "x2")
    if not (a.aval.ndim and b.aval.ndim):
        return a * b
    return _summed("inner", a, b, b.aval.ndim - 1)


def _summed(function: str, a: Array, b: Array, axis: int) -> Array:
    n, m = a.aval.shape[-1], b.aval.shape[axis]
    if n != m:
        raise ShapeError(
            f"{function}: the axes that are summed must be of one size, got {n} of {a.aval} and {m} of {b.aval}"
        )
    return perform(DotGeneral(((a.aval.ndim - 1,), (axis,)), ((), ()), *promote_pair(function, a, b)))


@Outer
def vdot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Σ conj(x1[i]) x2[i] over all elements in row-major order.

    >>> import effects as fx
    >>> fx.vdot(1j, 1j)
    Array(1.+0.j, complex128)
    """
    a, b = (movement.reshape(as_array(x, "vdot", name), (-1,)) for x, name in ((x1, "x1"), (x2, "x2")))
    return _summed("vdot", unary.conj(a), b, 0)


def _matrices(function: str, x: ArrayLike, argument: str) -> Array:
    array = as_array(x, function, argument)
    if array.aval.ndim < 2:
        raise ShapeError(f"{function}: {argument} must be of matrices, of at least two axes, got {array.aval}")
    return array


@Outer
def matvec(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The product of matrices, the last two axes of x1, and vectors, the last axis of x2.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.matvec(np.array([[1, 2], [3, 4]]), np.array([1, 0]))
    Array([1, 3], int64)
    """
    a, b = _matrices("matvec", x1, "x1"), as_array(x2, "matvec", "x2")
    return movement.squeeze(contraction.matmul(a, movement.expand_dims(b, -1)), -1)


@Outer
def vecmat(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The product of the conjugates of vectors, the last axis of x1, and matrices, the last two axes of x2.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.vecmat(np.array([1, 0]), np.array([[1, 2], [3, 4]]))
    Array([1, 2], int64)
    """
    a, b = unary.conj(as_array(x1, "vecmat", "x1")), _matrices("vecmat", x2, "x2")
    return movement.squeeze(contraction.matmul(movement.expand_dims(a, -2), b), -2)


def cross(
    x1: ArrayLike, x2: ArrayLike, /, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Array:
    """The cross products of vectors of three elements along `axis` of each; the other axes broadcast.

    Without `axis` they are along `axisa` of x1 and `axisb` of x2, and the products along `axisc`. Raises ShapeError for
    other sizes: of vectors of two elements it is x[0] y[1] - x[1] y[0].

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.cross(np.array([1, 2, 3]), np.array([0, 1, 0]))
    Array([-3,  0,  1], int64)
    """
    x, y = promote_pair("cross", x1, x2, ("x1", "x2"))
    if x.aval.dtype is dtypes.bool_:
        raise DTypeError(f"cross: x1 and x2 must be of numbers, got {x.aval} and {y.aval}; convert with astype")
    first, second, last = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    for array, place in ((x, first), (y, second)):
        shape = array.aval.shape
        if shape[shapes.normalize_axis("cross", shape, place)] != 3:
            raise ShapeError(f"cross: both arrays must have 3 elements along axis {place}, got {x.aval} and {y.aval}")
    x = x if first == -1 else movement.moveaxis(x, first, -1)
    y = y if second == -1 else movement.moveaxis(y, second, -1)
    result = rounded_once(_cross, x, y)
    return result if last == -1 else movement.moveaxis(result, -1, last)


def _cross(x: Array, y: Array) -> Array:
    def ahead(x: Array) -> Array:
        return reordering.roll(x, -1, axis=-1)

    return ahead(x * ahead(y) - ahead(x) * y)
