"""Array methods and operators that are public functions of the same name.

`Array` declares their types. Here each gets its function, after both are imported. An operator is the function written
out (`effects.functions.elementwise.operators`), so that `x + y` makes no more calls than `add(x, y)`.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, SupportsIndex

from effects.arguments import refusal
from effects.arrays.array import Array, ArrayLike, Order
from effects.arrays.concrete import DeviceLike, backend, on_device
from effects.arrays.operators import DT, Sh
from effects.arrays.promotion import promote_pair
from effects.arrays.reduction_methods import ReductionMethods
from effects.arrays.search_methods import SearchMethods
from effects.errors import ArgumentError
from effects.functions.elementwise import arithmetic, logic, operators, unary
from effects.functions.elementwise.operators import Pair
from effects.functions.indexing import taking, updates
from effects.functions.manipulation import movement
from effects.functions.products import contraction
from effects.functions.reductions import reduction
from effects.functions.statistics import moments
from effects.operations.elementwise import BinaryKind, CompareKind
from effects.runtime.attributes import missing, read_only_attribute
from effects.runtime.names import named

if TYPE_CHECKING:
    from effects.functions.indexing.keys import Index
    from effects.functions.ordering.searching import Side
    from effects.types.dtypes import i64

type Function = Callable[..., Array]


def divmod(x: ArrayLike, y: ArrayLike, /) -> tuple[Array, Array]:
    """⌊x / y⌋ and what remains."""
    return arithmetic.floor_divide(x, y), arithmetic.remainder(x, y)


DIRECT: Final[dict[str, Function]] = {
    "__neg__": unary.negative,
    "__pos__": unary.positive,
    "__abs__": unary.abs,
    "__invert__": unary.bitwise_invert,
    "dot": named(contraction.matmul, "dot"),
}
"""Operators and methods whose arguments are those of the function."""

BINARY: Final[dict[str, tuple[Function, Pair, BinaryKind]]] = {
    "add": (arithmetic.add, promote_pair, BinaryKind.ADD),
    "sub": (arithmetic.subtract, promote_pair, BinaryKind.SUB),
    "mul": (arithmetic.multiply, promote_pair, BinaryKind.MUL),
    "truediv": (arithmetic.divide, arithmetic.inexact_pair, BinaryKind.DIV),
    "and": (arithmetic.bitwise_and, promote_pair, BinaryKind.AND),
    "or": (arithmetic.bitwise_or, promote_pair, BinaryKind.OR),
    "xor": (arithmetic.bitwise_xor, promote_pair, BinaryKind.XOR),
    "lshift": (arithmetic.bitwise_left_shift, promote_pair, BinaryKind.SHIFT_LEFT),
    "rshift": (arithmetic.bitwise_right_shift, promote_pair, BinaryKind.SHIFT_RIGHT),
}
"""Operators of one operation, with the functions that promote their operands."""

COMPOSED: Final[dict[str, Callable[..., object]]] = {
    "floordiv": arithmetic.floor_divide,
    "mod": arithmetic.remainder,
    "pow": arithmetic.pow,
    "matmul": contraction.matmul,
    "divmod": divmod,
}
"""Operators of several operations."""

COMPARISONS: Final[dict[str, tuple[Function, CompareKind, str]]] = {
    "eq": (logic.equal, CompareKind.EQ, "eq"),
    "ne": (logic.not_equal, CompareKind.NE, "ne"),
    "lt": (logic.less, CompareKind.LT, "gt"),
    "le": (logic.less_equal, CompareKind.LE, "ge"),
    "gt": (logic.greater, CompareKind.GT, "lt"),
    "ge": (logic.greater_equal, CompareKind.GE, "le"),
}
"""Comparisons, with the reflected methods of the right operand."""

BY_AXIS: Final[tuple[Function, ...]] = (
    reduction.sum,
    reduction.prod,
    moments.mean,
    moments.var,
    moments.std,
    reduction.max,
    reduction.min,
    reduction.any,
    reduction.all,
    reduction.argmax,
    reduction.argmin,
)
"""Methods that take the axis by position too: `x.sum(0)`."""


LATER: Final = (
    "argpartition",
    "argsort",
    "choose",
    "conjugate",
    "copy",
    "cumprod",
    "cumsum",
    "diagonal",
    "nonzero",
    "ptp",
    "repeat",
    "take",
    "trace",
    "view",
)
"""Methods whose functions are imported on first use, since few programs need them."""


class Spelled(Array[DT, Sh]):
    """The methods that `Array` declares, with the functions behind them, which replace the declarations."""

    __slots__ = ()

    @property
    def T(self) -> Array[DT]:
        return movement.permute_dims(self, tuple(range(self.ndim))[::-1])

    @property
    def mT(self) -> Array[DT]:
        return movement.matrix_transpose(self)

    @property
    def device(self) -> str:
        known = self.known()
        return backend().device_names()[0] if known is None else known.device

    @property
    def real(self) -> Array:
        return unary.real(self)

    @property
    def imag(self) -> Array:
        return unary.imag(self)

    def __round__(self, ndigits: int | None = None) -> Array[DT, Sh]:
        return unary.round(self, decimals=0 if ndigits is None else ndigits)

    def __iter__(self) -> Iterator[Array[DT]]:
        if not self.aval.ndim:
            raise ArgumentError(f"an array of rank 0 cannot be iterated over: {self.aval}")
        return movement.parts(self, 0)

    def __getitem__(self, key: Index, /) -> Array[DT]:
        return taking.getitem(self, key)

    @property
    def at(self) -> updates.At[DT, Sh, ArrayLike]:
        return updates.At(self)

    def __contains__(self, value: object, /) -> bool:
        equal: object = self == value
        return bool(reduction.any(equal) if isinstance(equal, Array) else equal)

    def astype(self, dtype: Any, *, copy: bool = True, device: DeviceLike | None = None) -> Array[Any, Sh]:
        return unary.astype(self, dtype, copy=copy, device=device)

    def conj(self) -> Array[DT, Sh]:
        return unary.conj(self)

    def round(self, decimals: int = 0) -> Array[DT, Sh]:
        return unary.round(self, decimals)

    def clip(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array[Any, Any]:
        return logic.clip(self, min, max)

    def compress(self, condition: ArrayLike | Sequence[bool], axis: int | None = None) -> Array[DT]:
        chosen: Array[DT] = _public("compress")(condition, self, axis)
        return chosen

    def searchsorted(self, x2: ArrayLike, /, side: Side = "left", sorter: ArrayLike | None = None) -> Array[i64]:
        places: Array[i64] = _public("searchsorted")(self, x2, side=side, sorter=sorter)
        return places

    def to_device(self, device: DeviceLike, /, *, stream: None = None) -> Array[DT, Sh]:
        if stream is not None:
            raise refusal("to_device", "stream", "None", stream)
        return on_device(self, device)

    def reshape(
        self, *shape: SupportsIndex | Sequence[SupportsIndex], order: Order = "C", copy: bool | None = None
    ) -> Array[DT]:
        return movement.reshape(self, shape[0] if len(shape) == 1 else shape, order=order, copy=copy)  # type: ignore[arg-type]  # of integers

    def ravel(self, order: Order = "C") -> Array[DT]:
        return movement.reshape(self, (-1,), order=order)

    def flatten(self, order: Order = "C") -> Array[DT]:
        if isinstance(order, int):
            raise refusal("flatten", "order", "'C' or 'F'", order, "from axis n on write x.reshape(*x.shape[:n], -1)")
        return movement.reshape(self, (-1,), order=order)

    def squeeze(self, axis: int | tuple[int, ...] | None = None) -> Array[DT]:
        return movement.squeeze(self, axis)

    def transpose(self, *axes: SupportsIndex | Sequence[SupportsIndex] | None) -> Array[DT]:
        if not axes or axes[0] is None:
            return self.T
        return movement.permute_dims(self, axes[0] if len(axes) == 1 else axes)  # type: ignore[arg-type]  # as above

    def swapaxes(self, axis1: int, axis2: int) -> Array[DT]:
        return movement.swapaxes(self, axis1, axis2)


def _public(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(sys.modules["effects"], name)
    return function


def _later(name: str) -> Callable[..., object]:
    """The function `name` as a method, imported on first use, with the declared arguments and defaults."""
    declared = getattr(SearchMethods, name)
    defaults = {p.name: p.default for p in inspect.signature(declared).parameters.values() if p.default is not p.empty}
    theirs = {key: value for key, value in defaults.items() if key in ("axis1", "axis2")}

    @functools.wraps(declared)
    def method(self: Array, *args: object, **options: object) -> object:
        bound = {key: value for i, (key, value) in enumerate(theirs.items(), 1) if len(args) <= i}
        return _public(name)(self, *args, **bound | options)

    return method


def _as_declared(name: str, own: Any) -> object:
    """A method, or a property, with the docstring and the signature that `Array` declares."""
    declared = inspect.getattr_static(Array, name)
    if isinstance(own, property):
        return property(functools.wraps(declared.fget)(own.fget))  # type: ignore[arg-type]  # there is a docstring
    return functools.wraps(declared)(own)


def _reflected(function: Callable[..., object]) -> Callable[..., object]:
    @functools.wraps(function)
    def method(self: Array, other: object, /) -> object:
        return function(other, self)

    return method


def _by_axis(function: Function) -> Function:
    @functools.wraps(function)
    def method(self: Array, axis: object = None, **options: object) -> Array:
        return function(self, axis=axis, **options)

    return method


for name in [name for name, own in vars(Spelled).items() if isinstance(own, FunctionType | property)]:
    setattr(Array, name, _as_declared(name, vars(Spelled)[name]))
for name, function in DIRECT.items():
    setattr(Array, name, function)
for name, (function, pair, kind) in BINARY.items():
    setattr(Array, f"__{name}__", operators.binary(function, pair, kind, f"__r{name}__"))
    setattr(Array, f"__r{name}__", _reflected(function))
for name, composed in COMPOSED.items():
    setattr(Array, f"__{name}__", operators.composed(composed, f"__r{name}__"))
    setattr(Array, f"__r{name}__", _reflected(composed))
for name, (function, comparison, reflected) in COMPARISONS.items():
    setattr(Array, f"__{name}__", operators.comparison(function, promote_pair, comparison, f"__{reflected}__"))
for function in BY_AXIS:
    setattr(ReductionMethods, function.__name__, _by_axis(function))
for name in LATER:
    setattr(SearchMethods, name, _later(name))
setattr(Array, "__getattr__", missing("Array", "arrays have"))  # noqa: B010  # hidden from type checkers
for name, own in [(name, own) for name, own in vars(Array).items() if isinstance(own, property)]:
    setattr(Array, name, read_only_attribute(name, own))
