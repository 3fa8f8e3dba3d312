"""`WritableArray`: an array that can be assigned to, and its views.

NumPy decides which arrays share elements: every array has a shadow, a NumPy array of its shape whose elements are never
read, and each function that may return a view is called on the shadow too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Self, SupportsIndex, final, overload

import numpy as np
import numpy.typing as npt

import effects as fx
from effects.arguments import integer, shown
from effects.arrays.array import Array, ArrayLike, Carrier, Order
from effects.arrays.concrete import Concrete, DeviceLike
from effects.arrays.operators import DT, Sh
from effects.arrays.promotion import as_array, as_type
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.indexing import taking
from effects.functions.indexing.keys import Index
from effects.program.chain import Link, current, installed
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.dtypes import DTypeLike
from handlers.assignment.lenses import IMAG, REAL, Lens, at, basic, permuted, rearranged, reshaped
from handlers.assignment.memory import Cell, MemoryLink, perform_on_cell

type Shadow = npt.NDArray[Any]

_COMPLEX_SHADOW: Final = np.dtype([("real", np.int8), ("imag", np.int8)])


@final
class WritableArray(Carrier[DT, Sh]):
    """An array that can be assigned to: `x[i] = v`, `x += y`, and views that write through, as in NumPy.

    `writable(f)` and `writing()` make them, and so do their operators and the functions of `x.__array_namespace__()`.
    """

    __slots__ = ("_aval", "_cell", "_creation_link", "_lens", "_shadow", "_value", "number", "read_only")
    owner: MemoryLink
    assigned = True

    def __init__(self, memory: MemoryLink, value: Array | WritableArray, lens: Lens | None = None) -> None:
        self.owner = memory
        self._aval = value.aval
        self._value = value  # the array that a view is a part of
        self._lens = lens
        self._cell: Cell | None = None
        self._creation_link: Link = current()
        self.number = False
        """True if NumPy would have a number here, which `+=` does not change."""
        self.read_only = False
        self._shadow: Shadow | None = None

    # -- current elements ----------------------------------------------------------------------------------------

    def now(self) -> Array:
        """The current elements, as an ordinary array that never changes."""
        if self._lens is not None:
            return self._lens.get(self._value.now())
        if self._cell is None and (current() is self._creation_link or self.read_only):
            return self._value
        return perform_on_cell(self.owner.label, "read", self._shared())  # type: ignore[no-any-return]  # an array

    def _set_current(self, value: Array) -> None:
        if self._lens is not None:
            assert isinstance(self._value, WritableArray), "a view is one of such an array"
            self._value._set_current(self._lens.put(self._value.now(), value))
        elif self._cell is None and current() is self._creation_link:
            self._value = value
        else:
            perform_on_cell(self.owner.label, "write", self._shared(), value)

    def _shared(self) -> Cell:
        """The cell for programs other than the one that created the array."""
        if self._cell is None:
            cell = Cell(self._aval)
            with installed(self._creation_link):
                perform_on_cell(self.owner.label, "allocate", cell, self._value)
            self._cell = cell
        return self._cell

    @property
    def aval(self) -> ShapedArray:
        return self._aval

    def known(self) -> Concrete | None:
        return self.now().known()

    def unknown_reason(self) -> str:
        return self.now().unknown_reason()

    def _demand(self, purpose: str, instead: str, bare: bool = False, hashed: bool = False) -> Concrete:
        return self.now()._demand(purpose, instead, bare, hashed)

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        super().__array_namespace__(api_version=api_version)
        namespace: ModuleType = import_module("handlers.assignment.namespace").NAMESPACE  # which is made of such arrays
        return namespace

    def __reduce__(self) -> Any:
        return self.now().__reduce__()

    def __copy__(self) -> WritableArray[DT, Sh]:
        return self.copy()

    def __deepcopy__(self, memo: object) -> WritableArray[DT, Sh]:
        return self.copy()

    def __repr__(self) -> str:
        known = self.known()
        return f"WritableArray({self._aval})" if known is None else f"Writable{known!r}".replace("\n", "\n" + 8 * " ")

    def copy(self) -> WritableArray[DT, Sh]:
        """The same elements, in a new array."""
        return WritableArray(self.owner, self.now())

    if TYPE_CHECKING:  # which `handlers.assignment.methods` writes

        @overload
        def _computed(self, other: float | WritableArray[DT, Sh], /) -> WritableArray[DT, Sh]: ...
        @overload
        def _computed(self, other: ArrayLike, /) -> WritableArray: ...
        def _computed(self, other: object, /) -> Any: ...
        def _assigned(self, other: ArrayLike, /) -> Self: ...
        def view(self, dtype: DTypeLike | None = None) -> WritableArray: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _computed  # type: ignore[assignment]
        __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _computed  # type: ignore[assignment]
        __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _computed  # type: ignore[assignment]
        __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = _assigned
        __iand__ = __ior__ = __ixor__ = __ilshift__ = __irshift__ = __imatmul__ = _assigned

    # -- assignment ----------------------------------------------------------------------------------------------

    def __setitem__(self, key: Index, value: ArrayLike, /) -> None:
        before = self.checked(f"x[{shown(key)}] = …")
        self._set_current(before.at[key].set(_fitting(value, before, f"x[{shown(key)}] = …")))

    def checked(self, caller: str) -> Array:
        """The current array. Raises ArgumentError where it cannot be assigned to."""
        if self.read_only:
            raise ArgumentError(
                f"{caller}: x is read-only, since it has elements more than once or only some of them, as in NumPy; "
                "copy(x) is not"
            )
        return self.now()

    def updated(self, symbol: str, result: Array) -> Self:
        """`x += y`, where `result` is x + y: the elements stay of their dtype and shape."""
        before = self.checked(f"x {symbol}= y")
        if result.aval.shape != before.aval.shape:
            raise ShapeError(f"x {symbol}= y: x keeps its shape, {before.aval}, and x {symbol} y is {result.aval}")
        dtype, result_dtype = before.aval.dtype, result.aval.dtype
        if not np.can_cast(result_dtype.dtype, dtype.dtype, "same_kind"):
            raise DTypeError(
                f"x {symbol}= y: x keeps its dtype, {dtype}, which {result_dtype} does not become; write x = "
                f"x {symbol} y"
            )
        self._set_current(fx.astype(result, dtype))
        return self

    def fill(self, value: ArrayLike) -> None:
        """`x[...] = value`."""
        self[...] = value

    def sort(self, axis: int = -1) -> None:
        """The elements in ascending order along an axis, in place."""
        self._set_current(fx.sort(self.checked("x.sort()"), axis=integer("x.sort()", "axis", axis)))

    # -- views ---------------------------------------------------------------------------------------------------

    def shadow(self) -> Shadow:
        """NumPy's array that shares memory with the shadows of the arrays with which this one shares elements."""
        if self._shadow is None:
            complex_ = issubclass(self._aval.dtype, dtypes.Complex)
            self._shadow = np.empty(self._aval.shape, _COMPLEX_SHADOW if complex_ else np.int8)
        return self._shadow

    def part(self, shadow: Shadow, lens: Lens) -> WritableArray:
        """The view through `lens`, whose shadow is `shadow`; a copy where NumPy makes one."""
        if not np.may_share_memory(shadow, self.shadow()):
            return self.fresh(lens.get(self.now()))
        view = WritableArray(self.owner, self, lens)
        dtype = self._aval.dtype
        if shadow.dtype != self.shadow().dtype:
            dtype = dtypes.BY_NUMPY[np.empty(0, dtype.dtype).real.dtype]
        view._aval = ShapedArray(shadow.shape, dtype)
        view._shadow = shadow
        view.read_only = not shadow.flags.writeable
        return view

    def fresh(self, value: Array) -> WritableArray:
        """A new array with elements that were computed from this one."""
        array: WritableArray = as_writable(self.owner, value)
        return array

    def __getitem__(self, key: Index, /) -> WritableArray[DT]:
        keys = basic(key)
        if keys is None:
            return self.fresh(taking.getitem(self.now(), key))
        key_now, shadow_key = keys
        try:
            shadow = self.shadow()[shadow_key]
        except (IndexError, TypeError, ValueError):
            shadow = None  # `getitem` raises the error
        if not isinstance(shadow, np.ndarray):
            return self.fresh(taking.getitem(self.now(), key_now))
        return self.part(shadow, at(key_now))

    def astype(self, dtype: Any, *, copy: bool = True, device: DeviceLike | None = None) -> WritableArray[Any, Sh]:
        plain = fx.astype(self.now(), dtype, copy=copy, device=device)
        if not copy and plain.aval.dtype is self._aval.dtype:
            return self
        return in_memory_order_of(self.fresh(plain), [self])  # type: ignore[no-any-return]  # what it was given

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> WritableArray[DT]:
        return self.moved(lambda x: Array.diagonal(x, offset, axis1, axis2), lambda x: x.diagonal(offset, axis1, axis2))

    def moved(self, ours: Callable[[Array], Array], theirs: Callable[[Shadow], Shadow]) -> WritableArray[DT]:
        """View by a function that only moves elements; `theirs` is NumPy's function."""
        ours(self.now())  # which raises the error
        positions = theirs(np.arange(self.size).reshape(self.shape))
        return self.part(theirs(self.shadow()), rearranged(ours, positions))

    def __iter__(self) -> Iterator[WritableArray[DT]]:
        return (self[i] for i in range(len(self)))

    def reshape(
        self, *shape: SupportsIndex | Sequence[SupportsIndex], order: Order = "C", copy: bool | None = None
    ) -> WritableArray[DT]:
        plain = Array.reshape(self.now(), *shape, order=order, copy=copy)
        if copy:
            return self.fresh(plain)
        sizes = plain.aval.shape
        view = self.part(self.shadow().reshape(sizes, order=order), reshaped(sizes, order))
        if copy is False and view._lens is None:
            raise ArgumentError("reshape: copy=False, but elements in this order must be copied")
        return view

    def ravel(self, order: Order = "C") -> WritableArray[DT]:
        sizes = Array.ravel(self.now(), order).aval.shape
        return self.part(self.shadow().ravel(order), reshaped(sizes, order))

    def flatten(self, order: Order = "C") -> WritableArray[DT]:
        return self.fresh(Array.ravel(self.now(), order))

    def squeeze(self, axis: int | tuple[int, ...] | None = None) -> WritableArray[DT]:
        return self.reshape(fx.squeeze(self.now(), axis).aval.shape)

    def transpose(self, *axes: SupportsIndex | Sequence[SupportsIndex] | None) -> WritableArray[DT]:
        return self.permuted(lambda x: x.transpose(*axes))

    def swapaxes(self, axis1: int, axis2: int) -> WritableArray[DT]:
        return self.permuted(lambda x: x.swapaxes(axis1, axis2))

    def permuted(self, f: Callable[[Any], Any]) -> WritableArray[DT]:
        """The view by a function that permutes axes; `f` takes this library's arrays and NumPy's."""
        f(self.now())  # which raises the error
        axes = f(np.empty(tuple(range(self.ndim)), np.int8)).shape  # of sizes 0, 1, …, each the number of its axis
        return self.part(self.shadow().transpose(axes), permuted(axes))

    @property
    def T(self) -> WritableArray[DT]:
        return self.permuted(lambda x: x.T)

    @property
    def mT(self) -> WritableArray[DT]:
        return self.permuted(lambda x: x.mT)

    @property
    def real(self) -> WritableArray:
        return self.part(self.shadow()["real"], REAL) if self._is_complex else self

    @real.setter
    def real(self, value: ArrayLike) -> None:
        self.real[...] = value

    @property
    def imag(self) -> WritableArray:
        if self._is_complex:
            return self.part(self.shadow()["imag"], IMAG)
        zeros = self.fresh(fx.imag(self.now()))
        zeros.read_only = True
        return zeros

    @imag.setter
    def imag(self, value: ArrayLike) -> None:
        self.imag[...] = value

    @property
    def _is_complex(self) -> bool:
        return issubclass(self._aval.dtype, dtypes.Complex)


def as_writable(memory: MemoryLink, result: Any) -> Any:
    """The result of a function with arrays that can be assigned to; numbers of rank 0 are constants, as in NumPy."""
    if isinstance(result, Array) and not isinstance(result, WritableArray):
        array = WritableArray(memory, result)
        array.number = not result.aval.shape
        return array
    if isinstance(result, tuple | list):
        parts = [as_writable(memory, part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def _fitting(value: object, target: Array, caller: str) -> Array:
    array = as_array(value, caller, "the value")
    if issubclass(array.aval.dtype, dtypes.Complex) and not issubclass(target.aval.dtype, dtypes.Complex):
        raise DTypeError(f"{caller}: {array.aval} into {target.aval} would lose imaginary parts; write v.real")
    number = isinstance(value, int | float | complex)
    return as_type(value if number else array, target.aval.dtype, False, caller, "the value")


def in_memory_order_of(result: Any, operands: Sequence[object]) -> Any:
    """The result of an elementwise function, with its axes in the memory order of the operands, as in NumPy."""
    ordered = [x for x in operands if isinstance(x, WritableArray) and x._shadow is not None]
    if not isinstance(result, WritableArray) or all([x.shadow().flags.c_contiguous for x in ordered]):
        return result
    shadows = [x.shadow() for x in operands if isinstance(x, WritableArray) and x.ndim]
    real_shadows = [shadow["real"] if shadow.dtype == _COMPLEX_SHADOW else shadow for shadow in shadows]
    others = [np.zeros(x.shape, np.int8) for x in operands if isinstance(x, Array) and not isinstance(x, WritableArray)]
    strides = np.nditer([*real_shadows, *others, None], order="K").operands[-1].strides
    axes = np.argsort([-step for step in strides], kind="stable")
    result._shadow = np.empty([result.shape[axis] for axis in axes], result.shadow().dtype).transpose(np.argsort(axes))
    return result
