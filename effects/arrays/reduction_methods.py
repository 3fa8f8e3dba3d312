"""`ReductionMethods`: the methods of arrays that reduce along axes.

`effects.arrays.methods` replaces them by the functions of the same names, with `axis` also by position: `x.sum(0)`.
"""

from __future__ import annotations

from effects.arrays.operators import DT, Operators, Sh
from effects.types.signatures import reduction, spread


class ReductionMethods(Operators[DT, Sh]):
    """Methods of arrays that reduce along axes."""

    __slots__ = ()

    sum = reduction.accumulation
    """Σ x[i] over `axis`, 0 of nothing; with `initial` added, and only of the elements that `where` holds for."""
    prod = reduction.accumulation
    """Π x[i] over `axis`, 1 of nothing; dtypes, `initial` and `where` as in `sum`."""
    mean = spread.average
    """Σ x[i] / n over `axis`; NaN of nothing."""
    var = spread.deviation
    """Σ |x[i] - mean(x)|² / (n - correction) over `axis`; real also for complex numbers."""
    std = spread.deviation
    """√var(x): the standard deviation over `axis`; arguments as in `var`."""
    max = reduction.extreme
    """The greatest element over `axis`, and of `initial`; NaN when there is one."""
    min = reduction.extreme
    """The least element over `axis`, and of `initial`; NaN when there is one. Raises what `max` raises."""
    any = reduction.truth
    """Test for any nonzero element over `axis`, among those where `where` is True; False for no elements."""
    all = reduction.truth
    """Test for all elements being nonzero over `axis`, among those where `where` is True; True for no elements."""
    argmax = reduction.position
    """The position of the greatest element along `axis` (None: in row-major order), as int64; the first of equals."""
    argmin = reduction.position
    """The position of the least element along `axis`; as in `argmax`."""
