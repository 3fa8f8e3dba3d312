"""Densities of samples: a normal distribution about each point. Names and arguments are scipy's, random ones jax's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

from effects import linalg, random, special
from effects.arguments import choice, positive, refusal, shown
from effects.arrays.array import Array, ArrayLike
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import constant_like, convert
from effects.errors import ArgumentError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic, transcendental
from effects.functions.indexing import taking
from effects.functions.manipulation import movement
from effects.functions.products import contraction
from effects.functions.reductions import exponentials, reduction
from effects.linalg.factoring import factor_of
from effects.runtime.attributes import advising
from effects.special.calling import in_double, nan_where, reals_of_any_shape
from effects.trees.registration import register
from effects.types import shapes

if TYPE_CHECKING:
    from effects.random.keys import Key
    from effects.types.signatures.creation import Sizes

type Rule = Literal["scott", "silverman"]


@advising
@final
@register
@dataclass(frozen=True)
class KernelDensity:
    """Mean of normal distributions about the points of a sample: the density that `gaussian_kde` makes, a pytree.

    Each method needs memory for all pairs of a point and an element of the sample.
    """

    dataset: Array
    """The sample, (d, n): n elements of d coordinates."""
    weights: Array
    """The weights of the elements, whose sum is 1."""
    covariance: Array
    """The covariance of each normal distribution, (d, d)."""

    @property
    def d(self) -> int:
        """Number of coordinates."""
        return self.dataset.aval.shape[0]

    @property
    def n(self) -> int:
        """Number of elements of the sample."""
        return self.dataset.aval.shape[1]

    @property
    def neff(self) -> Array:
        """Number of elements of one weight that would say as much, 1 / Σ w² (Kish, Survey sampling, 1965)."""
        return 1.0 / reduction.sum(self.weights * self.weights)

    def evaluate(self, points: ArrayLike) -> Array:
        """The density at points, (d, m), or a vector of m where d is 1, or of d coordinates of one point."""
        return self._at("evaluate", points, _density)

    __call__ = evaluate

    def pdf(self, x: ArrayLike) -> Array:
        """The density, as `evaluate` gives it."""
        return self._at("pdf", x, _density)

    def logpdf(self, x: ArrayLike) -> Array:
        """Its logarithm, also where the density underflows."""
        return self._at("logpdf", x, _log_density)

    def integrate_box_1d(self, low: ArrayLike, high: ArrayLike) -> Array:
        """The probability between two numbers, where d is 1."""
        name = "gaussian_kde.integrate_box_1d"
        if self.d != 1:
            raise ShapeError(f"{name}: the sample must have one coordinate, got {self.d}")
        arrays = reals_of_any_shape(name, low=low, high=high, dataset=self.dataset)
        for argument, array in zip(("low", "high"), arrays, strict=False):
            if array.aval.ndim:
                raise ShapeError(f"{name}: {argument} must be a number, got {array.aval}")

        def share(low: Array, high: Array, dataset: Array, weights: Array, covariance: Array) -> Array:
            deviation = transcendental.sqrt(covariance[0, 0])
            ends = [(end - dataset[0]) / deviation for end in (low, high)]
            side = logic.where(ends[0] + ends[1] > 0, -1.0, 1.0)  # the lesser tails keep their digits
            first, last = [special.ndtr(side * end) for end in ends]
            return reduction.sum(weights * (side * (last - first)))

        return in_double(share, *arrays, self.weights, self.covariance)

    def integrate_gaussian(self, mean: ArrayLike, cov: ArrayLike) -> Array:
        """∫ of the product with the normal density of this mean, (d,), and this covariance, (d, d)."""
        name = "gaussian_kde.integrate_gaussian"
        centre, spread, dataset = reals_of_any_shape(name, mean=mean, cov=cov, dataset=self.dataset)
        for argument, array, shape in (("mean", centre, (self.d,)), ("cov", spread, (self.d, self.d))):
            if array.aval.shape != shape and not (self.d == 1 and array.aval.size == 1):
                raise ShapeError(f"{name}: {argument} must have the shape {shapes.show(shape)}, got {array.aval}")

        def product(centre: Array, spread: Array, dataset: Array, weights: Array, covariance: Array) -> Array:
            both = movement.reshape(spread, covariance.aval.shape) + covariance
            return _density(movement.reshape(centre, (-1, 1)), dataset, weights, both)[0]

        return in_double(product, centre, spread, dataset, self.weights, self.covariance)

    def integrate_kde(self, other: KernelDensity) -> Array:
        """∫ of the product with another such density, of as many coordinates."""
        name = "gaussian_kde.integrate_kde"
        if not isinstance(other, KernelDensity):
            raise refusal(name, "other", "what gaussian_kde gives", other)
        if other.d != self.d:
            raise ShapeError(f"{name}: other must have {self.d} coordinates, got {other.d}")
        arrays = reals_of_any_shape(name, points=other.dataset, dataset=self.dataset)

        def product(points: Array, dataset: Array, *rest: Array) -> Array:
            weights, covariance, others, spread = rest
            return reduction.sum(others * _density(points, dataset, weights, covariance + spread))

        return in_double(product, *arrays, self.weights, self.covariance, other.weights, other.covariance)

    def resample(self, key: Key, shape: Sizes = ()) -> Array:
        """Numbers drawn from the density, (d, *shape)."""
        place, noise = random.split(key)
        sizes = shapes.static_shape("gaussian_kde.resample", shape)
        elements = random.choice(place, self.n, sizes, p=self.weights)
        factor = factor_of("gaussian_kde.resample", "the covariance of dataset", self.covariance)
        draws: Array = random.normal(noise, (self.d, *sizes), dtype=self.dataset.dtype)
        moved = contraction.tensordot(factor, draws, axes=1)
        return taking.take(self.dataset, elements, axis=1) + moved

    def _at(self, method: str, points: ArrayLike, density: Callable[[Array, Array, Array, Array], Array]) -> Array:
        name = f"gaussian_kde.{method}"
        places, dataset = reals_of_any_shape(name, points=points, dataset=self.dataset)
        shape = places.aval.shape
        one_point = shape == (self.d,) and self.d > 1
        places = movement.reshape(places, (-1, 1) if one_point else (1, -1)) if len(shape) < 2 else places
        if places.aval.ndim > 2 or places.aval.shape[0] != self.d:
            raise ShapeError(
                f"{name}: points must be [{self.d}, m], {self.d} coordinates of each, got {shapes.show(shape)}"
            )
        return in_double(density, places, dataset, self.weights, self.covariance)


def gaussian_kde(
    dataset: ArrayLike,
    bw_method: Rule | ArrayLike | Callable[[KernelDensity], ArrayLike] | None = None,
    weights: ArrayLike | None = None,
) -> KernelDensity:
    """The density of a sample: the mean of a normal distribution about each of its elements.

    `dataset` is a vector of n numbers, or (d, n). The covariance of each normal distribution is that of the sample
    times the square of a factor, by `bw_method`: "scott" (as None), n^(-1/(d + 4)); "silverman", (n (d + 2) / 4)^(-1/(d
    + 4)), both of the effective number n; a number; or a function of the density with the covariance of the sample, for
    its `neff`, `d` and `n`. A factor that is not positive gives NaN. `weights`, one for each element, count relative to
    their sum; negative ones, unless they are known, give NaN. Differentiable in all of them.

    Raises ShapeError where there are no more elements than coordinates, ArgumentError for a number that is not positive
    and for weights known to be negative; its methods raise LinearAlgebraError where the covariance is known not to be
    definite.
    (Scott, Multivariate density estimation, 1992; Silverman, Density estimation for statistics, 1986.)

    >>> import effects as fx
    >>> density = fx.stats.gaussian_kde(fx.asarray([0.0, 1.0, 3.0]))
    >>> density(1.0), density.integrate_box_1d(0.0, 2.0)
    (Array([0.21489537], float64), Array(0.41132055, float64))
    """
    sample, shares = reals_of_any_shape("gaussian_kde", dataset=dataset, weights=1.0 if weights is None else weights)
    given = sample.aval
    sample = movement.reshape(sample, (1, -1)) if given.ndim < 2 else sample
    if given.ndim > 2 or not sample.aval.shape[0] or sample.aval.shape[1] < 2:
        raise ShapeError(f"gaussian_kde: dataset must be [n] or [d, n] of two elements or more, got {given}")
    d, n = sample.aval.shape
    if n <= d:
        raise ShapeError(
            f"gaussian_kde: dataset is [d, n], so {sample.aval} is {n} elements of {d} coordinates; there must be more "
            "elements than coordinates: transpose it if its rows are the elements"
        )
    if weights is None:
        shares = creation.ones_like(sample[0])
    elif shares.aval.shape != (n,):
        raise ShapeError(f"gaussian_kde: weights must be [{n}], one of each element, got {shares.aval}")
    elif isinstance(shares, Concrete) and (shares.fetch() < 0).any():
        raise ArgumentError(f"gaussian_kde: weights must not be negative, got {shown(shares.fetch().tolist())}")
    shares = shares * nan_where(shares < 0, shares) / reduction.sum(shares)
    plain = KernelDensity(sample, shares, in_double(_covariance, sample, shares))
    factor = _factor(plain, bw_method)
    return KernelDensity(sample, shares, plain.covariance * (factor * factor))


def _factor(plain: KernelDensity, method: ArrayLike | Callable[[KernelDensity], ArrayLike] | str | None) -> Array:
    if method is None or isinstance(method, str):
        rule = choice("gaussian_kde", "bw_method", "scott" if method is None else method, Rule)
        count = plain.neff if rule == "scott" else plain.neff * ((plain.d + 2.0) / 4.0)
        return arithmetic.pow(count, constant_like(-1.0 / (plain.d + 4.0), count))
    value = method(plain) if callable(method) else method
    if isinstance(value, int | float):
        positive("gaussian_kde", "bw_method", value)
    (factor, _) = reals_of_any_shape("gaussian_kde", bw_method=value, dataset=plain.dataset)
    if factor.aval.ndim:
        raise ShapeError(f"gaussian_kde: bw_method must be or give a number, got {factor.aval}")
    return logic.where(factor > 0, convert(factor, plain.dataset.aval.dtype), math.nan)


def _covariance(dataset: Array, weights: Array) -> Array:
    """The unbiased covariance of a weighted sample."""
    moved = dataset - dataset[:, :1]  # of a sample far from 0 the mean has digits
    centred = moved - reduction.sum(weights * moved, axis=-1, keepdims=True)
    products = contraction.matmul(weights * centred, movement.matrix_transpose(centred))
    return products / (1.0 - reduction.sum(weights * weights))


def _squares(points: Array, dataset: Array, covariance: Array) -> tuple[Array, Array]:
    """-½ (p - x)ᵀ C⁻¹ (p - x) of all pairs, (m, n), and the logarithm of √((2π)ᵈ |C|)."""
    factor = factor_of("gaussian_kde", "the covariance of dataset", covariance)
    first = dataset[:, :1]  # of a sample far from 0 the differences have digits, too
    near, far = [linalg.solve_triangular(factor, v - first, lower=True) for v in (points, dataset)]
    apart = movement.expand_dims(near, axis=2) - movement.expand_dims(far, axis=1)
    volume = reduction.sum(transcendental.log(linalg.diagonal(factor)))
    return -0.5 * reduction.sum(apart * apart, axis=0), volume + 0.5 * math.log(2 * math.pi) * points.aval.shape[0]


def _density(points: Array, dataset: Array, weights: Array, covariance: Array) -> Array:
    exponents, volume = _squares(points, dataset, covariance)
    return reduction.sum(weights * transcendental.exp(exponents - volume), axis=1)


def _log_density(points: Array, dataset: Array, weights: Array, covariance: Array) -> Array:
    exponents, volume = _squares(points, dataset, covariance)
    return exponentials.logsumexp(exponents, axis=1, b=weights) - volume
