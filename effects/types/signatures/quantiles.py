"""Signatures of quantiles: those between elements have fractions, those that are elements have the dtype of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from effects.types.signatures import MYPY, Call, P, R, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Like
    from effects.arrays.operators import DT
    from effects.types.signatures.becoming import AsFloats
    from effects.types.signatures.reduction import Axes
    from effects.types.signatures.refused import NoAxes, NoFlag, NoReal, Refused

type Between = Literal[
    "averaged_inverted_cdf",
    "hazen",
    "interpolated_inverted_cdf",
    "linear",
    "median_unbiased",
    "midpoint",
    "normal_unbiased",
    "weibull",
]
type OfElements = Literal["closest_observation", "higher", "inverted_cdf", "lower", "nearest"]
"""The methods that give elements, in their own dtype."""
type NoMethod = Refused[Literal["a method of numpy.quantile"]]


@overload
def quantile(
    x: Like[DT],
    /,
    q: ArrayLike,
    axis: Axes = None,
    *,
    method: OfElements,
    keepdims: bool = False,
    weights: ArrayLike | None = None,
) -> Array[DT]: ...
@overload
def quantile(
    x: AsFloats[DT],
    /,
    q: ArrayLike | NoReal,
    axis: Axes | NoAxes = None,
    *,
    method: Between | NoMethod = "linear",
    keepdims: bool | NoFlag = False,
    weights: ArrayLike | None = None,
) -> Array[DT]: ...
def quantile(*args: Any, **kwargs: Any) -> Any:
    """`quantile`, `percentile`, and those without NaN."""


if MYPY:
    Quantile = lambda function: quantile
else:

    class Quantile(Signature[P, R]):
        __call__ = Call(quantile)
