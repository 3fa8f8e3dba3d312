"""Signatures of the methods of distributions: x, shape parameters, and where it lies, which meet in one floating dtype.

Shape parameters may be given by name; which ones a distribution has checkers do not know.

Parameters that are numbers, or arrays of no axes or of x's shape, leave x its shape.
"""

# mypy: disable-error-code="overload-overlap"
# What gives `Exactly` overlaps those that know the dtype, as it is meant to.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Required, TypedDict, Unpack, overload

from effects.types.signatures import Exactly, F, I, S, Shape

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Scalar
    from effects.types.dtypes import Floating
    from effects.types.signatures.becoming import Real


class OfDensities[X](TypedDict, total=False):
    """The shape parameters that there are, by their names."""

    a: X
    b: X
    beta: X
    c: X
    df: X
    dfd: X
    dfn: X
    kappa: X
    s: X


class OfCounts[X](TypedDict, total=False):
    """Those of whole numbers."""

    a: X
    b: X
    mu: X
    n: X
    p: X


class DensitiesByName[X](OfDensities[X], total=False):
    """Signatures of densities whose argument may be named."""

    x: Required[X]
    loc: X
    scale: X


class CountsByName[X](OfCounts[X], total=False):
    k: Required[X]
    loc: X


class QuantilesByName[X](OfDensities[X], OfCounts[X], total=False):
    q: Required[X]
    loc: X
    scale: X


@overload
def continuous[D: Floating, T: Shape](
    x: Array[D, T],
    /,
    *shapes: Array[D, T] | float,
    loc: Array[D, T] | float = 0.0,
    scale: Array[D, T] | float = 1.0,
    **named: Unpack[OfDensities[Array[D, T] | float]],
) -> Array[D, T]: ...
@overload
def continuous[D: Floating, T: Shape, Z: tuple[()]](
    x: Array[D, T],
    /,
    *shapes: Array[D, Z] | float,
    loc: Array[D, Z] | float = 0.0,
    scale: Array[D, Z] | float = 1.0,
    **named: Unpack[OfDensities[Array[D, Z] | float]],
) -> Array[D, T]: ...
@overload
def continuous[D: Floating, T: Shape, U: Shape, V: Shape, W: Shape](
    x: Array[D, T],
    /,
    *shapes: Array[D, U] | float,
    loc: Array[D, V] | float = 0.0,
    scale: Array[D, W] | float = 1.0,
    **named: Unpack[OfDensities[Array[D, U] | float]],
) -> Array[D]: ...
@overload
def continuous[D: Floating, T: Shape, U: Shape, V: Shape, W: Shape](
    x: Array[D, T],
    /,
    *shapes: Array[D, U] | float,
    loc: Array[D, V] | float = 0.0,
    scale: Array[D, W] | float = 1.0,
    **named: Unpack[OfDensities[Array[D, U] | float]],
) -> Array[Exactly[D]]: ...
@overload
def continuous(
    x: Array[I, S], /, *shapes: float, loc: float = 0.0, scale: float = 1.0, **named: Unpack[OfDensities[float]]
) -> Array[F, S]: ...
@overload
def continuous(
    x: float, /, *shapes: float, loc: float = 0.0, scale: float = 1.0, **named: Unpack[OfDensities[float]]
) -> Scalar[Any]: ...
@overload
def continuous[X: Real, Y: Real](
    x: X, /, *shapes: Y | float, loc: Y | float = 0.0, scale: Y | float = 1.0, **named: Unpack[OfDensities[Y | float]]
) -> Array: ...
@overload
def continuous[Y: Real](**named: Unpack[DensitiesByName[Y | float]]) -> Array: ...
@overload
def continuous[Y: Real](**named: Unpack[QuantilesByName[Y | float]]) -> Array: ...
def continuous(
    x: object = 0.0, /, *shapes: object, loc: object = 0.0, scale: object = 1.0, **named: object
) -> NoReturn:
    """Of continuous distributions."""
    raise NotImplementedError


@overload
def discrete[D: Floating, T: Shape](
    k: Array[D, T],
    /,
    *shapes: Array[D, T] | float,
    loc: Array[D, T] | float = 0.0,
    **named: Unpack[OfCounts[Array[D, T] | float]],
) -> Array[D, T]: ...
@overload
def discrete[D: Floating, T: Shape, Z: tuple[()]](
    k: Array[D, T],
    /,
    *shapes: Array[D, Z] | float,
    loc: Array[D, Z] | float = 0.0,
    **named: Unpack[OfCounts[Array[D, Z] | float]],
) -> Array[D, T]: ...
@overload
def discrete[D: Floating, T: Shape, U: Shape, V: Shape](
    k: Array[D, T],
    /,
    *shapes: Array[D, U] | float,
    loc: Array[D, V] | float = 0.0,
    **named: Unpack[OfCounts[Array[D, U] | float]],
) -> Array[D]: ...
@overload
def discrete[D: Floating, T: Shape, U: Shape, V: Shape](
    k: Array[D, T],
    /,
    *shapes: Array[D, U] | float,
    loc: Array[D, V] | float = 0.0,
    **named: Unpack[OfCounts[Array[D, U] | float]],
) -> Array[Exactly[D]]: ...
@overload
def discrete(k: Array[I, S], /, *shapes: float, loc: float = 0.0, **named: Unpack[OfCounts[float]]) -> Array[F, S]: ...
@overload
def discrete(k: float, /, *shapes: float, loc: float = 0.0, **named: Unpack[OfCounts[float]]) -> Scalar[Any]: ...
@overload
def discrete[X: Real, Y: Real](
    k: X, /, *shapes: Y | float, loc: Y | float = 0.0, **named: Unpack[OfCounts[Y | float]]
) -> Array: ...
@overload
def discrete[Y: Real](**named: Unpack[CountsByName[Y | float]]) -> Array: ...
@overload
def discrete[Y: Real](**named: Unpack[QuantilesByName[Y | float]]) -> Array: ...
def discrete(k: object = 0.0, /, *shapes: object, loc: object = 0.0, **named: object) -> NoReturn:
    """Of distributions of whole numbers."""
    raise NotImplementedError


@overload
def dirichlet[D: Floating, S: Shape, T: Shape](x: Array[D, S], alpha: Array[D, T]) -> Array[D]: ...
@overload
def dirichlet[X: ArrayLike, Y: ArrayLike](x: X, alpha: Y) -> Array: ...
def dirichlet(x: object, alpha: object) -> NoReturn:
    """Of the Dirichlet distribution."""
    raise NotImplementedError


@overload
def multinomial[D: Floating, S: Shape, T: Shape](x: Array[D, S], n: float, p: Array[D, T]) -> Array[D]: ...
@overload
def multinomial[X: ArrayLike, Y: ArrayLike, Z: ArrayLike](x: X, n: Y, p: Z) -> Array: ...
def multinomial(x: object, n: object, p: object) -> NoReturn:
    """Of the multinomial distribution."""
    raise NotImplementedError


@overload
def multivariate_normal[D: Floating, S: Shape, T: Shape, U: Shape](
    x: Array[D, S], mean: Array[D, T], cov: Array[D, U]
) -> Array[D]: ...
@overload
def multivariate_normal[D: Floating, S: Shape, U: Shape](x: Array[D, S], mean: float, cov: Array[D, U]) -> Array[D]: ...
@overload
def multivariate_normal[X: ArrayLike, Y: ArrayLike, Z: ArrayLike](x: X, mean: Y, cov: Z) -> Array: ...
def multivariate_normal(x: object, mean: object, cov: object) -> NoReturn:
    """Of the normal distribution of vectors."""
    raise NotImplementedError
