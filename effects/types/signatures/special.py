"""Signatures of functions of two to four real arguments, which meet in one floating dtype.

To mypy they are objects, as what `fractions` has.
"""

# mypy: disable-error-code="overload-overlap"
# As in `pairs`.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from effects.types.signatures import MYPY, Exactly, F, I, P, R, S, Shape, Signature
from effects.types.signatures.fractions import OfElements

if TYPE_CHECKING:
    from effects.arrays.array import Array, Foreign, Scalar
    from effects.types.dtypes import Floating
    from effects.types.signatures.becoming import Real


class OfZeta(OfElements):
    """`zeta`, whose second argument may be left out."""

    @overload
    def __call__[D: Floating, S: Shape](
        self, x: Array[D, S], q: Array[D, S] | float | None = None, /
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: Floating, S: Shape](self, x: float, q: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: Array[I, S], q: float | None = None, /) -> Array[F, S]: ...
    @overload
    def __call__(self, x: float, q: float | None = None, /) -> Scalar[Any]: ...
    @overload
    def __call__[X: Real, Y: Real](self, x: X, q: Y | None = None, /) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfThree(OfElements):
    """Three arguments: `betainc`."""

    @overload
    def __call__[D: Floating, S: Shape](
        self, a: Array[D, S] | float, b: Array[D, S] | float, x: Array[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: Floating, S: Shape](self, a: Array[D, S] | float, b: Array[D, S], x: float, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Floating, S: Shape](self, a: Array[D, S], b: float, x: float, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Floating, S: Shape, T: Shape, U: Shape](
        self, a: Array[D, S] | float, b: Array[D, T] | float, x: Array[D, U], /
    ) -> Array[D]: ...
    @overload
    def __call__[D: Floating, S: Shape, T: Shape, U: Shape](
        self, a: Array[D, S] | float, b: Array[D, T] | float, x: Array[D, U], /
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__(self, a: float, b: float, x: float, /) -> Scalar[Any]: ...
    @overload
    def __call__[X: Real, Y: Real](self, a: X | float, b: X | float, x: Y, /) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfFour(OfElements):
    """Four arguments: `hyp2f1`."""

    @overload
    def __call__[D: Floating, S: Shape](
        self, a: Array[D, S] | float, b: Array[D, S] | float, c: Array[D, S] | float, x: Array[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: Floating, S: Shape, T: Shape, U: Shape, V: Shape](
        self, a: Array[D, S] | float, b: Array[D, T] | float, c: Array[D, U] | float, x: Array[D, V], /
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__(self, a: float, b: float, c: float, x: float, /) -> Scalar[Any]: ...
    @overload
    def __call__[X: Real, Y: Real](self, a: X | float, b: X | float, c: X | float, x: Y, /) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfDimension(OfElements):
    """`multigammaln`."""

    @overload
    def __call__[D: Floating, S: Shape](self, a: Array[D, S], d: int) -> Array[D, S]: ...
    @overload
    def __call__(self, a: Array[I, S], d: int) -> Array[F, S]: ...
    @overload
    def __call__(self, a: float, d: int) -> Scalar[Any]: ...
    @overload
    def __call__(self, a: Foreign, d: int) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


if MYPY:
    Zeta = lambda function: OfZeta()
    Three = lambda function: OfThree()
    Four = lambda function: OfFour()
    Dimension = lambda function: OfDimension()
else:

    class Zeta(OfZeta, Signature[P, R]): ...

    class Three(OfThree, Signature[P, R]): ...

    class Four(OfFour, Signature[P, R]): ...

    class Dimension(OfDimension, Signature[P, R]): ...
