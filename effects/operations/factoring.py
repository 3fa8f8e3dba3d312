"""Factors, eigenvalues, singular values and determinants of matrices, which are the last two axes of operands.

Leading axes are lanes. Of single and double precision, real and complex.
"""

from __future__ import annotations

from effects.operations.solving import check_precision
from effects.program.operation import Multiple, Single, operation
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed
from effects.types.promotion import complex_of
from effects.types.shapes.dims import Ints
from effects.types.shapes.matrices import matrices, squares


def _square(name: str, x: ShapedArray) -> tuple[Ints, int]:
    check_precision(name, x)
    *lanes, n, _ = squares(name, x.shape)
    return tuple(lanes), n


def _matrix(name: str, x: ShapedArray) -> tuple[Ints, int, int]:
    check_precision(name, x)
    *lanes, m, n = matrices(name, x.shape)
    return tuple(lanes), m, n


@operation
class Cholesky[V](Single[V]):
    """The lower triangular l with positive diagonal and l·lᴴ = (x + xᴴ)/2, which is positive definite."""

    name = "cholesky"
    x: V

    def types(self: Cholesky[Typed]) -> ShapedArray:
        _square(self.name, self.x.aval)
        return ShapedArray(self.x.aval.shape, self.x.aval.dtype)


@operation
class LU[V](Multiple[V]):
    """Factors of x with its rows in another order, x[order] = l·u, and the order as int32.

    The first result has u at and above its diagonal, and below it l, whose diagonal has ones.
    """

    name = "lu"
    x: V

    def types(self: LU[Typed]) -> tuple[ShapedArray, ...]:
        lanes, m, _ = _matrix(self.name, self.x.aval)
        return ShapedArray(self.x.aval.shape, self.x.aval.dtype), ShapedArray((*lanes, m), dtypes.int32)


@operation
class PLU[V](Multiple[V]):
    """p, l and u with p·l·u = x: a permutation, a lower triangle with ones on its diagonal, an upper triangle.

    For x of m by n, l has min(m, n) columns, and u as many rows.
    """

    name = "plu"
    x: V

    def types(self: PLU[Typed]) -> tuple[ShapedArray, ...]:
        dtype = self.x.aval.dtype
        lanes, m, n = _matrix(self.name, self.x.aval)
        k = min(m, n)
        return tuple([ShapedArray((*lanes, *shape), dtype) for shape in ((m, m), (m, k), (k, n))])


@operation
class Det[V](Single[V]):
    """The determinant."""

    name = "det"
    x: V

    def types(self: Det[Typed]) -> ShapedArray:
        return ShapedArray(_square(self.name, self.x.aval)[0], self.x.aval.dtype)


@operation
class SlogDet[V](Multiple[V]):
    """The determinant as s·exp(l): its sign s, of absolute value 1 or 0, and the real l."""

    name = "slogdet"
    x: V

    def types(self: SlogDet[Typed]) -> tuple[ShapedArray, ...]:
        dtype = self.x.aval.dtype
        lanes, _ = _square(self.name, self.x.aval)
        return ShapedArray(lanes, dtype), ShapedArray(lanes, dtypes.real_of(dtype))


@operation
class QR[V](Multiple[V]):
    """q and r with q·r = x: orthonormal columns, and an upper triangle.

    For x of m by n, q has min(m, n) columns, or m if `complete`.
    """

    name = "qr"
    complete: bool
    x: V

    def types(self: QR[Typed]) -> tuple[ShapedArray, ...]:
        x = self.x.aval
        lanes, m, n = _matrix(self.name, x)
        k = m if self.complete else min(m, n)
        return ShapedArray((*lanes, m, k), x.dtype), ShapedArray((*lanes, k, n), x.dtype)


@operation
class Eigh[V](Multiple[V]):
    """The eigenvalues of (x + xᴴ)/2, which ascend, and if `vectors` also the matrix with its orthonormal eigenvectors.

    The columns of this are in the order of the eigenvalues.
    """

    name = "eigh"
    vectors: bool
    x: V

    def types(self: Eigh[Typed]) -> tuple[ShapedArray, ...]:
        x = self.x.aval
        lanes, n = _square(self.name, x)
        values = ShapedArray((*lanes, n), dtypes.real_of(x.dtype))
        return (values, ShapedArray(x.shape, x.dtype)) if self.vectors else (values,)


@operation
class SVD[V](Multiple[V]):
    """The singular values s, which descend; if `vectors`, u, s and v with u·diag(s)·v = x.

    u has orthonormal columns, v orthonormal rows: min(m, n) of them for x of m by n, all that there are if `full`.
    """

    name = "svd"
    vectors: bool
    full: bool
    x: V

    def types(self: SVD[Typed]) -> tuple[ShapedArray, ...]:
        x = self.x.aval
        lanes, m, n = _matrix(self.name, x)
        k = min(m, n)
        values = ShapedArray((*lanes, k), dtypes.real_of(x.dtype))
        if not self.vectors:
            return (values,)
        left = ShapedArray((*lanes, m, m if self.full else k), x.dtype)
        return left, values, ShapedArray((*lanes, n if self.full else k, n), x.dtype)


@operation
class Eig[V](Multiple[V]):
    """The eigenvalues, in no order, and if `vectors` the matrix with an eigenvector of each as its columns.

    Both are complex. Vectors have the norm 1, and their element that is largest is real.
    """

    name = "eig"
    vectors: bool
    x: V

    def types(self: Eig[Typed]) -> tuple[ShapedArray, ...]:
        x = self.x.aval
        lanes, n = _square(self.name, x)
        dtype = complex_of(x.dtype)
        values = ShapedArray((*lanes, n), dtype)
        return (values, ShapedArray(x.shape, dtype)) if self.vectors else (values,)


@operation
class Schur[V](Multiple[V]):
    """t and the unitary z with z·t·zᴴ = x: an upper triangle, with blocks of two rows on its diagonal if x is real."""

    name = "schur"
    x: V

    def types(self: Schur[Typed]) -> tuple[ShapedArray, ...]:
        x = self.x.aval
        _square(self.name, x)
        return (ShapedArray(x.shape, x.dtype),) * 2
