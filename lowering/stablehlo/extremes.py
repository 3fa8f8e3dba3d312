"""Maxima and minima of floats over several devices, and of narrow floats.

A library of the platform compares between devices, and that of the CPU drops NaN. So integers in the order of the
floats are compared, with NaN last for maxima, and first for minima. Floats of 16 bits, which XLA would compare in
float32 one by one, are compared so, too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from effects.types.avals import ShapedArray
from effects.types.dtypes import DType, Floating
from lowering.stablehlo.context import Value
from lowering.stablehlo.patterns import counted, pattern_of, uncounted
from lowering.stablehlo.scope import Scope

_GREATEST, _LEAST = "stablehlo.maximum", "stablehlo.minimum"


def parted(fold: str, dtype: type[DType], scope: Scope) -> bool:
    """Return True if the partitioner may have several devices compute the result of this fold of floats here."""
    return fold in (_GREATEST, _LEAST) and issubclass(dtype, Floating) and scope.functions.parted


def by_counts(
    fold: str, values: list[tuple[Value, ShapedArray]], out: ShapedArray, scope: Scope, folded: Callable[..., Value]
) -> Value:
    """`folded` of the integers in the order of float `values`, as a float."""
    numbers = pattern_of(out)
    infinity = np.asarray(np.inf).astype(out.dtype.dtype).view(numbers.dtype.dtype)
    nans = int(np.iinfo(infinity.dtype).max - infinity)
    to_end = -nans if fold == _GREATEST else nans
    counts = [scope.do("add", counted(x, aval, scope), scope.fill(pattern_of(aval), to_end)) for x, aval in values]
    return uncounted(scope.do("subtract", folded(*counts), scope.fill(numbers, to_end)), out, scope)
