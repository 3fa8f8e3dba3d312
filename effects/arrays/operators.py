"""`Operators`: the types of the operators of arrays.

`effects.arrays.methods` gives each of them its function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, overload

from typing_extensions import TypeVar

from effects.arrays.value import Value
from effects.types import kinds
from effects.types.dtypes import DType, Floating, Inexact, Integer, bool_
from effects.types.signatures import operators
from effects.types.signatures.attributes import HasFractions, Nothing, Nowhere, Operands
from effects.types.signatures.contraction import Product

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Scalar

DT = TypeVar("DT", bound=DType, default="Any")
FT = TypeVar("FT", bound="Floating", default="Any")
IT = TypeVar("IT", bound="Integer", default="Any")
XT = TypeVar("XT", bound="Inexact", default="Any")
RT = TypeVar("RT", bound=DType, default="Any")
Sh = TypeVar("Sh", bound="tuple[Any, ...]", default="Any")


class Operators(Value, Generic[DT, Sh]):  # noqa: PLW1641  # as Value
    """The operators of arrays, by dtype and shape."""

    __slots__ = ()

    __neg__ = operators.keeping
    """-x: `negative(x)`."""
    __pos__ = operators.keeping
    """+x: `positive(x)`."""
    __invert__ = operators.inverse
    """~x: `bitwise_invert(x)`."""
    __abs__ = operators.magnitude
    """abs(x): `abs(x)`."""
    __add__ = operators.arithmetic
    """x + y: `add(x, y)`."""
    __radd__ = operators.arithmetic
    """y + x: `add(y, x)`."""
    __sub__ = operators.arithmetic
    """x - y: `subtract(x, y)`."""
    __rsub__ = operators.arithmetic
    """y - x: `subtract(y, x)`."""
    __mul__ = operators.arithmetic
    """x * y: `multiply(x, y)`."""
    __rmul__ = operators.arithmetic
    """y * x: `multiply(y, x)`."""
    __truediv__ = operators.division
    """x / y: `divide(x, y)`."""
    __rtruediv__ = operators.division
    """y / x: `divide(y, x)`."""
    __floordiv__ = operators.quotient
    """x // y: `floor_divide(x, y)`."""
    __rfloordiv__ = operators.quotient
    """y // x: `floor_divide(y, x)`."""
    __mod__ = operators.quotient
    """x % y: `remainder(x, y)`."""
    __rmod__ = operators.quotient
    """y % x: `remainder(y, x)`."""
    __pow__ = operators.arithmetic
    """x ** y: `pow(x, y)`."""
    __rpow__ = operators.arithmetic
    """y ** x: `pow(y, x)`."""
    __rmatmul__ = operators.reflected_product
    """y @ x: `matmul(y, x)`."""
    __and__ = operators.bitwise
    """x & y: `bitwise_and(x, y)`."""
    __rand__ = operators.bitwise
    """y & x: `bitwise_and(y, x)`."""
    __or__ = operators.bitwise
    """x | y: `bitwise_or(x, y)`."""
    __ror__ = operators.bitwise
    """y | x: `bitwise_or(y, x)`."""
    __xor__ = operators.bitwise
    """x ^ y: `bitwise_xor(x, y)`."""
    __rxor__ = operators.bitwise
    """y ^ x: `bitwise_xor(y, x)`."""
    __lshift__ = operators.bitwise
    """x << y: `bitwise_left_shift(x, y)`."""
    __rlshift__ = operators.bitwise
    """y << x: `bitwise_left_shift(y, x)`."""
    __rshift__ = operators.bitwise
    """x >> y: `bitwise_right_shift(x, y)`."""
    __rrshift__ = operators.bitwise
    """y >> x: `bitwise_right_shift(y, x)`."""
    __divmod__ = operators.quotient_and_rest
    """divmod(x, y): `floor_divide(x, y), remainder(x, y)`."""
    __rdivmod__ = operators.quotient_and_rest
    """divmod(y, x): `floor_divide(y, x), remainder(y, x)`."""
    __lt__ = operators.comparison
    """x < y: `less(x, y)`."""
    __le__ = operators.comparison
    """x <= y: `less_equal(x, y)`."""
    __gt__ = operators.comparison
    """x > y: `greater(x, y)`."""
    __ge__ = operators.comparison
    """x >= y: `greater_equal(x, y)`."""

    @Product
    def __matmul__(self, other: ArrayLike, /) -> Array:
        """x @ y: `matmul(x, y)`."""
        raise NotImplementedError

    @Product
    def dot(self, other: ArrayLike, /) -> Array:
        """The function `matmul`."""
        raise NotImplementedError

    if TYPE_CHECKING:  # nothing here is called; Any stands for types that the first overloads leave unknown
        _operand = Operands()

        @overload
        def _operator[K](self: Operators[Nothing, Nowhere], kind: K, /) -> operators.OfUnknown[K]: ...
        @overload
        def _operator(self: HasFractions, kind: kinds.Kept, /) -> operators.OfFractions[kinds.Kept, DT, Sh]: ...
        @overload
        def _operator(self: HasFractions, kind: kinds.Divided, /) -> operators.OfFractions[kinds.Divided, DT, Sh]: ...
        @overload
        def _operator(self, kind: kinds.Kept, /) -> operators.Operator[kinds.Kept, DT, Sh, operators.Inquiry]: ...
        @overload
        def _operator(self, kind: kinds.Counted, /) -> operators.Operator[kinds.Counted, DT, Sh, operators.Inquiry]: ...
        @overload
        def _operator(self, kind: kinds.Divided, /) -> operators.Operator[kinds.Divided, DT, Sh, operators.Inquiry]: ...
        @overload
        def _operator(
            self, kind: kinds.Measured, /
        ) -> operators.Operator[kinds.Measured, DT, Sh, operators.Inquiry]: ...
        @overload
        def _operator(self, kind: kinds.Bitwise, /) -> operators.Operator[kinds.Bitwise, DT, Sh, operators.Inquiry]: ...
        def _operator(self, *args: Any, **kwargs: Any) -> Any:
            """The operator of a kind, which type checkers ask for the result of a function of two arrays."""

        @overload
        def _choose(self, condition: Array[Any, Nowhere], y: ArrayLike, /) -> Any: ...
        @overload
        def _choose(self, condition: ArrayLike, y: Array[Any, Nowhere], /) -> Any: ...
        @overload
        def _choose(
            self, condition: Array[Any, Sh] | Scalar[Any] | bool, y: Array[Any, Sh] | Scalar[Any] | complex, /
        ) -> Sh: ...
        @overload
        def _choose(self, condition: ArrayLike, y: ArrayLike, /) -> Any: ...
        def _choose(self, *args: Any, **kwargs: Any) -> Any:
            """The shape of what `where` chooses from the array and another one, as far as it is certain."""

        # at run time a class that defines equality has no hash

        @overload  # type: ignore[override]  # elementwise, as in every array library
        def __eq__(self, other: str | None, /) -> bool: ...
        @overload
        def __eq__[D: DType, S: tuple[object, ...]](
            self: Operators[D, S], other: Array[Any, S], /
        ) -> Array[bool_, S]: ...
        @overload
        def __eq__[D: DType, S: tuple[object, ...]](
            self: Operators[D, S], other: Scalar[Any] | complex, /
        ) -> Array[bool_, S]: ...
        @overload
        def __eq__(self, other: ArrayLike, /) -> Array[bool_]: ...
        def __eq__(self, *args: Any, **kwargs: Any) -> Any:
            """x == y: `equal(x, y)`, element by element."""

        __ne__ = __eq__  # type: ignore[assignment]  # elementwise, as `==`
        """x != y: `not_equal(x, y)`, element by element."""
