"""`Array`: what user code annotates and holds.

An abstract class: a concrete array is a `Concrete`, and under a transformation user code holds the handler's carriers
(`Dual`, `Batched`, `Traced`, a user's own), which are Arrays that also name their `owner`. Operators and methods are
spellings of the public functions; functions make arrays, so the two import each other, and this is the one place where
that happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Final, Generic, Never, NoReturn, Self, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from effects import dtypes
from effects.avals import ShapedArray
from effects.dtypes import DType, DTypeLike
from effects.errors import ArgumentError, ConcretizationError, LeakedValueError, UnhashableError, UnknownAttribute

if TYPE_CHECKING:
    from typing import Any

    import effects.signatures.contraction as products
    import effects.signatures.elementwise as signatures
    import effects.signatures.reduction as folds
    from effects.chain import Handler
    from effects.concrete import Concrete

DT = TypeVar("DT", bound=DType, default="Any")
Sh = TypeVar("Sh", bound="tuple[Any, ...]", default="Any")

type ArrayLike = Like[Any]
type Like[D: DType] = Array[D] | complex | Foreign
type Foreign = npt.NDArray[Any] | np.generic
type Axes = int | tuple[int, ...]


class Array(Generic[DT, Sh]):
    """An n-dimensional array of dtype `DT` and shape `Sh`, both known to the type checker as far as they are written.

    >>> import effects as fx
    >>> x = fx.asarray([1.0, 2.0, 3.0])
    >>> (x * 2 + 1).sum()
    Array(15., float64)
    """

    __slots__ = ()
    if TYPE_CHECKING:
        __hash__ = None  # type: ignore[assignment]  # `==` is elementwise, so arrays cannot be dictionary keys
    else:

        def __hash__(self) -> NoReturn:
            self._demand(
                "an axis, a size or a dictionary key", "Make it a Python value: a static argument (static_argnums)"
            )
            raise UnhashableError(
                f"an array, {self.aval}, cannot be hashed, since == compares its elements: it cannot be an axis, a dictionary "
                "key, an element of a set or a static argument; use a Python number (.item()), or id(x) for its identity"
            )

    owner: Handler[Any] | None
    """The handler whose carrier this is; None for a concrete array."""

    @property
    def aval(self) -> ShapedArray:
        """The type of the array."""
        raise NotImplementedError

    def known(self) -> Concrete | None:
        """The concrete array that this certainly is, or None while that is not known (staged or batched values)."""
        return None

    def unknown_reason(self) -> str:
        """Why `known` gives nothing and where the value comes from, for messages."""
        return f"a {type(self).__name__} of {self.owner!r}"

    def leaked(self, use: str) -> LeakedValueError:
        """The error of using (`use` says how) a value whose handler is not in the chain."""
        if self.owner is not None and self.owner.alive:
            advice = (
                "which is not in the chain of this thread or task; pass values between threads after the call is over"
            )
        else:
            advice = (
                "whose extent is over; return values from the transformed function instead of keeping them elsewhere"
            )
        return LeakedValueError(
            f"{use}: a value of type {self.aval}{self.provenance()} leaked from {self.owner!r}, {advice}"
        )

    def provenance(self) -> str:
        """Where the value was made, as an addition to a noun, when that is known."""
        return ""

    # -- attributes ----------------------------------------------------------------------------------------------

    @final
    def _pin(self, dtype: DT, shape: Sh) -> None:
        """Makes both type parameters invariant for the type checker; never called."""

    @property
    def shape(self) -> Sh:
        return self.aval.shape  # type: ignore[return-value]  # the run-time shape is what Sh describes

    @property
    def dtype(self) -> type[DT]:
        return self.aval.dtype  # type: ignore[return-value]  # the run-time dtype is what DT describes

    @property
    def ndim(self) -> int:
        return self.aval.ndim

    @property
    def size(self) -> int:
        return self.aval.size

    @property
    def T(self) -> Array[DT]:
        """The transpose of a matrix (all axes reversed)."""
        return movement.permute_dims(self, tuple(range(self.ndim))[::-1])

    @property
    def mT(self) -> Array[DT]:
        """The last two axes swapped."""
        return movement.matrix_transpose(self)

    @property
    def real(self) -> Array:
        return elementwise.real(self)

    @property
    def imag(self) -> Array:
        return elementwise.imag(self)

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """The module of the public functions, as the Array API standard asks for."""
        import effects  # the namespace is the package that this class is a part of

        if api_version not in (None, "2023.12", "2024.12"):
            raise ArgumentError(f"Array API version {api_version!r} is not provided; 2024.12 is")
        return effects

    # -- what only a known value can give ------------------------------------------------------------------------

    def _demand(self, purpose: str, instead: str) -> Concrete:
        if self.owner is not None and not self.owner.alive:
            raise self.leaked(purpose)
        known = self.known()
        if known is None:
            raise ConcretizationError(
                f"{purpose} needs the value of {self.aval}, which is not known here: it is {self.unknown_reason()}. {instead}"
            )
        return known

    def _scalar(self, purpose: str, instead: str) -> npt.NDArray[np.generic]:
        if self.aval.size != 1:
            raise ArgumentError(
                f"{purpose} needs an array of one element, got {self.aval}; reduce it with any, all, sum …"
            )
        return self._demand(purpose, instead).fetch()

    def __bool__(self) -> bool:
        return bool(
            self._scalar(
                "bool(x), which `if`, `while`, `and` and `assert` ask for,",
                "Use cond(pred, f, g) or where(pred, x, y) in place of `if`, & and | in place of `and` and `or`, "
                "or mark the argument static (static_argnums)",
            )
        )

    def __int__(self) -> int:
        return int(self._scalar("int(x)", "Mark the argument static (static_argnums), or keep it an array").item())

    def __float__(self) -> float:
        return float(self._scalar("float(x)", "Keep it an array: operations take arrays of rank 0").item())

    def __complex__(self) -> complex:
        return complex(self._scalar("complex(x)", "Keep it an array: operations take arrays of rank 0").item())

    def __index__(self) -> int:
        from effects.dtypes import Integer

        if not issubclass(self.aval.dtype, Integer) or self.aval.ndim:
            raise ArgumentError(f"only an integer array of rank 0 can be an index of Python, got {self.aval}")
        return int(
            self._scalar(
                "a Python integer",
                "Shapes, axes and ranges must be static: mark the argument static (static_argnums)",
            ).item()
        )

    def item(self) -> bool | int | float | complex:
        """The single element as a Python scalar."""
        return self._scalar("x.item()", "Keep it an array").item()  # type: ignore[no-any-return]  # NumPy's item

    def tolist(self) -> object:
        """The elements as nested lists of Python scalars."""
        return self._demand("x.tolist()", "Return it from the transformed function first").fetch().tolist()

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[np.generic]:
        array = self._demand("numpy.asarray(x)", "Use the functions of `effects` in place of NumPy's")
        if array is not self:
            raise ConcretizationError(
                f"numpy.asarray(x) would lose what {self.owner!r} knows of {self.aval} (its derivative, for instance). Use the "
                "functions of `effects` in place of NumPy's, or x.tolist() for the bare numbers"
            )
        host = array.fetch()
        host.flags.writeable = False
        if dtype is not None and np.dtype(dtype) != host.dtype:
            return host.astype(dtype)
        return host.copy() if copy else host

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, /, *inputs: Any, **options: Any) -> Array:
        """A NumPy array or scalar on the left of an operator leaves the operation to us; NumPy's functions are refused."""
        operator = _OPERATORS.get(ufunc.__name__)
        if operator is not None and method == "__call__" and not options and not isinstance(inputs[0], Array):
            result: Array = getattr(inputs[1], operator)(inputs[0])
            return result
        if options.get("out") is not None:
            raise ArgumentError(
                f"numpy.{ufunc.__name__} cannot write {self.aval} into a NumPy array; write a = a + x in place of a += x"
            )
        known = "" if self.known() is not None else f", whose value is not known here: it is {self.unknown_reason()}"
        raise ArgumentError(
            f"numpy.{ufunc.__name__} was given an array of effax, {self.aval}{known}. Use the function of `effects` in "
            "place of NumPy's, or numpy.asarray(x) where the value is known"
        )

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """A DLPack capsule of the array's elements on the host."""
        host = self._demand("x.__dlpack__()", "Return it from the transformed function first").fetch()
        return host.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._demand("x.__dlpack_device__()", "Return it first").fetch().__dlpack_device__()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.aval})"

    def __format__(self, spec: str) -> str:
        if not spec:
            return repr(self) if self.aval.ndim or self.known() is None else str(self.item())
        if self.aval.ndim:
            raise ArgumentError(
                f"a format such as {spec!r} is for one number, got {self.aval}; format x[i] or x.tolist()"
            )
        return format(
            self._demand(f"format(x, {spec!r})", "Print it without a format, or after jit").fetch().item(), spec
        )

    # -- containers ----------------------------------------------------------------------------------------------

    def __round__(self, ndigits: int | None = None) -> Array[DT, Sh]:
        if ndigits:
            raise ArgumentError(f"round(x, {ndigits}) of an array: scale it first, round(x * 10**n) / 10**n")
        return elementwise.round(self)

    def __len__(self) -> int:
        if not self.aval.ndim:
            raise ArgumentError(f"an array of rank 0 has no length: {self.aval}")
        return self.aval.shape[0]

    def __iter__(self) -> Iterator[Array[DT]]:
        if not self.aval.ndim:
            raise ArgumentError(f"an array of rank 0 cannot be iterated over: {self.aval}")
        return iter(movement.unstack(self))

    def __getitem__(self, key: indexing.Index, /) -> Array[DT]:
        return indexing.getitem(self, key)

    def __setitem__(self, key: Never, value: object, /) -> NoReturn:
        raise ArgumentError(
            f"x[{key!r}] = … : arrays are immutable. Write x = where(mask, new, x), or x = dynamic_update_slice(x, new, starts)"
        )

    @property
    def at(self) -> NoReturn:
        raise UnknownAttribute(
            "arrays have no `.at`: write where(mask, new, x), or dynamic_update_slice(x, new, starts) for x.at[...].set(new)"
        )

    def __contains__(self, value: ArrayLike, /) -> bool:
        return bool(reduction.any(logic.equal(self, value)))

    # -- operators -----------------------------------------------------------------------------------------------

    if TYPE_CHECKING:
        __neg__ = signatures.keeping
        __pos__ = signatures.keeping
        __invert__ = signatures.keeping
        __abs__ = signatures.real_valued
        __add__ = signatures.arithmetic
        __radd__ = signatures.arithmetic
        __sub__ = signatures.arithmetic
        __rsub__ = signatures.arithmetic
        __mul__ = signatures.arithmetic
        __rmul__ = signatures.arithmetic
        __floordiv__ = signatures.arithmetic
        __rfloordiv__ = signatures.arithmetic
        __mod__ = signatures.arithmetic
        __rmod__ = signatures.arithmetic
        __pow__ = signatures.arithmetic
        __rpow__ = signatures.arithmetic
        __truediv__ = signatures.division
        __rtruediv__ = signatures.division
        __matmul__ = products.matmul
    else:

        def __neg__(self) -> Array[DT, Sh]:
            return elementwise.negative(self)

        def __pos__(self) -> Array[DT, Sh]:
            return elementwise.positive(self)

        def __abs__(self) -> Array[DT, Sh]:
            return elementwise.abs(self)

        def __invert__(self) -> Array[DT, Sh]:
            return elementwise.bitwise_invert(self)

        def __add__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.add(self, other)

        def __radd__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.add(other, self)

        def __sub__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.subtract(self, other)

        def __rsub__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.subtract(other, self)

        def __mul__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.multiply(self, other)

        def __rmul__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.multiply(other, self)

        def __truediv__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.divide(self, other)

        def __rtruediv__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.divide(other, self)

        def __floordiv__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.floor_divide(self, other)

        def __rfloordiv__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.floor_divide(other, self)

        def __mod__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.remainder(self, other)

        def __rmod__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.remainder(other, self)

        def __pow__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.pow(self, other)

        def __rpow__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.pow(other, self)

        def __matmul__(self, other: ArrayLike, /) -> Array[DT]:
            return contraction.matmul(self, other)

    def __rmatmul__(self, other: ArrayLike, /) -> Array[DT]:
        return contraction.matmul(other, self)

    if TYPE_CHECKING:
        __and__ = signatures.arithmetic
        __rand__ = signatures.arithmetic
        __or__ = signatures.arithmetic
        __ror__ = signatures.arithmetic
        __xor__ = signatures.arithmetic
        __rxor__ = signatures.arithmetic
        __lshift__ = signatures.arithmetic
        __rlshift__ = signatures.arithmetic
        __rshift__ = signatures.arithmetic
        __rrshift__ = signatures.arithmetic
        __eq__ = signatures.comparison  # type: ignore[assignment]  # elementwise, as in every array library
        __ne__ = signatures.comparison  # type: ignore[assignment]  # elementwise, as in every array library
        __lt__ = signatures.comparison
        __le__ = signatures.comparison
        __gt__ = signatures.comparison
        __ge__ = signatures.comparison
    else:

        def __and__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.bitwise_and(self, other)

        def __rand__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.bitwise_and(other, self)

        def __or__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.bitwise_or(self, other)

        def __ror__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.bitwise_or(other, self)

        def __xor__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.bitwise_xor(self, other)

        def __rxor__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.bitwise_xor(other, self)

        def __lshift__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.bitwise_left_shift(self, other)

        def __rlshift__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.bitwise_left_shift(other, self)

        def __rshift__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.bitwise_right_shift(self, other)

        def __rrshift__(self, other: ArrayLike, /) -> Array[DT]:
            return arithmetic.bitwise_right_shift(other, self)

        def __eq__(self, other: ArrayLike, /) -> Array:
            return logic.equal(self, other)

        def __ne__(self, other: ArrayLike, /) -> Array:
            return logic.not_equal(self, other)

        def __lt__(self, other: ArrayLike, /) -> Array:
            return logic.less(self, other)

        def __le__(self, other: ArrayLike, /) -> Array:
            return logic.less_equal(self, other)

        def __gt__(self, other: ArrayLike, /) -> Array:
            return logic.greater(self, other)

        def __ge__(self, other: ArrayLike, /) -> Array:
            return logic.greater_equal(self, other)

    # -- methods -------------------------------------------------------------------------------------------------

    if TYPE_CHECKING:
        astype = signatures.conversion
        conj = signatures.keeping
        round = signatures.keeping
        clip = signatures.limits
        sum = folds.accumulation_method
        prod = folds.accumulation_method
        mean = folds.mean_method
        var = folds.spread_method
        std = folds.spread_method
        max = folds.extreme_method
        min = folds.extreme_method
        any = folds.truth_method
        all = folds.truth_method
        argmax = folds.position_method
        argmin = folds.position_method
    else:

        def astype(self, dtype: DTypeLike, /) -> Array:
            """The same values as `dtype`; see `effects.astype`."""
            return elementwise.astype(self, dtype)

        def conj(self) -> Array[DT, Sh]:
            return elementwise.conj(self)

        def clip(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array[DT]:
            return logic.clip(self, min, max)

        def round(self) -> Array[DT, Sh]:
            return elementwise.round(self)

        def sum(self, axis: Axes | None = None, *, dtype: DTypeLike | None = None, keepdims: bool = False) -> Array[DT]:
            return reduction.sum(self, axis=axis, dtype=dtype, keepdims=keepdims)

        def prod(
            self, axis: Axes | None = None, *, dtype: DTypeLike | None = None, keepdims: bool = False
        ) -> Array[DT]:
            return reduction.prod(self, axis=axis, dtype=dtype, keepdims=keepdims)

        def mean(self, axis: Axes | None = None, *, keepdims: bool = False) -> Array[DT]:
            return reduction.mean(self, axis=axis, keepdims=keepdims)

        def var(self, axis: Axes | None = None, *, correction: float = 0.0, keepdims: bool = False) -> Array[DT]:
            return reduction.var(self, axis=axis, correction=correction, keepdims=keepdims)

        def std(self, axis: Axes | None = None, *, correction: float = 0.0, keepdims: bool = False) -> Array[DT]:
            return reduction.std(self, axis=axis, correction=correction, keepdims=keepdims)

        def max(self, axis: Axes | None = None, *, keepdims: bool = False) -> Array[DT]:
            return reduction.max(self, axis=axis, keepdims=keepdims)

        def min(self, axis: Axes | None = None, *, keepdims: bool = False) -> Array[DT]:
            return reduction.min(self, axis=axis, keepdims=keepdims)

        def any(self, axis: Axes | None = None, *, keepdims: bool = False) -> Array:
            return reduction.any(self, axis=axis, keepdims=keepdims)

        def all(self, axis: Axes | None = None, *, keepdims: bool = False) -> Array:
            return reduction.all(self, axis=axis, keepdims=keepdims)

        def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Array:
            return reduction.argmax(self, axis=axis, keepdims=keepdims)

        def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Array:
            return reduction.argmin(self, axis=axis, keepdims=keepdims)

    def reshape(self, *shape: SupportsIndex | tuple[SupportsIndex, ...]) -> Array[DT]:
        """The same elements in another shape: `x.reshape(2, -1)` or `x.reshape((2, -1))`."""
        whole = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        return movement.reshape(self, whole)  # type: ignore[arg-type]  # either spelling is a tuple of integers

    def ravel(self) -> Array[DT]:
        return movement.reshape(self, (-1,))

    flatten = ravel

    def squeeze(self, axis: Axes | None = None) -> Array[DT]:
        return movement.squeeze(self, axis)

    def transpose(self, *axes: int) -> Array[DT]:
        """The axes permuted; all reversed when none are given."""
        return movement.permute_dims(self, axes or tuple(range(self.ndim))[::-1])

    def swapaxes(self, axis1: int, axis2: int, /) -> Array[DT]:
        return movement.swapaxes(self, axis1, axis2)

    if TYPE_CHECKING:
        dot = products.matmul
    else:

        def dot(self, other: ArrayLike, /) -> Array[DT]:
            return contraction.matmul(self, other)


_OPERATORS: Final = {
    "add": "__radd__",
    "subtract": "__rsub__",
    "multiply": "__rmul__",
    "divide": "__rtruediv__",
    "floor_divide": "__rfloordiv__",
    "remainder": "__rmod__",
    "power": "__rpow__",
    "matmul": "__rmatmul__",
    "bitwise_and": "__rand__",
    "bitwise_or": "__ror__",
    "bitwise_xor": "__rxor__",
    "left_shift": "__rlshift__",
    "right_shift": "__rrshift__",
    "equal": "__eq__",
    "not_equal": "__ne__",
    "less": "__gt__",
    "less_equal": "__ge__",
    "greater": "__lt__",
    "greater_equal": "__le__",
}
"""For NumPy's functions behind operators, the method that means the same with the operands exchanged."""


class Carrier(Array[DT, Sh]):
    """The base of the values that handlers put in place of arrays: an Array with an `owner`.

    A subclass holds its parts and says its type by `aval`: the type that the program sees.
    """

    __slots__ = ("owner",)
    owner: Handler[Any]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        known = self._demand("pickle.dumps(x)", "Return it from the transformed function first")
        return known.__reduce__()


type Arr[D: DType, *S] = Array[D, tuple[*S]]
type Scalar[D: DType] = Array[D, tuple[()]]
type Bool[*S] = Array[dtypes.bool_, tuple[*S]]
type I8[*S] = Array[dtypes.i8, tuple[*S]]
type I16[*S] = Array[dtypes.i16, tuple[*S]]
type I32[*S] = Array[dtypes.i32, tuple[*S]]
type I64[*S] = Array[dtypes.i64, tuple[*S]]
type U8[*S] = Array[dtypes.u8, tuple[*S]]
type U16[*S] = Array[dtypes.u16, tuple[*S]]
type U32[*S] = Array[dtypes.u32, tuple[*S]]
type U64[*S] = Array[dtypes.u64, tuple[*S]]
type BF16[*S] = Array[dtypes.bf16, tuple[*S]]
type F16[*S] = Array[dtypes.f16, tuple[*S]]
type F32[*S] = Array[dtypes.f32, tuple[*S]]
type F64[*S] = Array[dtypes.f64, tuple[*S]]
type C64[*S] = Array[dtypes.c64, tuple[*S]]
type C128[*S] = Array[dtypes.c128, tuple[*S]]


# Functions make arrays and arrays spell functions: they are imported once `Array` is there.
from effects.functions import (
    arithmetic,
    contraction,
    elementwise,
    indexing,
    logic,
    movement,
    reduction,
)
