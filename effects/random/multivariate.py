"""Distributions of vectors and matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import handlers
from effects import linalg
from effects.arguments import choice, natural
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert, promote_pair, real
from effects.errors import ShapeError
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.manipulation import movement
from effects.functions.products import contraction
from effects.functions.reductions import reduction
from effects.linalg.factoring import factor_of
from effects.random.keys import Key, one_key
from effects.random.uniform import floating, gaussian, grid
from effects.types import shapes
from effects.types.signatures.random import Method, Vectors

if TYPE_CHECKING:
    from effects.arrays.operators import FT
    from effects.types.dtypes import DTypeLike, DTypeOf
    from effects.types.signatures.becoming import Real
    from effects.types.signatures.creation import Sizes


@Vectors
def multivariate_normal(
    key: Key,
    mean: Real,
    cov: Real,
    shape: Sizes | None = None,
    dtype: DTypeLike | None = None,
    method: Method = "cholesky",
) -> Array:
    """Normal random vectors with the mean `mean`, (..., n), and the covariance `cov`, (..., n, n).

    The axes before those broadcast to `shape`, which the result has before the axis of n. The dtype is that of the
    parameters unless it is given. `method` selects how the covariance is factored: "cholesky" needs it to be positive
    definite; "eigh" and "svd" allow eigenvalues that are negative by rounding alone, and give NaN for others.
    Differentiable in both parameters where the covariance is definite; by "eigh" and "svd" derivatives are NaN for
    equal eigenvalues, so take "cholesky" then.

    >>> import effects as fx
    >>> fx.random.multivariate_normal(fx.random.key(0), fx.asarray([0.0, 1.0]), fx.asarray([[2.0, 0.5], [0.5, 1.0]]))
    Array([-0.29110475,  0.19314265], float64)
    """
    name = "multivariate_normal"
    data = one_key(name, key)
    choice(name, "method", method, ("cholesky", "eigh", "svd"))
    centre, spread = promote_pair(name, real(name, mean, "mean"), real(name, cov, "cov"), ("mean", "cov"))
    if not centre.aval.ndim:
        raise ShapeError(f"{name}: mean must be a vector, got {centre.aval}")
    n = centre.aval.shape[-1]
    if spread.aval.shape[-2:] != (n, n):
        raise ShapeError(f"{name}: cov must be [{n}, {n}] for a mean of {n} elements, got {spread.aval}")
    lanes = shapes.broadcast(centre.aval.shape[:-1], spread.aval.shape[:-2])
    sizes = lanes if shape is None else shapes.static_shape(name, shape)
    try:
        shapes.broadcast_to(lanes, sizes)
    except ShapeError:
        raise ShapeError(
            f"{name}: mean and cov have axes {shapes.show(lanes)} besides, which do not broadcast to shape "
            f"{shapes.show(sizes)}"
        ) from None
    target = centre.aval.dtype if dtype is None else floating(name, dtype)
    noise = gaussian(data, (*sizes, n), target)
    factor = convert(_factor(spread, method), target)
    moved = movement.squeeze(contraction.matmul(factor, movement.expand_dims(noise, axis=-1)), -1)
    return convert(centre, target) + moved


def _factor(cov: Array, method: str) -> Array:
    if method == "cholesky":
        return factor_of("multivariate_normal", "cov", cov, ", or take method='eigh'")
    if not cov.aval.size:
        return cov
    if method == "eigh":
        values, vectors = linalg.eigh(cov)
        signed = values
    else:
        vectors, values, _ = linalg.svd(cov)
        signed = linalg.eigvalsh(handlers.stop_gradient(cov))  # in another order, but it is about the least
    least, size = (f(signed, axis=-1, keepdims=True) for f in (reduction.min, reduction.max))
    rounding = constant_like(10 * cov.aval.shape[-1] * grid(cov.aval.dtype).step, size) * size
    proper = logic.greater_equal(least, unary.negative(rounding))
    values = arithmetic.maximum(values, constant_like(0, values))
    values = logic.where(proper, values, constant_like(math.nan, values))
    return vectors * movement.expand_dims(transcendental.sqrt(values), axis=-2)


def orthogonal(
    key: Key, n: int, shape: Sizes = (), dtype: DTypeOf[FT] | None = None, m: int | None = None
) -> Array[FT]:
    """Random orthogonal matrices, (*shape, n, n), uniform among all; with `m` (*shape, n, m), with orthonormal rows or
    columns.

    >>> import effects as fx
    >>> fx.random.orthogonal(fx.random.key(0), 1, m=2).shape
    (1, 2)
    """
    data, rows = one_key("orthogonal", key), natural("orthogonal", "n", n)
    columns = rows if m is None else natural("orthogonal", "m", m)
    sizes, target = shapes.static_shape("orthogonal", shape), floating("orthogonal", dtype)
    noise = gaussian(data, (*sizes, max(rows, columns), min(rows, columns)), target)
    q, r = linalg.qr(noise)
    signs = unary.sign(linalg.diagonal(r))
    signs = logic.where(signs == 0, constant_like(1, signs), signs)
    turned = q * movement.expand_dims(signs, axis=-2)
    return movement.matrix_transpose(turned) if rows < columns else turned
