"""Signatures of the methods of distributions: x, shape parameters, and where it lies, which meet in one floating dtype.

Shape parameters may be given by name; of those that a distribution has checkers know if there are any.

Parameters that are numbers, or arrays of no axes or of x's shape, leave x its shape.
"""

# mypy: disable-error-code="overload-overlap"
# What gives `Exactly` overlaps those that know the dtype, as it is meant to.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, Required, TypedDict, TypeVar, Unpack, overload

from effects.types.signatures import Exactly, F, I, S, Shape
from effects.types.signatures.fractions import OfElements

if TYPE_CHECKING:
    from effects import stats
    from effects.arrays.array import Array, ArrayLike, Like, Scalar
    from effects.arrays.operators import DT, RT
    from effects.stats.distribution import Masses
    from effects.types.dtypes import Floating
    from effects.types.signatures.becoming import Dividing, Real
    from effects.types.signatures.refused import Missing, NoParameter, NoReal


type Some = tuple[str, *tuple[str, ...]]
type Two = tuple[str, str]

N_co = TypeVar("N_co", bound=tuple[str, ...], covariant=True)
"""The names of the shape parameters, as in `effects.stats.distribution`."""


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


class OfMasses[X](TypedDict, total=False):
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


class MassesByName[X](OfMasses[X], total=False):
    k: Required[X]
    loc: X


class QuantilesByName[X](OfDensities[X], OfMasses[X], total=False):
    q: Required[X]
    loc: X
    scale: X


class OfStandard(OfElements):
    """Of a continuous distribution without shape parameters: `norm`."""

    @overload
    def __call__[D: Floating, T: Shape](
        self, x: Array[D, T], /, loc: Array[D, T] | float = 0.0, scale: Array[D, T] | float = 1.0
    ) -> Array[D, T]: ...
    @overload
    def __call__[D: Floating, T: Shape, Z: tuple[()]](
        self, x: Array[D, T], /, loc: Array[D, Z] | float = 0.0, scale: Array[D, Z] | float = 1.0
    ) -> Array[D, T]: ...
    @overload
    def __call__[D: Floating, T: Shape, U: Shape, V: Shape](
        self, x: Array[D, T], /, loc: Array[D, U] | float = 0.0, scale: Array[D, V] | float = 1.0
    ) -> Array[D]: ...
    @overload
    def __call__[D: Floating, T: Shape, U: Shape, V: Shape](
        self, x: Array[D, T], /, loc: Array[D, U] | float = 0.0, scale: Array[D, V] | float = 1.0
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__(self, x: Array[I, S], /, loc: float = 0.0, scale: float = 1.0) -> Array[F, S]: ...
    @overload
    def __call__(self, x: float, /, loc: float = 0.0, scale: float = 1.0) -> Scalar[Any]: ...
    @overload
    def __call__[X: Real | NoReal, Y: Real | NoReal](
        self, x: X, /, loc: Y | float = 0.0, scale: Y | float = 1.0, *more: NoParameter, **unknown: NoParameter
    ) -> Array: ...
    @overload
    def __call__[X: Real](self, *, x: X | float, loc: X | float = 0.0, scale: X | float = 1.0) -> Array: ...
    @overload
    def __call__[X: Real](self, *, q: X | float, loc: X | float = 0.0, scale: X | float = 1.0) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[misc]  # it takes any arguments


class OfShaped(OfElements, Generic[N_co]):  # noqa: UP046  # as in `Signature`
    """Of one with shape parameters: `gamma`."""

    @overload
    def __call__[X: Real, Y: Real](self, x: X, /, *, loc: Y | float = 0.0, scale: Y | float = 1.0) -> Missing: ...
    @overload
    def __call__[X: Real, Y: Real, Z: Real](
        self: OfShaped[Two], x: X, /, a: Z, *, loc: Y | float = 0.0, scale: Y | float = 1.0
    ) -> Missing: ...
    @overload
    def __call__[D: Floating, T: Shape](
        self,
        x: Array[D, T],
        /,
        *shapes: Array[D, T] | float,
        loc: Array[D, T] | float = 0.0,
        scale: Array[D, T] | float = 1.0,
        **named: Unpack[OfDensities[Array[D, T] | float]],
    ) -> Array[D, T]: ...
    @overload
    def __call__[D: Floating, T: Shape, Z: tuple[()]](
        self,
        x: Array[D, T],
        /,
        *shapes: Array[D, Z] | float,
        loc: Array[D, Z] | float = 0.0,
        scale: Array[D, Z] | float = 1.0,
        **named: Unpack[OfDensities[Array[D, Z] | float]],
    ) -> Array[D, T]: ...
    @overload
    def __call__[D: Floating, T: Shape, U: Shape, V: Shape, W: Shape](
        self,
        x: Array[D, T],
        /,
        *shapes: Array[D, U] | float,
        loc: Array[D, V] | float = 0.0,
        scale: Array[D, W] | float = 1.0,
        **named: Unpack[OfDensities[Array[D, U] | float]],
    ) -> Array[D]: ...
    @overload
    def __call__[D: Floating, T: Shape, U: Shape, V: Shape, W: Shape](
        self,
        x: Array[D, T],
        /,
        *shapes: Array[D, U] | float,
        loc: Array[D, V] | float = 0.0,
        scale: Array[D, W] | float = 1.0,
        **named: Unpack[OfDensities[Array[D, U] | float]],
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__(
        self,
        x: Array[I, S],
        /,
        *shapes: float,
        loc: float = 0.0,
        scale: float = 1.0,
        **named: Unpack[OfDensities[float]],
    ) -> Array[F, S]: ...
    @overload
    def __call__(
        self, x: float, /, *shapes: float, loc: float = 0.0, scale: float = 1.0, **named: Unpack[OfDensities[float]]
    ) -> Scalar[Any]: ...
    @overload
    def __call__[X: Real | NoReal, Y: Real | NoReal](
        self,
        x: X,
        /,
        *shapes: Y | float,
        loc: Y | float = 0.0,
        scale: Y | float = 1.0,
        **named: Unpack[OfDensities[Y | float]],
    ) -> Array: ...
    @overload
    def __call__[Y: Real](self, **named: Unpack[DensitiesByName[Y | float]]) -> Array: ...
    @overload
    def __call__[Y: Real](self, **named: Unpack[QuantilesByName[Y | float]]) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfUnsaid(OfElements):
    """Of one of which nothing is known."""

    def __call__(self, *values: Real, **named: Real) -> Array:
        raise NotImplementedError


class OfCounts(OfElements, Generic[N_co]):  # noqa: UP046  # as above
    """Of distributions of whole numbers, which have shape parameters."""

    @overload
    def __call__[X: Real, Y: Real](self, k: X, /, *, loc: Y | float = 0.0) -> Missing: ...
    @overload
    def __call__[X: Real, Y: Real, Z: Real](self: OfCounts[Two], k: X, /, n: Z, *, loc: Y | float = 0.0) -> Missing: ...
    @overload
    def __call__[D: Floating, T: Shape](
        self,
        k: Array[D, T],
        /,
        *shapes: Array[D, T] | float,
        loc: Array[D, T] | float = 0.0,
        **named: Unpack[OfMasses[Array[D, T] | float]],
    ) -> Array[D, T]: ...
    @overload
    def __call__[D: Floating, T: Shape, Z: tuple[()]](
        self,
        k: Array[D, T],
        /,
        *shapes: Array[D, Z] | float,
        loc: Array[D, Z] | float = 0.0,
        **named: Unpack[OfMasses[Array[D, Z] | float]],
    ) -> Array[D, T]: ...
    @overload
    def __call__[D: Floating, T: Shape, U: Shape, V: Shape](
        self,
        k: Array[D, T],
        /,
        *shapes: Array[D, U] | float,
        loc: Array[D, V] | float = 0.0,
        **named: Unpack[OfMasses[Array[D, U] | float]],
    ) -> Array[D]: ...
    @overload
    def __call__[D: Floating, T: Shape, U: Shape, V: Shape](
        self,
        k: Array[D, T],
        /,
        *shapes: Array[D, U] | float,
        loc: Array[D, V] | float = 0.0,
        **named: Unpack[OfMasses[Array[D, U] | float]],
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__(
        self, k: Array[I, S], /, *shapes: float, loc: float = 0.0, **named: Unpack[OfMasses[float]]
    ) -> Array[F, S]: ...
    @overload
    def __call__(
        self, k: float, /, *shapes: float, loc: float = 0.0, **named: Unpack[OfMasses[float]]
    ) -> Scalar[Any]: ...
    @overload
    def __call__[X: Real | NoReal, Y: Real | NoReal](
        self, k: X, /, *shapes: Y | float, loc: Y | float = 0.0, **named: Unpack[OfMasses[Y | float]]
    ) -> Array: ...
    @overload
    def __call__[Y: Real](self, **named: Unpack[MassesByName[Y | float]]) -> Array: ...
    @overload
    def __call__[Y: Real](self, **named: Unpack[QuantilesByName[Y | float]]) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfContinuous:
    """A method of a continuous distribution, by its shape parameters."""

    @overload
    def __get__(self, family: stats.Continuous[tuple[()]], owner: object) -> OfStandard: ...
    @overload
    def __get__[N: Some](self, family: stats.Continuous[N], owner: object) -> OfShaped[N]: ...
    @overload
    def __get__(self, family: object, owner: object) -> OfUnsaid: ...
    def __get__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfDiscrete:
    """A method of a discrete distribution, by its shape parameters."""

    def __get__[N: tuple[str, ...]](self, family: Masses[N], owner: object) -> OfCounts[N]:
        raise NotImplementedError


continuous: Final = OfContinuous()
discrete: Final = OfDiscrete()


def dirichlet(x: Like[DT], alpha: Dividing[DT, RT]) -> Array[RT]:
    """Of the Dirichlet distribution."""
    raise NotImplementedError


def multinomial(x: Like[DT], n: ArrayLike, p: Dividing[DT, RT]) -> Array[RT]:
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
def multivariate_normal(*args: Any, **kwargs: Any) -> Any:
    """Of the normal distribution of vectors."""
