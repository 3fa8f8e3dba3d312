"""What distributions and special functions of several arguments are not given, and do not give."""

import effects as fx
from effects import Array, c128, f32, f64, random, special, stats


def densities(a: Array[f32]) -> None:
    wide: Array[f64] = stats.norm.logpdf(a)  # E: Incompatible types in assignment
    stats.norm.pdf(a, "0")  # E: Argument 2 to "__call__" of "OfStandard" has incompatible type "str"
    stats.norm.logpdf(1j)  # E: cannot be "complex"
    stats.poisson.logpmf(1, mu=1j)  # E: Argument "mu" to "__call__" of "OfCounts"
    stats.norm.logpdf()  # E: "OfStandard" require at least one argument
    stats.poisson.logpmf(mu=2.0)  # E: "OfCounts"
    stats.norm.pmf(a)  # E: has no attribute "pmf"
    stats.poisson.pmf(a, 3.0, scale=2.0)  # E: "OfCounts"
    stats.gamma.pdf(a, shape=2.0)  # E: Unexpected keyword argument "shape"
    stats.norm.pdf(a, df=3.0)  # E: Argument "df" to "__call__" of "OfStandard"
    stats.norm.pdf(a, 0.0, 1.0, 2.0)  # E: Argument 4 to "__call__" of "OfStandard"
    fx.sum(stats.gamma.logpdf(a))  # E: the shape parameters of the distribution are missing
    fx.sum(stats.beta.pdf(a, a=3.0))  # E: the shape parameters of the distribution are missing
    stats.binom.pmf(2, n=3) + 1.0  # E: the shape parameters of the distribution are missing
    stats.poisson.pmf(2) + 1.0  # E: the shape parameters of the distribution are missing
    fx.sum(stats.beta.pdf(a, 3.0))  # E: the shape parameters of the distribution are missing
    stats.binom.pmf(2, 3) + 1.0  # E: the shape parameters of the distribution are missing
    stats.dirichlet.logpdf(a)  # E: Missing positional argument "alpha" in call to "dirichlet"


def several(a: Array[f32]) -> None:
    special.betainc(a, a)  # E: No overload variant of "__call__" of "OfThree"
    wide: Array[f64] = special.betainc(a, 1.0, a)  # E: Incompatible types in assignment
    quotient: Array[f64] = fx.polydiv(a, a)[0]  # E: Incompatible types in assignment


def complex_numbers(z: Array[c128]) -> None:
    special.gammaln(z)  # E: Value of type variable "D" of "gammaln" cannot be "complex128"
    special.erfinv(1j)  # E: No overload variant of "erfinv"
    special.gammainc(z, 1.0)  # E: expected "HasOperator[Measured, Callable[[float], Gives[float64, Any]]]"
    special.betainc(1.0, 1.0, 1j)  # E: No overload variant of "__call__" of "OfThree"
    special.zeta(z)  # E: of "OfZeta"
    fx.atan2(z, z)  # E: of "OfPair"
    fx.fft.rfft(z)  # E: Argument 1 to "rfft"
    fx.fft.ihfft(1j)  # E: Argument 1 to "ihfft"
    random.gamma(random.key(0), z)  # E: Argument 2 to "gamma"
    random.gamma(random.key(0), 1.0, (), fx.i32)  # E: Value of type variable "FT" of "gamma"
    random.poisson(random.key(0), 1.0, (), fx.f32)  # E: Value of type variable "IT" of "poisson"
    random.binomial(random.key(0), 3, 0.5, dtype=fx.i32)  # E: Value of type variable "FT" of "binomial"
    fx.fft.fftfreq(8, dtype=fx.i32)  # E: Value of type variable "FT" of "fftfreq"
    random.bernoulli(random.key(0), 1j)  # E: Argument 2 to "bernoulli"
    random.multivariate_normal(random.key(0), z, z)  # E: of "multivariate_normal"
