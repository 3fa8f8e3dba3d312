"""Signatures of operators: those of their functions, for an array on the left.

They are functions, or what gives some for the operand that has the operator: type checkers bind nothing else to it.
"""

# mypy: disable-error-code="overload-overlap"
# As in `pairs`.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Never, Protocol, overload

from typing_extensions import TypeVar

from effects.types import kinds
from effects.types.signatures import MYPY, F, I, S, Shape
from effects.types.signatures.attributes import HasOperand, Nothing, Nowhere, Operand, Sized
from effects.types.signatures.pairs import K_co

if TYPE_CHECKING:
    import numpy.typing as npt

    from effects.arrays.array import Array, ArrayLike, Foreign
    from effects.types.dtypes import DType, Floating, Inexact, Integer, Num, bool_, i64
    from effects.types.signatures.becoming import (
        ArrayOf,
        Beside,
        Broadcasts,
        Complexes,
        Discrete,
        Extends,
        FloatingNumber,
        HasBits,
        HasReals,
        ImaginaryNumber,
        Rowless,
    )
    from effects.types.signatures.refused import NoArray, NoBits

    type Zero = tuple[()]

    if MYPY:
        type Fractions = kinds.Complexes
    else:  # pyright, which takes the last definition, has `Operator` alone
        type Fractions = Never

X = TypeVar("X", bound="DType")
Y = TypeVar("Y", bound="tuple[Any, ...]")
W = TypeVar("W", bound="tuple[Any, ...]")
Q_co = TypeVar("Q_co", default=object, covariant=True)


class DiscreteBeside[S, T: tuple[Any, ...]](Protocol):
    """An array of integers or bools that beside one of shape `S` has the shape `T`, as `Broadcasts`."""

    @property
    def _element(self) -> Integer | bool_: ...
    def _beside(self, shape: S, /) -> T: ...


class OfComplexes[E: DType, S: Shape](Protocol):
    """An operator that takes complex numbers, with `E` and the shape `S` as the result."""

    @property
    def _kind(self) -> kinds.Complexes: ...
    @property
    def _element(self) -> Complexes[E]: ...
    def _sized(self, shape: S, /) -> Any: ...


class OfUnmet[D: DType, S: Shape](Protocol):
    """An operator that takes arrays of its own dtype `D`, of a family, and gives them."""

    @property
    def _kind(self) -> kinds.Numeric: ...
    @property
    def _element(self) -> Rowless: ...
    def _pin(self, dtype: D, shape: S, /) -> Any: ...


class Undecided[S: Shape]:
    """An array of shape `S` in the default float, which the function that asks says: it fits each dtype.

    There is none at run time, as there are no operators of this kind: their members are for type checkers.
    """

    def _pin[D: DType](self, dtype: D, shape: S, /) -> tuple[D, S]:
        raise NotImplementedError


class Inquiry:
    """The purpose of an operator that a function asks what it gives."""


class Operator(Generic[K_co, X, Y, Q_co]):  # noqa: UP046  # as in `Signature`
    """An operator of an array of dtype `X` and shape `Y`, which is on the left: as in `OfPair`.

    Of a known dtype one overload has type variables in its parameter: mypy reads an operand once for each of these, and
    so does each of its own operators.
    """

    @property
    def _kind(self) -> K_co:
        raise NotImplementedError

    @property
    def _purpose(self) -> Q_co:
        raise NotImplementedError

    @property
    def _element(self) -> X:
        raise NotImplementedError

    def _sized(self, shape: Y, /) -> None:
        raise NotImplementedError

    def _pin(self, dtype: X, shape: Y, /) -> None:
        raise NotImplementedError

    @overload
    def __call__[D: DType, S: Shape](self: OfUnmet[D, S], y: ArrayOf[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: Shape, Z: Zero](self: OfUnmet[D, S], y: ArrayOf[D, Z], /) -> Array[D, S]: ...
    @overload
    def __call__(self: Operator[kinds.Fractional, I, S, Inquiry], y: DiscreteBeside[S, W], /) -> Undecided[W]: ...
    @overload
    def __call__(self: Operator[kinds.Fractional, I, S], y: DiscreteBeside[S, W], /) -> Array[F, W]: ...
    @overload
    def __call__[E: DType, T: Shape](self, y: Broadcasts[K_co, X, Y, E, T], /) -> Array[E, T]: ...

    if not MYPY:  # of overloaded methods pyright finds none that fits a type variable for the shape

        @overload
        def __call__[E: DType, T: Shape](self, y: Beside[K_co, X, E, T], /) -> Array[E]: ...

    @overload
    def __call__[D: Num, S: Shape](self: Operator[kinds.Kept, D, S], y: int, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Integer, S: Shape](self: Operator[kinds.Integral, D, S], y: int, /) -> Array[D, S]: ...
    @overload
    def __call__[S: Shape](self: Operator[kinds.Truthful, bool_, S], y: bool, /) -> Array[bool_, S]: ...
    @overload
    def __call__[S: Shape](self: Operator[kinds.Whole, bool_, S], y: int, /) -> Array[i64, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self: Operator[kinds.Complexes, D, S], y: float, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Floating, S: Shape](self: Operator[kinds.Reals, D, S], y: float, /) -> Array[D, S]: ...
    @overload
    def __call__(self: Operator[kinds.Plain, I, S, Inquiry], y: FloatingNumber, /) -> Undecided[S]: ...
    @overload
    def __call__(self: Operator[kinds.Fractional, I, S, Inquiry], y: float, /) -> Undecided[S]: ...
    @overload
    def __call__(self: Operator[kinds.Plain, I, S], y: FloatingNumber, /) -> Array[F, S]: ...
    @overload
    def __call__(self: Operator[kinds.Fractional, I, S], y: float, /) -> Array[F, S]: ...
    @overload
    def __call__[E: DType, S: Shape](self: OfComplexes[E, S], y: ImaginaryNumber, /) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, S: Shape](self: Operator[kinds.Counted, D, S], y: ImaginaryNumber, /) -> Array[Any, S]: ...
    @overload
    def __call__(self: Operator[kinds.Numeric, X, Y], y: Foreign | NoArray, /) -> Array: ...
    @overload
    def __call__[D: Integer | bool_, S: Shape](
        self: Operator[kinds.Bitwise, D, S], y: Foreign | NoBits, /
    ) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfFractions(Generic[K_co, X, Y]):  # noqa: UP046  # as above
    """The `Operator` to mypy, of an array that has fractions, in functions that take complex numbers.

    These are the commonest, and their overloads are few: mypy reads an operand once for each. What dtypes meet in is
    asked last.
    """

    @property
    def _kind(self) -> K_co:
        raise NotImplementedError

    @property
    def _element(self) -> X:
        raise NotImplementedError

    def _sized(self, shape: Y, /) -> None:
        raise NotImplementedError

    @overload
    def __call__(self, y: HasOperand[Sized[X, Y] | Sized[X, Zero]], /) -> Array[X, Y]: ...
    @overload
    def __call__[T: Shape](self: OfFractions[K_co, X, Zero], y: HasOperand[Sized[X, T]], /) -> Array[X, T]: ...
    @overload
    def __call__(self, y: HasOperand[Operand[X]], /) -> Array[X]: ...
    @overload
    def __call__[E: DType, T: Shape](self, y: Extends[X, Y, E, T], /) -> Array[E, T]: ...
    @overload
    def __call__(self, y: float, /) -> Array[X, Y]: ...
    @overload
    def __call__[E: DType, S: Shape](self: OfComplexes[E, S], y: ImaginaryNumber, /) -> Array[E, S]: ...
    @overload
    def __call__(self, y: Foreign | NoArray, /) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfUnknown(Generic[K_co]):  # noqa: UP046  # as above
    """An operator of an array of unknown dtype and shape, of which each overload would fit, and be tried."""

    @overload
    def __call__(self: OfUnknown[kinds.Numeric], y: ArrayLike | NoArray, /) -> Array: ...
    @overload
    def __call__(self: OfUnknown[kinds.Bitwise], y: Discrete | int | Foreign | NoBits, /) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class Operates(Generic[K_co]):  # noqa: UP046  # as above
    """An operator, which is an `Operator` for each array that has it."""

    if TYPE_CHECKING:

        @overload
        def __get__[D: Nothing, S: Nowhere](self, x: Array[D, S], owner: object) -> OfUnknown[K_co]: ...
        @overload
        def __get__[K: Fractions, D: Inexact, S: Shape](
            self: Operates[K], x: Array[D, S], owner: object
        ) -> OfFractions[K, D, S]: ...
        @overload
        def __get__[D: DType, S: Shape](self, x: Array[D, S], owner: object) -> Operator[K_co, D, S]: ...

        if not MYPY:  # which would not choose for what inherits from arrays

            @overload
            def __get__[X: Array](self, x: X, owner: object) -> OfUnknown[K_co]: ...

        def __get__(self, *args: Any, **kwargs: Any) -> Any: ...

        def __call__(self, y: Any, /) -> Any:
            """For pyright, which looks up no descriptors where an array is to be a protocol, as in `builtins.sum`."""


arithmetic = Operates[kinds.Kept]()
quotient = Operates[kinds.Counted]()
division = Operates[kinds.Divided]()
bitwise = Operates[kinds.Bitwise]()


def keeping[D: DType, S: Shape](x: Array[D, S], /) -> Array[D, S]:
    raise NotImplementedError


def inverse[D: DType, S: Shape](x: HasBits[D, S], /) -> Array[D, S]:
    raise NotImplementedError


def magnitude[E: DType, S: Shape](x: HasReals[E, S], /) -> Array[E, S]:
    raise NotImplementedError


@overload
def comparison[D: DType, E: DType, S: Shape](x: Array[D, S], y: Array[E, S] | complex, /) -> Array[bool_, S]: ...
@overload
def comparison[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, S], y: Array[E, Z], /) -> Array[bool_, S]: ...
@overload
def comparison[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, Z], y: Array[E, S], /) -> Array[bool_, S]: ...
@overload
def comparison[Y: ArrayLike](x: Array, y: Y, /) -> Array[bool_]: ...
def comparison(*args: Any, **kwargs: Any) -> Any: ...


def quotient_and_rest(x: Array, y: ArrayLike, /) -> tuple[Array, Array]:
    raise NotImplementedError


def reflected_product(x2: Array, x1: Array | npt.NDArray[Any], /) -> Array:
    raise NotImplementedError
