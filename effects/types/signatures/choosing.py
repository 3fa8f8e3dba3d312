"""Signatures of the choice between two arrays, and of sets of two: they meet as in `pairs`."""

# mypy: disable-error-code="overload-overlap"
# As in `pairs`.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from typing_extensions import TypeVar

from effects.types.signatures import MYPY, P, R, Signature
from effects.types.signatures.fractions import OfElements
from effects.types.signatures.pairs import FD, X, Y

if TYPE_CHECKING:
    from collections.abc import Callable

    from effects.arrays.array import Array, ArrayLike, Foreign
    from effects.arrays.operators import DT, RT, Sh
    from effects.types.dtypes import DType, i64
    from effects.types.signatures.becoming import Gives, HasChoice, Meets

    type Chosen[C, Y, D: DType, S] = HasChoice[Callable[[Y], Gives[D, Any]], Callable[[C, Y], S]]


C = TypeVar("C", bound="ArrayLike")


class OfChoice(OfElements):
    """`where`."""

    @overload
    def __call__(self, condition: C, x: Chosen[C, Y, FD, Sh], y: Y, /) -> Array[FD, Sh]: ...
    @overload
    def __call__(self, condition: C, x: X, y: Chosen[C, X, FD, Sh], /) -> Array[FD, Sh]: ...
    @overload
    def __call__(self, condition: ArrayLike, x: complex | Foreign, y: complex | Foreign, /) -> Array: ...
    @overload
    def __call__(
        self, condition: ArrayLike, /, *, size: int | None = None, fill_value: int = 0
    ) -> tuple[Array[i64], ...]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfTwoSets(Signature[P, R]):
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
    TwoSets = lambda function: OfTwoSets(function).__call__
    Choice = lambda function: OfChoice()
else:
    TwoSets = OfTwoSets

    class Choice(OfChoice, Signature[P, R]): ...
