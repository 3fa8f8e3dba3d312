"""NumPy's own functions on arrays that can be assigned to, and those that write: `out=`, `ufunc.at`, `copyto`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.arrays.protocols import AT
from effects.functions.elementwise import logic
from handlers.assignment.array import WritableArray, as_writable
from handlers.assignment.namespace import VIEWS, written


def _copyto(x: Array, src: Any, casting: str = "same_kind", where: Any = True) -> Array:
    new = as_array(src, "numpy.copyto", "src")
    if casting == "unsafe":
        new = new.astype(x.dtype)
    return fx.broadcast_to(new, x.shape) if where is True else logic.where(where, new, x)


def _put(x: Array, ind: Any, v: Any, mode: str = "raise") -> Array:
    positions = np.ravel(ind) if isinstance(ind, list | tuple) else ind
    values = fx.resize(as_array(v, "numpy.put", "v"), np.shape(positions))
    return x.ravel().at[positions].set(values).reshape(x.shape)


_WRITES: Final[dict[object, Callable[..., Array]]] = {
    np.copyto: _copyto,
    np.fill_diagonal: fx.fill_diagonal,
    np.put: _put,
    np.put_along_axis: fx.put_along_axis,
    np.putmask: lambda x, mask, values: logic.where(mask, fx.resize(values, x.shape), x),
}
"""The new elements of the first argument, for NumPy's functions that write to it."""


def array_ufunc(self: WritableArray, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """NumPy's elementwise functions, and their `at`."""
    name = f"numpy.{ufunc.__name__}"
    x, *others = inputs
    if method == "at" and isinstance(x, WritableArray) and ufunc.__name__ in AT:
        key, *values = others
        written(f"{name}.at", x, getattr(x.now().at[key], AT[ufunc.__name__])(*values))
        return None
    outs, options = _split_outs(options)
    if not any([isinstance(value, Array) for value in inputs]):
        inputs = (as_array(x, name, "x"), *others)
    result = as_writable(self.owner, Array.__array_ufunc__(self, ufunc, method, *inputs, **options))
    return _into(name, outs, result) if outs else result


def array_function(
    self: WritableArray, function: Callable[..., Any], types: object, args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """NumPy's other functions, giving ordinary arrays, which cannot be assigned to, where NumPy's would be a view."""
    name = f"numpy.{function.__name__}"
    if function in _WRITES and args and isinstance(args[0], WritableArray):
        written(name, args[0], _WRITES[function](args[0].now(), *args[1:], **options))
        return None
    outs, options = _split_outs(options)
    result = Array.__array_function__(self, function, types, args, options)
    if outs:
        return _into(name, outs, as_writable(self.owner, result))
    return result if function.__name__ in VIEWS else as_writable(self.owner, result)


type _Outs = tuple[WritableArray | None, ...]


def _split_outs(options: dict[str, Any]) -> tuple[_Outs, dict[str, Any]]:
    """The arrays of `out=` and the other options; () where some cannot be assigned to, which is refused later."""
    out = options.get("out")
    outs = out if isinstance(out, tuple) else (out,)
    if all([part is None for part in outs]) or not all(
        [part is None or isinstance(part, WritableArray) for part in outs]
    ):
        return (), options
    return outs, {name: value for name, value in options.items() if name != "out"}


def _into(name: str, outs: _Outs, result: Any) -> Any:
    """The arrays of `out=`, after the results of a function are written to them."""
    if len(outs) == 1 and outs[0] is not None:
        return written(name, outs[0], result)
    return tuple([part if out is None else written(name, out, part) for out, part in zip(outs, result, strict=True)])
