"""Weighted means, covariances and ranges, as NumPy's of these names."""

from __future__ import annotations

from typing import Literal, overload

from effects.arguments import flag, number
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, constant_like, convert, inexact, rounded_once
from effects.errors import ArgumentError, ShapeError
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.manipulation import diagonals, movement
from effects.functions.products import contraction
from effects.functions.reductions import reduction
from effects.functions.reductions.reduction import Axes
from effects.functions.statistics import moments
from effects.types import dtypes, shapes


def ptp(x: Like[DT], /, axis: Axes = None, keepdims: bool = False) -> Array[DT]:
    """The greatest element over `axis` less the least one. Raises what `max` raises.

    >>> import effects as fx
    >>> fx.ptp(fx.asarray([[1, 5], [7, 2]]), axis=1)
    Array([4, 5], int64)
    """
    array = as_array(x, "ptp", "x")
    if array.aval.dtype is dtypes.bool_:
        raise ArgumentError(f"ptp: x must be of numbers, got {array.aval}; convert it with astype")
    return reduction.max(array, axis=axis, keepdims=keepdims) - reduction.min(array, axis=axis, keepdims=keepdims)


def along(function: str, weights: Array, shape: tuple[int, ...], axis: Axes) -> Array:
    """Weights broadcast to a shape, from this shape or from its sizes along the axes, in their order."""
    if weights.aval.shape == shape:
        return weights
    named = shapes.as_axes(function, axis)
    shapes.normalize_axes(function, shape, named)  # refuses repeated axes
    several = named if isinstance(named, tuple) else () if named is None else (named,)
    axes = [shapes.normalize_axis(function, shape, a) for a in several]
    if weights.aval.shape != tuple([shape[a] for a in axes]) or not axes:
        raise ShapeError(
            f"{function}: weights must have the shape of x, {shapes.show(shape)}, or its sizes along axis, got "
            f"{weights.aval} for axis={axis}"
        )
    sizes = tuple([n if a in axes else 1 for a, n in enumerate(shape)])
    ordered = movement.permute_dims(weights, tuple(sorted(range(len(axes)), key=axes.__getitem__)))
    return movement.broadcast_to(movement.reshape(ordered, sizes), shape)


@overload
def average(
    x: ArrayLike,
    /,
    axis: Axes = None,
    weights: ArrayLike | None = None,
    returned: Literal[False] = False,
    *,
    keepdims: bool = False,
) -> Array: ...
@overload
def average(
    x: ArrayLike,
    /,
    axis: Axes = None,
    weights: ArrayLike | None = None,
    *,
    returned: Literal[True],
    keepdims: bool = False,
) -> tuple[Array, Array]: ...
def average(
    x: ArrayLike,
    /,
    axis: Axes = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Array | tuple[Array, Array]:
    """Σ wᵢ xᵢ / Σ wᵢ over `axis`; the mean without `weights`, of the shape of x or of its sizes along `axis`.

    With `returned` Σ wᵢ comes, too. Special cases: NaN or ∞ where the weights add up to 0.

    >>> import effects as fx
    >>> fx.average(fx.asarray([1.0, 2.0, 4.0]), weights=fx.asarray([2.0, 1.0, 1.0]))
    Array(2., float64)
    """
    array, both = inexact("average", x), flag("average", "returned", returned)
    if weights is None:
        mean = moments.mean(array, axis=axis, keepdims=keepdims)
        each = array.aval.size // max(mean.aval.size, 1)
        return (mean, movement.broadcast_to(constant_like(each, mean), mean.aval.shape)) if both else mean
    array, share = arithmetic.inexact_pair("average", array, weights, ("x", "weights"))
    shape = array.aval.shape
    share = along("average", share, shape, axis)

    def weighted(x: Array, w: Array) -> Array:
        total = reduction.sum(x * w, axis=axis, keepdims=keepdims)
        return total / reduction.sum(w, axis=axis, keepdims=keepdims)

    mean = rounded_once(weighted, array, share)
    return (mean, reduction.sum(share, axis=axis, keepdims=keepdims)) if both else mean


def cov(
    x: ArrayLike,
    /,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: float | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
) -> Array:
    """The covariance matrix of variables, one in each row of x and y (in each column if not `rowvar`).

    Sums of products are divided by n - 1, by n if `bias`, by n - `ddof` where it is given. `fweights` say how often
    each observation counts, `aweights` how much.

    >>> import effects as fx
    >>> fx.cov(fx.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    Array([[ 1., -1.],
           [-1.,  1.]], float64)
    """
    rows = flag("cov", "rowvar", rowvar)
    freedom = (0 if flag("cov", "bias", bias) else 1) if ddof is None else number("cov", "ddof", ddof)
    array = _variables(inexact("cov", x), rows, "x")
    if y is not None:
        more = _variables(inexact("cov", y, "y"), rows, "y")
        if more.aval.shape[1] != array.aval.shape[1]:
            raise ShapeError(f"cov: x and y must have as many observations, got {array.aval} and {more.aval}")
        array = movement.concat([array, more])
    weights = [
        _weights(as_array(w, "cov", name), array, name)
        for name, w in (("fweights", fweights), ("aweights", aweights))
        if w is not None
    ]
    return rounded_once(lambda x: _cov(x, freedom, weights, aweights is not None), array)


def _variables(x: Array, rowvar: bool, name: str) -> Array:
    if x.aval.ndim > 2:
        raise ShapeError(f"cov: {name} must have rank 2 at most, got {x.aval}")
    if x.aval.ndim < 2:
        return movement.reshape(x, (1, -1))
    return x if rowvar else movement.matrix_transpose(x)


def _weights(w: Array, x: Array, name: str) -> Array:
    if w.aval.shape != (x.aval.shape[1],):
        raise ShapeError(f"cov: {name} must have one weight for each of {x.aval.shape[1]} observations, got {w.aval}")
    return w


def _cov(x: Array, freedom: float, weights: list[Array], weighed: bool) -> Array:
    if not weights:
        centred = x - moments.mean(x, axis=1, keepdims=True)
        rest: Array = constant_like(max(x.aval.shape[1] - freedom, 0), x)
        scaled = centred
    else:
        part = [convert(w, dtypes.real_of(x.aval.dtype)) for w in weights]
        w = part[0] if len(part) == 1 else part[0] * part[1]
        total = reduction.sum(w)
        centred = x - reduction.sum(x * w, axis=1, keepdims=True) / total
        lost = reduction.sum(w * part[-1]) / total if weighed else constant_like(1, total)
        rest = arithmetic.maximum(total - constant_like(freedom, total) * lost, constant_like(0, total))
        scaled = centred * w
    product = contraction.matmul(scaled, movement.matrix_transpose(unary.conj(centred))) / rest
    return movement.reshape(product, ()) if product.aval.shape == (1, 1) else product


def corrcoef(x: ArrayLike, /, y: ArrayLike | None = None, rowvar: bool = True) -> Array:
    """The correlation of variables, covariances over the product of the deviations; arguments as of `cov`.

    >>> import effects as fx
    >>> fx.corrcoef(fx.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    Array([[ 1., -1.],
           [-1.,  1.]], float64)
    """
    return rounded_once(_correlation, cov(x, y, rowvar))


def _correlation(c: Array) -> Array:
    if not c.aval.ndim:
        return c / c
    deviations = transcendental.sqrt(unary.real(diagonals.diagonal(c)))
    ratio = c / movement.expand_dims(deviations, axis=1) / movement.expand_dims(deviations, axis=0)
    if issubclass(c.aval.dtype, dtypes.Complex):
        parts = [logic.clip(part, -1, 1) for part in (unary.real(ratio), unary.imag(ratio))]
        return arithmetic.complex(*parts)
    return logic.clip(ratio, -1, 1)
