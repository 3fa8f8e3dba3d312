"""Signatures of the functions and operators that act on pairs of elements, of `where`, and of sets of two.

Two dtypes meet in the one that `promote` says, of which a kind of functions says what it becomes; Python numbers adopt
an array's where their kind is not greater. Arrays of one shape keep it, also beside arrays of rank 0; what others
broadcast to is not said.

Of a family of dtypes, in functions that are generic in one, an array is known to keep it beside itself.
"""

# mypy: disable-error-code="overload-overlap"
# What becomes of a dtype beside another one overlaps what keeps it, and says the same there.
# As in `pairs`.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, overload

from typing_extensions import TypeVar

from effects.types import kinds
from effects.types.signatures import MYPY, P, R, Shape, Signature
from effects.types.signatures.fractions import OfElements

if TYPE_CHECKING:
    from collections.abc import Callable

    from effects.arrays.array import Array, ArrayLike, Foreign
    from effects.arrays.operators import DT, RT, Sh
    from effects.types.dtypes import DType, bool_, f64, i64
    from effects.types.signatures.becoming import Gives, HasChoice, HasOperator, Meets
    from effects.types.signatures.refused import NoArray

    type Zero = tuple[()]
    type Chosen[C, Y, D: DType, S] = HasChoice[Callable[[Y], Gives[D, Any]], Callable[[C, Y], S]]

K_co = TypeVar("K_co", covariant=True)
"""The kind of the functions, which is one of several kinds."""
N = TypeVar("N")
X = TypeVar("X", bound="complex | Foreign | NoArray")
Y = TypeVar("Y", bound="ArrayLike | NoArray")
C = TypeVar("C", bound="ArrayLike")
FD = TypeVar("FD", bound="DType", default="f64")
"""The dtype of a result: float64, or the one declared for it, where arguments leave that open."""


class OfPair(Generic[K_co, N]):  # noqa: UP046  # as in `Signature`
    """Two arguments that meet in one dtype: `add`. They are arrays, or numbers `N`.

    What they give is what the operator of an array says of the other argument (`Array._operator`): of an overloaded
    object that an argument has checkers take the overload that fits a parameter's type. The function's own are few:
    mypy reads the arguments once more for each where something is unknown.
    """

    @overload
    def __call__(self, x: HasOperator[K_co, Callable[[Y], Gives[FD, Sh]]], y: Y, /) -> Array[FD, Sh]: ...
    @overload
    def __call__(self, x: X, y: HasOperator[K_co, Callable[[X], Gives[FD, Sh]]], /) -> Array[FD, Sh]: ...
    @overload
    def __call__(self, x: N | Foreign, y: N | Foreign, /) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfSlopes(OfPair[K_co, N], OfElements):
    """Two arguments, along each of which there is a gradient: `add`, `gammainc`."""


class OfComparison(Signature[P, R]):
    """A question to every pair of elements: `less`, `logical_and`."""

    @overload
    def __call__[D: DType, E: DType, S: Shape](
        self, x: Array[D, S], y: Array[E, S] | complex, /
    ) -> Array[bool_, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](self, x: Array[D, S], y: Array[E, Z], /) -> Array[bool_, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](
        self, x: Array[D, Z] | complex, y: Array[E, S], /
    ) -> Array[bool_, S]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike](self, x: X, y: Y, /) -> Array[bool_]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


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
    Arithmetic = lambda function: OfSlopes[kinds.Kept, complex]()
    Quotient = lambda function: OfSlopes[kinds.Counted, complex]()
    Division = lambda function: OfSlopes[kinds.Divided, complex]()
    Bitwise = lambda function: OfPair[kinds.Bitwise, int]().__call__
    Comparison = lambda function: OfComparison(function).__call__
    Reals = lambda function: OfSlopes[kinds.Measured, float]()
    TwoSets = lambda function: OfTwoSets(function).__call__
    Choice = lambda function: OfChoice()
else:
    Comparison = OfComparison
    TwoSets = OfTwoSets

    class Arithmetic(OfSlopes[kinds.Kept, complex], Signature[P, R]): ...

    class Quotient(OfSlopes[kinds.Counted, complex], Signature[P, R]): ...

    class Division(OfSlopes[kinds.Divided, complex], Signature[P, R]): ...

    class Bitwise(OfPair[kinds.Bitwise, int], Signature[P, R]): ...

    class Reals(OfSlopes[kinds.Measured, float], Signature[P, R]): ...

    class Choice(OfChoice, Signature[P, R]): ...
