"""The greatest and the least of floats, where devices find them together.

Between devices a library of the platform compares, and that of the CPU drops NaN. So what they compare is integers in
the order of the floats, in which NaN comes last for the greatest, and first for the least.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from effects.types.avals import ShapedArray
from effects.types.dtypes import DType, Floating
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.patterns import counted, pattern_of, uncounted
from lowering.stablehlo.scope import TYPES, Scope

_GREATEST, _LEAST = "stablehlo.maximum", "stablehlo.minimum"


def parted(fold: str, dtype: type[DType], scope: Scope) -> bool:
    """Whether the partitioner may have several devices find what this fold of floats gives here."""
    return fold in (_GREATEST, _LEAST) and issubclass(dtype, Floating) and scope.functions.parted


def by_counts(
    fold: str, values: list[tuple[Value, ShapedArray]], out: ShapedArray, scope: Scope, folded: Callable[..., Value]
) -> Value:
    """`folded` of the integers in the order of float `values`, as a float."""
    numbers = pattern_of(out)
    limits = np.iinfo(numbers.dtype.dtype)
    last = int(limits.max if fold == _GREATEST else limits.min)
    counts = []
    for x, aval in values:
        of = pattern_of(aval)
        nan = compared("NE", x, x, aval, scope)
        counts.append(scope.op("stablehlo.select", TYPES[of], (nan, scope.fill(of, last), counted(x, aval, scope))))
    return uncounted(folded(*counts), out, scope)
