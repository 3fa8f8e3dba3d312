"""What distributions and special functions of several arguments are not given, and do not give."""

import effects as fx
from effects import Array, c128, f32, f64, special, stats


def densities(a: Array[f32]) -> None:
    wide: Array[f64] = stats.norm.logpdf(a)  # E: Incompatible types in assignment
    stats.norm.pdf(a, "0")  # E: No overload variant of "continuous"
    stats.norm.pmf(a)  # E: "Continuous" has no attribute "pmf"
    stats.poisson.pmf(a, 3.0, scale=2.0)  # E: No overload variant of "discrete"
    stats.dirichlet.logpdf(a)  # E: No overload variant of "logpdf"


def several(a: Array[f32]) -> None:
    special.betainc(a, a)  # E: No overload variant of "betainc"
    wide: Array[f64] = special.betainc(a, 1.0, a)  # E: Incompatible types in assignment
    quotient: Array[f64] = fx.polydiv(a, a)[0]  # E: Incompatible types in assignment


def complex_numbers(z: Array[c128]) -> None:
    special.gammaln(z)  # E: Value of type variable "D" of "gammaln" cannot be "complex128"
    special.erfinv(1j)  # E: No overload variant of "erfinv"
