"""Distributions of vectors, under scipy's names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from effects import linalg, special
from effects.arrays.array import Array, ArrayLike
from effects.errors import ShapeError
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.manipulation import movement
from effects.functions.products import contraction
from effects.functions.reductions import reduction
from effects.linalg.factoring import factor_of
from effects.special.calling import in_double, reals_of_any_shape
from effects.stats import densities
from effects.stats.advice import Advising
from effects.stats.densities import Power
from effects.stats.standard import naming
from effects.types.shapes import broadcast_named
from effects.types.signatures import Call, typed_as

_MOST: Final = 709.0
"""Beyond, the exponential overflows."""
_MODERATE: Final = 300.0
"""So large may logarithms of factors be that are multiplied."""

if TYPE_CHECKING:
    from effects.types.signatures import distributions


@final
@dataclass(frozen=True, repr=False)
class Dirichlet(Advising):
    """Positive numbers with the sum 1, along the last axis; `alpha` has as many parameters.

    >>> import effects as fx
    >>> fx.stats.dirichlet.logpdf(fx.asarray([0.2, 0.8]), fx.asarray([1.0, 2.0]))
    Array(0.47000363, float64)
    """

    name: str = "dirichlet"

    @typed_as(lambda: Call(distributions.dirichlet))
    @naming
    def logpdf(self, x: ArrayLike, alpha: ArrayLike) -> Array:
        """The logarithm of the density; -∞ where x is not positive or does not sum to 1, NaN where alpha is not."""
        return in_double(lambda x, alpha: _dirichlet(x, alpha, True), *_shares("dirichlet.logpdf", x, alpha))

    @typed_as(lambda: Call(distributions.dirichlet))
    @naming
    def pdf(self, x: ArrayLike, alpha: ArrayLike) -> Array:
        """The density."""
        return in_double(lambda x, alpha: _dirichlet(x, alpha, False), *_shares("dirichlet.pdf", x, alpha))


def _shares(function: str, x: ArrayLike, alpha: ArrayLike) -> list[Array]:
    arrays = reals_of_any_shape(function, x=x, alpha=alpha)
    _check_vectors(function, x=arrays[0], alpha=arrays[1])
    return arrays


def _check_vectors(function: str, **arrays: Array) -> None:
    """Raise ShapeError unless two arrays have vectors of one length."""
    for name, array in arrays.items():
        if not array.aval.ndim:
            raise ShapeError(f"{function}: {name} must be a vector, got {array.aval}")
    (first, n), (second, m) = [(name, array.aval.shape[-1]) for name, array in arrays.items()]
    if n != m:
        raise ShapeError(f"{function}: {first} has vectors of {n} elements, {second} of {m}")


def _dirichlet(x: Array, alpha: Array, log: bool) -> Array:
    norm = reduction.sum(special.gammaln(alpha), axis=-1) - special.gammaln(reduction.sum(alpha, axis=-1))
    powers = Power(x, alpha - 1.0)
    if log:
        value = reduction.sum(powers.logarithm(), axis=-1) - norm
    else:
        edge = powers.vanishes()
        sizes = reduction.sum(unary.abs(powers.logarithm(unless=edge)), axis=-1)
        moderate = logic.logical_and(sizes < _MODERATE, unary.abs(norm) < _MODERATE)
        plain = logic.logical_or(edge, movement.expand_dims(moderate, -1))
        inner = reduction.sum(powers.logarithm(unless=plain), axis=-1) - norm
        inner = logic.where(reduction.any(edge, axis=-1), arithmetic.minimum(inner, _MOST), inner)
        value = reduction.prod(powers.value(only=plain), axis=-1) * transcendental.exp(inner)
    sums = unary.abs(reduction.sum(x, axis=-1) - 1.0) < 1e-5
    inside = logic.logical_and(reduction.all(x >= 0, axis=-1), sums)
    value = logic.where(inside, value, -math.inf if log else 0.0)
    return logic.where(reduction.all(alpha > 0, axis=-1), value, math.nan)


@final
@dataclass(frozen=True, repr=False)
class Multinomial(Advising):
    """Counts of several outcomes in `n` trials, along the last axis; `p` has their probabilities.

    >>> import effects as fx
    >>> fx.stats.multinomial.pmf(fx.asarray([1, 2]), 3, fx.asarray([0.25, 0.75]))
    Array(0.421875, float64)
    """

    name: str = "multinomial"

    @typed_as(lambda: Call(distributions.multinomial))
    @naming
    def logpmf(self, x: ArrayLike, n: ArrayLike, p: ArrayLike) -> Array:
        """The logarithm of the probability; -∞ where x does not count n trials, NaN where n or p are not valid."""
        return in_double(_multinomial, *_counts("multinomial.logpmf", x, n, p))

    @typed_as(lambda: Call(distributions.multinomial))
    @naming
    def pmf(self, x: ArrayLike, n: ArrayLike, p: ArrayLike) -> Array:
        """The probability."""
        arrays = _counts("multinomial.pmf", x, n, p)
        return in_double(lambda *v: transcendental.exp(_multinomial(*v)), *arrays)


def _counts(function: str, x: ArrayLike, n: ArrayLike, p: ArrayLike) -> list[Array]:
    counts, trials, chances = reals_of_any_shape(function, x=x, n=n, p=p)
    _check_vectors(function, x=counts, p=chances)
    lanes = [a.aval.shape[:-1] for a in (counts, chances)]
    broadcast_named(function, dict(zip(("x", "n", "p"), (lanes[0], trials.aval.shape, lanes[1]), strict=True)))
    return [counts, trials, chances]


def _multinomial(x: Array, n: Array, p: Array) -> Array:
    proper = reduction.all((x >= 0) & (unary.floor(x) == x), axis=-1) & (reduction.sum(x, axis=-1) == n)
    counted = unary.floor(logic.where(movement.expand_dims(proper, axis=-1), x, 0.0))
    value = logic.where(proper, densities.multinomial(counted, n, p), -math.inf)
    chances = reduction.all(p >= 0, axis=-1) & (unary.abs(reduction.sum(p, axis=-1) - 1.0) < 1e-6)
    valid = chances & (n >= 0) & (unary.floor(n) == n)
    return logic.where(valid & ~reduction.any(unary.isnan(x), axis=-1), value, math.nan)


@final
@dataclass(frozen=True, repr=False)
class MultivariateNormal(Advising):
    """Normal vectors, along the last axis, of this mean and this covariance, which must be definite.

    >>> import effects as fx
    >>> covariance = fx.asarray([[2.0, 0.5], [0.5, 1.0]])
    >>> fx.stats.multivariate_normal.logpdf(fx.asarray([0.0, 1.0]), fx.asarray([0.0, 0.0]), covariance)
    Array(-2.68911353, float64)
    """

    name: str = "multivariate_normal"

    @typed_as(lambda: Call(distributions.multivariate_normal))
    @naming
    def logpdf(self, x: ArrayLike, mean: ArrayLike, cov: ArrayLike) -> Array:
        """The logarithm of the density, in the dtype of the arguments."""
        return in_double(_multivariate_normal, *_normal("multivariate_normal.logpdf", x, mean, cov))

    @typed_as(lambda: Call(distributions.multivariate_normal))
    @naming
    def pdf(self, x: ArrayLike, mean: ArrayLike, cov: ArrayLike) -> Array:
        """The density."""
        arrays = _normal("multivariate_normal.pdf", x, mean, cov)
        return in_double(lambda *v: transcendental.exp(_multivariate_normal(*v)), *arrays)


def _normal(name: str, x: ArrayLike, mean: ArrayLike, cov: ArrayLike) -> list[Array]:
    value, centre, spread = arrays = reals_of_any_shape(name, x=x, mean=mean, cov=cov)
    n = spread.aval.shape[-1] if spread.aval.ndim > 1 else 0
    if not n or spread.aval.shape[-2] != n:
        raise ShapeError(f"{name}: cov must have square matrices, got {spread.aval}")
    for argument, array in (("x", value), ("mean", centre)):
        if array.aval.shape[-1:] not in ((n,), (1,)):
            raise ShapeError(f"{name}: {argument} must have vectors of {n} elements, got {array.aval}")
    return arrays


def _multivariate_normal(x: Array, mean: Array, cov: Array) -> Array:
    factor = factor_of("multivariate_normal.logpdf", "cov", cov)
    moved = movement.expand_dims(x - mean, axis=-1)
    lanes = moved.aval.shape[:-2]
    wide = movement.broadcast_to(factor, (*lanes, *factor.aval.shape[-2:])) if factor.aval.ndim == 2 else factor
    whitened = linalg.solve_triangular(wide, moved, lower=True)
    square = reduction.sum(contraction.vecdot(whitened, whitened, axis=-2), axis=-1)
    logarithm = reduction.sum(transcendental.log(linalg.diagonal(factor)), axis=-1)
    n = cov.aval.shape[-1]
    return -0.5 * square - logarithm - 0.5 * n * math.log(2 * math.pi)


dirichlet = Dirichlet()
multinomial = Multinomial()
multivariate_normal = MultivariateNormal()
