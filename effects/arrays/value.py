"""`Value`: the protocols of Python and NumPy for arrays.

Numbers, truth, NumPy arrays and text can only be made from a known value. Under `jit` or `vmap` it is not known; then
errors name the value, its origin, and what to use instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

import numpy as np
import numpy.typing as npt

from effects.arguments import elements, shown
from effects.arrays.subscripts import OURS, STATIC, where_asked
from effects.errors import ArgumentError, ConcretizationError, LeakedValueError, MissingRule, UnhashableError
from effects.runtime.pictures import Pictured
from effects.types.avals import ShapedArray
from effects.types.dtypes import Inexact, Integer

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

    from effects.arrays.array import Array
    from effects.arrays.concrete import Concrete
    from effects.program.chain import Handler

_FOR_HANDLERS: Final = {
    *("assigned", "fetch", "host", "is_number", "leaked", "lend", "now", "owner", "place", "provenance", "stored"),
    *("unknown_reason", "without_value"),
}
"""Attributes that handlers use."""


class Value(Pictured):
    """The base of `Array`: everything that does not depend on static dtypes and shapes."""

    __slots__ = ("__weakref__",)
    if TYPE_CHECKING:
        __hash__ = None  # type: ignore[assignment]  # `==` is elementwise, so arrays cannot be dictionary keys
    else:

        def __hash__(self) -> NoReturn:
            self._demand(
                "an axis, a size, a dictionary key or an operation's parameter",
                "Make it a Python value: a static argument (static_argnums)",
                hashed=True,
            )
            raise UnhashableError(
                f"an array, {self.aval}, cannot be hashed, since == compares its elements: it cannot be an axis, a "
                "dictionary key, an element of a set or a static argument; use a Python number (.item()), or id(x) for "
                "its identity"
            )

        def __delitem__(self, key: object, /) -> NoReturn:
            raise ArgumentError(f"del x[{shown(key)}]: arrays are immutable. Write x = delete(x, {shown(key)}, axis)")

    owner: Handler[Any] | None
    """The handler whose carrier this is; None for a concrete array."""

    def now(self) -> Array:
        """The current array: itself, or the elements of one that can be assigned to."""
        return self  # type: ignore[return-value]  # every value is an Array

    assigned: ClassVar[bool] = False
    """True for an array that can be assigned to, so that programs must record its current value."""

    @property
    def aval(self) -> ShapedArray:
        """The type of the array."""
        raise MissingRule(f"{type(self).__name__}.aval: a carrier says which type the program sees; write that")

    def known(self) -> Concrete | None:
        """The concrete array, or None while it is not known (staged or batched values)."""
        return None

    def unknown_reason(self) -> str:
        """Reason why `known` is None, and where the value comes from, for messages."""
        return f"a {type(self).__name__} of {self.owner!r}"

    def without_value(self) -> ArgumentError:
        """The error of computing with a placeholder of an operand, which belongs to no handler."""
        return ArgumentError(
            f"an operand has no value here: it is {self.unknown_reason()}; use its aval, or operands that have one"
        )

    def leaked(self, use: str) -> LeakedValueError:
        """The error of using a value whose handler is not in the chain; `use` describes the use."""
        if self.owner is not None and self.owner.alive:
            advice = (
                "which is not in the chain here. Rules of handlers and operations compute with the parts of a value "
                "(x.primal and x.tangent, x.value); to another thread or task, pass values after the call is over"
            )
        else:
            advice = (
                "whose extent is over; return values from the transformed function instead of keeping them elsewhere "
                "(has_aux=True, of grad and others, hands out what is not differentiated)"
            )
        value = elements(self.known())
        return LeakedValueError(
            f"{use}: a value{value and f' {value}'} of type {self.aval}{self.provenance()} leaked from {self.owner!r}, "
            f"{advice}"
        )

    def provenance(self) -> str:
        """Words for the origin of the value, to follow a noun; "" if it is unknown."""
        return ""

    @property
    def _varies(self) -> bool:
        """True if the numbers alone are not everything: if they are unknown, or a handler has a derivative of them."""
        return self.known() is not self and issubclass(self.aval.dtype, Inexact)

    def _demand(self, purpose: str, instead: str, bare: bool = False, hashed: bool = False) -> Concrete:
        """The concrete array; with `bare`, for other libraries, only if no handler knows more of it than its numbers.

        Raises ConcretizationError, which begins with `purpose` and ends with what to do `instead`; see `where_asked`.
        """
        if self.owner is not None and not self.owner.alive:
            raise self.leaked(purpose)
        known = self.known()
        if known is None or (bare and known is not self):
            purpose, instead = where_asked(self.aval, purpose, instead, hashed)
        if known is None:
            reason = self.unknown_reason()
            if field := re.search(r"argument \S*\.(\w+) of ", reason):
                on_class = f"the field static (register(static=[{field[1]!r}]) on its class)"
                instead = instead.replace("the argument static (static_argnums)", on_class)
            raise ConcretizationError(
                f"{purpose} needs the value of {self.aval}, which is not known here: it is {reason}. {instead}"
            )
        if bare and known is not self:
            raise ConcretizationError(
                f"{purpose} would lose what {self.owner!r} knows of {self.aval} (its derivative, for instance). "
                f"{instead}; for the bare numbers (to print, to decide), use stop_gradient(x)"
            )
        return known

    def _numbers(self, purpose: str, instead: str) -> npt.NDArray[Any]:
        """The elements for computations in Python, which are refused if there is a derivative of them."""
        return self._demand(purpose, instead, self._varies).fetch()

    def _number(
        self, purpose: str, instead: str, integral: bool = False, several: str = "reduce it with any, all, sum …"
    ) -> Any:
        """The only element as a Python number; `integral` for truth and integer part, which have no derivative."""
        if self.aval.size != 1:
            raise ArgumentError(f"{purpose} needs an array of one element, got {self.aval}; {several}")
        return self._demand(purpose, instead, not integral and self._varies).fetch().item()

    def __bool__(self) -> bool:
        return bool(
            self._number(
                "bool(x), which `if`, `while`, `and` and `assert` ask for,",
                "Use cond(pred, f, g) or where(pred, x, y) in place of `if`, while_loop for `while`, & and | for `and` "
                "and `or`, checking(f) for `assert`, or mark the argument static (static_argnums)",
                integral=True,
                several="one answer is any(x) or all(x); for one of each element write & and | in place of `and` and "
                "`or`, ~x in place of `not x`, and (a < x) & (x < b) in place of a < x < b",
            )
        )

    def __int__(self) -> int:
        return int(
            self._number("int(x)", "Mark the argument static (static_argnums), or keep it an array", integral=True)
        )

    def __float__(self) -> float:
        return float(self._number("float(x)", _KEEP))

    def __complex__(self) -> complex:
        return complex(self._number("complex(x)", _KEEP))

    def __index__(self) -> int:
        if not issubclass(self.aval.dtype, Integer) or self.aval.ndim:
            raise ArgumentError(f"only an integer array of rank 0 can be an index of Python, got {self.aval}")
        return int(self._number("a Python integer", STATIC, integral=True))

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        host = self._demand("numpy.asarray(x), which numpy.array([x, …]) asks for too,", OURS, bare=True).lend()
        if dtype is not None and np.dtype(dtype) != host.dtype:
            if copy is False:
                raise ArgumentError(f"numpy.asarray(x): copy=False, but {host.dtype} must be copied to {dtype}")
            return host.astype(dtype)
        return host.copy() if copy else host

    @property
    def __numpy_dtype__(self) -> np.dtype[Any]:
        """The dtype for `numpy.result_type(x)`, which other libraries call."""
        return self.aval.dtype.dtype

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Run NumPy's ufuncs as functions of effax; a NumPy array on the left of an operator defers to this."""
        return _protocols().ufunc(ufunc, method, inputs, options)

    def __array_function__(
        self, function: Callable[..., Any], types: object, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> object:
        """Run NumPy's other functions as functions of effax."""
        return _protocols().function(function, args, kwargs)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType:
        """A DLPack capsule of the array's elements on the host: of a copy, or with `copy=False` of its own memory.

        That memory is read-only, and not all who take it heed that, so it is lent to those who ask for it. Raises
        BufferError where they, or `dl_device`, rule out what is possible, ArgumentError for a `stream`.
        """
        if stream is not None:
            raise ArgumentError(f"x.__dlpack__: stream must be None, the elements are on the host; got {stream!r}")
        host = self._demand("x.__dlpack__()", "Return it from the transformed function first", bare=True).lend()
        options = {"max_version": max_version, "dl_device": dl_device, "copy": copy is None or copy}
        exported: CapsuleType = import_module("effects.arrays.dlpack").exported(host, options)
        return exported

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._demand("x.__dlpack_device__()", "Return it first").lend().__dlpack_device__()

    def __dir__(self) -> list[str]:
        """Names of the attributes that users compute with."""
        return [name for name in super().__dir__() if name not in _FOR_HANDLERS]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.aval})"

    def __format__(self, spec: str) -> str:
        if not spec:
            return (
                repr(self)
                if self.aval.ndim or self.known() is None
                else str(self._demand("str(x)", "Print it after jit").fetch().item())
            )
        if self.aval.ndim:
            raise ArgumentError(
                f"a format such as {spec!r} is for one number, got {self.aval}; format x[i] or x.tolist()"
            )
        advice = f"Print it when the program runs: debug_print('{{:{spec}}}', x)"
        return format(self._demand(f"format(x, {spec!r})", advice).fetch().item(), spec)


def _protocols() -> Any:
    """The counterparts of NumPy's functions; imported on first use, since few programs need them."""
    return import_module("effects.arrays.protocols")


_KEEP: Final = "Keep it an array: `effects` has the functions of math, as fx.exp, and fx.stack([x, y]) joins numbers"
