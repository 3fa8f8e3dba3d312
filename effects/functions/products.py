"""NumPy's products of vectors and matrices beside the standard's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.errors import ShapeError
from effects.functions import contraction, elementwise, movement

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike


def dot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Products summed over the last axis of x1 and the last but one of x2 (its only one); x1 · x2 for a number.

    >>> import numpy as np
    >>> dot(np.array([1, 2]), np.array([3, 4]))
    Array(11, int64)
    """
    a, b = as_array(x1, "dot", "x1"), as_array(x2, "dot", "x2")
    if not (a.aval.ndim and b.aval.ndim):
        return a * b
    return _summed("dot", a, b, b.aval.ndim - min(b.aval.ndim, 2))


def inner(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Products summed over the last axes of both; x1 · x2 for a number.

    >>> import numpy as np
    >>> inner(np.array([1, 2]), np.array([3, 4]))
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
    return contraction.tensordot(a, b, axes=((a.aval.ndim - 1,), (axis,)))


def vdot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Σ conj(x1[i]) x2[i] over all elements in row-major order.

    >>> vdot(1j, 1j)
    Array(1.+0.j, complex128)
    """
    a, b = (movement.reshape(as_array(x, "vdot", name), (-1,)) for x, name in ((x1, "x1"), (x2, "x2")))
    return _summed("vdot", elementwise.conj(a), b, 0)


def matvec(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The product of matrices, the last two axes of x1, and vectors, the last axis of x2.

    >>> import numpy as np
    >>> matvec(np.array([[1, 2], [3, 4]]), np.array([1, 0]))
    Array([1, 3], int64)
    """
    a, b = as_array(x1, "matvec", "x1"), as_array(x2, "matvec", "x2")
    return movement.squeeze(contraction.matmul(a, movement.expand_dims(b, -1)), -1)


def vecmat(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The product of the conjugates of vectors, the last axis of x1, and matrices, the last two axes of x2.

    >>> import numpy as np
    >>> vecmat(np.array([1, 0]), np.array([[1, 2], [3, 4]]))
    Array([1, 2], int64)
    """
    a, b = elementwise.conj(as_array(x1, "vecmat", "x1")), as_array(x2, "vecmat", "x2")
    return movement.squeeze(contraction.matmul(movement.expand_dims(a, -2), b), -2)
