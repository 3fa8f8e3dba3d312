"""Operators and methods of arrays that can be assigned to: those of arrays, giving such arrays; and those in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from effects.arrays.array import Array
from effects.arrays.methods import BINARY, COMPARISONS, COMPOSED
from effects.functions.elementwise import bits
from effects.types import dtypes
from effects.types.dtypes import DTypeLike
from handlers.assignment.array import WritableArray, as_writable, in_memory_order_of
from handlers.assignment.numpy_calls import array_function, array_ufunc

_SYMBOLS: Final = {
    **{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@"},
    **{"and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"},
}
_RETURNING_NEW: Final = (
    *("all", "any", "argmax", "argmin", "argpartition", "argsort", "choose", "clip", "compress", "conj", "conjugate"),
    *("cumprod", "cumsum", "dot", "max", "mean", "min", "nonzero", "prod", "ptp", "repeat", "round", "searchsorted"),
    *("std", "sum", "take", "to_device", "trace", "var"),
)
"""Methods that return new arrays."""


def _method(name: str, function: Callable[..., Any], of_elements: bool) -> None:
    def method(self: WritableArray, *others: Any, **options: Any) -> Any:
        result = function(self.now(), *[_now(other) for other in others], **options)
        if result is NotImplemented:
            return result
        array = as_writable(self.owner, result)
        return in_memory_order_of(array, (self, *others)) if of_elements else array

    method.__name__ = name
    setattr(WritableArray, name, method)


def _now(x: object) -> object:
    return x.now() if isinstance(x, Array) else x


def _in_place(name: str, symbol: str, function: Callable[..., Any]) -> None:
    def method(self: WritableArray, other: Any) -> Any:
        result = function(self.now(), _now(other))
        if result is NotImplemented:
            return result
        return as_writable(self.owner, result) if self.number else self.updated(symbol, result)

    method.__name__ = name
    setattr(WritableArray, name, method)


def _view(self: WritableArray, dtype: DTypeLike | None = None) -> WritableArray:
    """The array, where the dtype is its own; else its bytes as elements of `dtype`, which are read-only."""
    target = self.aval.dtype if dtype is None else dtypes.as_dtype(dtype)
    if target is self.aval.dtype:
        return self
    result = self.fresh(bits.view(self.now(), target))
    result.read_only = True
    return result


for name, method in (("__array_ufunc__", array_ufunc), ("__array_function__", array_function), ("view", _view)):
    setattr(WritableArray, name, method)
for name in ["neg", "pos", "abs", "invert", "round", *COMPARISONS]:
    _method(f"__{name}__", getattr(Array, f"__{name}__"), of_elements=True)
for name in [*BINARY, *COMPOSED]:
    for reflected in ("", "r"):
        own = f"__{reflected}{name}__"
        _method(own, getattr(Array, own), of_elements=name != "matmul")
for name, symbol in _SYMBOLS.items():
    _in_place(f"__i{name}__", symbol, getattr(Array, f"__{name}__"))
for name in _RETURNING_NEW:
    _method(name, getattr(Array, name), of_elements=False)
