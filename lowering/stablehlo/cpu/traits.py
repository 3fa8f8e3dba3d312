"""Operations, and what their work on one CPU is like: one table, which all rewriting here reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NamedTuple


class Traits(NamedTuple):
    """Traits of an operation; the defaults are those of operations that are not worth a rewriting, but fit in a kernel.

    An operation by element has operands of the shape of its result.
    """

    work: float = math.inf
    """Work for each element: 0 if it is moved, 1 if that takes less time than reading it, else infinite."""
    is_light: bool = False
    """True for an operation by element that takes less time than reading and writing memory."""
    is_slow: bool = False
    """True for an operation by element whose results XLA keeps in memory if several others read them."""
    is_exact: bool = False
    """True if the library sums its results, of float32 and float64, as XLA does, to the bit. Sums of values that depend
    on other sums, as in a variance, are twice as fast in steps, with half the memory.
    """
    is_unordered: bool = False
    """True if folds of floats by it do not depend on the order, as no fold of integers does."""
    fits_in_kernels: bool = True
    """True if XLA compiles it in a kernel with others as it does alone."""


def _each(names: str, traits: Traits, dialect: str = "stablehlo") -> dict[str, Traits]:
    return {f"{dialect}.{name}": traits for name in names.split()}


_OTHER: Final = Traits(fits_in_kernels=False)
"""Traits of operations that are not in the table: those of libraries, and `transpose`, which LLVM takes long for."""
_TABLE: Final[Mapping[str, Traits]] = {
    **_each("broadcast_in_dim concatenate pad slice", Traits(0)),
    **_each("constant reshape", Traits(0, is_exact=True)),
    **_each("call func", Traits(0), "func"),
    **_each("return", Traits(0, is_exact=True), "func"),
    **_each("module", Traits(0), "builtin"),
    **_each("abs add multiply subtract", Traits(1, is_light=True, is_exact=True)),
    **_each("and maximum minimum or", Traits(1, is_light=True, is_unordered=True)),
    **_each("compare is_finite negate select", Traits(1, is_light=True)),
    **_each("bitcast_convert convert divide rsqrt shift_right_arithmetic sqrt xor", Traits(is_light=True)),
    **_each("cosine exponential exponential_minus_one log log_plus_one", Traits(is_slow=True)),
    **_each("logistic power sine tan tanh", Traits(is_slow=True)),
    **_each("cbrt", Traits(is_slow=True, fits_in_kernels=False)),  # it is less exact there
    **_each("atan2 case ceil clamp complex dynamic_slice dynamic_update_slice floor gather imag iota not", Traits()),
    **_each("optimization_barrier popcnt real reduce reduce_window remainder return reverse", Traits()),
    **_each("round_nearest_even shift_left shift_right_logical sign while", Traits()),
    **_each("acos acosh asin asinh atan atanh conj cosh erf erfc erf_inv sinh", Traits(), "chlo"),
}


def traits_of(name: str) -> Traits:
    """The traits of an operation of this name."""
    return _TABLE.get(name, _OTHER)
