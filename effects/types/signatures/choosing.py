"""Signatures of the choice between two arrays, and of sets of two: they meet as in `pairs`."""

# mypy: disable-error-code="overload-overlap"
# As in `pairs`.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from effects.types.signatures import MYPY, F, I, P, R, S, Shape, Signature
from effects.types.signatures.fractions import OfElements

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Foreign
    from effects.arrays.operators import DT, RT
    from effects.types.dtypes import DType, Inexact, Num, bool_, i64
    from effects.types.signatures.becoming import ArrayOf, FloatingNumber, ImaginaryNumber, Meets, WithComplexes
    from effects.types.signatures.refused import NoArray

    type Zero = tuple[()]


class OfChoice(OfElements):
    """`where`."""

    @overload
    def __call__[C: DType, D: DType, S: Shape](
        self, condition: Array[C, S] | bool, x: ArrayOf[D, S], y: ArrayOf[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: DType, D: DType, E: DType, S: Shape](
        self, condition: Array[C, S] | bool, x: Array[D, S], y: Meets[D, E, S], /
    ) -> Array[E, S]: ...
    @overload
    def __call__[C: DType, D: DType, E: DType, S: Shape, Z: Zero](
        self, condition: Array[C, S] | bool, x: Array[D, S], y: Meets[D, E, Z], /
    ) -> Array[E, S]: ...
    @overload
    def __call__[C: DType, D: DType, E: DType, S: Shape, Z: Zero](
        self, condition: Array[C, S] | bool, x: Array[D, Z], y: Meets[D, E, S], /
    ) -> Array[E, S]: ...
    @overload
    def __call__[C: DType, D: DType, E: DType, S: Shape, Z: Zero](
        self, condition: Array[C, Z], x: Array[D, S], y: Meets[D, E, S], /
    ) -> Array[E, S]: ...
    @overload
    def __call__[C: ArrayLike, D: DType, E: DType, S: Shape, T: Shape](
        self, condition: C, x: Array[D, S], y: Meets[D, E, T], /
    ) -> Array[E]: ...
    @overload
    def __call__[C: DType, D: Num, S: Shape](
        self, condition: Array[C, S] | bool, x: Array[D, S], y: int, /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: ArrayLike, D: Num, S: Shape](self, condition: C, x: Array[D, S], y: int, /) -> Array[D]: ...
    @overload
    def __call__[C: DType, D: Inexact, S: Shape](
        self, condition: Array[C, S] | bool, x: Array[D, S], y: float, /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: ArrayLike, D: Inexact, S: Shape](self, condition: C, x: Array[D, S], y: float, /) -> Array[D]: ...
    @overload
    def __call__[C: DType, D: Num, S: Shape](
        self, condition: Array[C, S] | bool, x: int, y: Array[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: ArrayLike, D: Num, S: Shape](self, condition: C, x: int, y: Array[D, S], /) -> Array[D]: ...
    @overload
    def __call__[C: DType, D: Inexact, S: Shape](
        self, condition: Array[C, S] | bool, x: float, y: Array[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: ArrayLike, D: Inexact, S: Shape](self, condition: C, x: float, y: Array[D, S], /) -> Array[D]: ...
    @overload
    def __call__[C: ArrayLike, S: Shape](self, condition: C, x: Array[bool_, S], y: int, /) -> Array: ...
    @overload
    def __call__(self, condition: ArrayLike, x: Array[I, S], y: FloatingNumber, /) -> Array[F]: ...
    @overload
    def __call__[C: ArrayLike, D: DType, S: Shape](
        self, condition: C, x: WithComplexes[D, S], y: ImaginaryNumber, /
    ) -> Array[D]: ...
    @overload
    def __call__[C: ArrayLike, S: Shape](self, condition: C, x: int, y: Array[bool_, S], /) -> Array: ...
    @overload
    def __call__(self, condition: ArrayLike, x: FloatingNumber, y: Array[I, S], /) -> Array[F]: ...
    @overload
    def __call__[C: ArrayLike, D: DType, S: Shape](
        self, condition: C, x: ImaginaryNumber, y: WithComplexes[D, S], /
    ) -> Array[D]: ...
    @overload
    def __call__[C: ArrayLike, X: ArrayLike](
        self, condition: C, x: complex | Foreign, y: complex | Foreign, /
    ) -> Array: ...
    @overload
    def __call__[C: ArrayLike, D: DType, S: Shape](
        self, condition: C, x: Array[D, S], y: Foreign | NoArray, /
    ) -> Array: ...
    @overload
    def __call__[C: ArrayLike, D: DType, S: Shape](
        self, condition: C, x: Foreign | NoArray, y: Array[D, S], /
    ) -> Array: ...
    @overload
    def __call__[C: ArrayLike](
        self, condition: C, /, *, size: int | None = None, fill_value: int = 0
    ) -> tuple[Array[i64], ...]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfTwoSets:
    """Two sets of one dtype, of which a third one is made: `union1d`."""

    def __call__(
        self,
        x1: Array[DT] | complex | Foreign,
        x2: Meets[DT, RT, Any] | complex | Foreign,
        /,
        *,
        size: int | None = None,
        fill_value: ArrayLike | None = None,
    ) -> Array[RT]:
        raise NotImplementedError


if MYPY:
    TwoSets = lambda function: OfTwoSets().__call__
    Choice = lambda function: OfChoice().__call__
else:

    class Choice(OfChoice, Signature[P, R]): ...

    class TwoSets(OfTwoSets, Signature[P, R]): ...
