"""The functions of `effects`, giving arrays that can be assigned to: the namespace of such arrays.

A result is a view here where that of NumPy's function is one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from effects.arguments import shown
from effects.arrays.array import Array
from effects.arrays.operators import DT, Sh
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.creation.creation import Nested, Sizes
from effects.types.dtypes import DTypeOf
from handlers.assignment.array import Shadow, WritableArray, as_writable, in_memory_order_of
from handlers.assignment.lenses import rearranged
from handlers.assignment.memory import memory_here

_METHODS: Final = ("reshape", "ravel", "squeeze", "astype")
_PERMUTING: Final = ("permute_dims", "transpose", "matrix_transpose", "swapaxes", "moveaxis", "rollaxis")
_MOVING: Final = (
    *("expand_dims", "atleast_1d", "atleast_2d", "atleast_3d", "flip", "flipud", "fliplr", "rot90"),
    *("split", "array_split", "hsplit", "vsplit", "dsplit", "unstack", "broadcast_to", "diag"),
)
"""Functions that move elements, and return views in NumPy."""
VIEWS: Final = frozenset({*_METHODS, *_PERMUTING, *_MOVING, "real", "imag", "asarray", "diagonal"})
_IN_PLACE: Final = ("put_along_axis", "fill_diagonal")
"""Functions that write to their first argument, as in NumPy; these return it, too."""


@final
class Namespace(ModuleType):
    """A module of the library whose functions take arrays that can be assigned to, and give such."""

    def __init__(self, of: str) -> None:
        super().__init__(f"writable.{of}", f"The functions of {of}, giving arrays that can be assigned to.")
        self._of = of

    if TYPE_CHECKING:  # the functions that create arrays; type checkers know no others

        def zeros(self, shape: Sizes, dtype: DTypeOf[DT] | None = None) -> WritableArray[DT]:
            raise NotImplementedError

        ones = empty = zeros

        def asarray(self, obj: Nested, dtype: DTypeOf[DT] | None = None) -> WritableArray[DT]:
            raise NotImplementedError

        def copy(self, x: Array[DT, Sh], /) -> WritableArray[DT, Sh]:
            raise NotImplementedError

        zeros_like = ones_like = empty_like = copy

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__array_api_version__", "__array_namespace_info__"):
            raise AttributeError(name)
        value: object = getattr(import_module(self._of), name)
        if isinstance(value, ModuleType):
            value = Namespace(value.__name__)
        elif callable(value) and not isinstance(value, type) and not name.startswith("_"):
            value = _assignable(name, value)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return dir(import_module(self._of))


def _assignable(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, out: WritableArray | None = None, **options: Any) -> Any:
        memory = memory_here()
        if memory is None:
            raise ArgumentError(f"{name}: writable arrays exist only inside writable(f) or writing()")
        if out is not None and not isinstance(out, WritableArray):
            raise ArgumentError(f"{name}: out must be an array that can be assigned to, got {out!r}")
        if name.startswith("atleast_") and len(args) > 1:
            return tuple([called(x, **options) for x in args])
        if name in _IN_PLACE and args and isinstance(args[0], WritableArray):
            return written(name, args[0], function(*args, **options))
        result = _view(name, function, args, options)
        if result is None:
            result = as_writable(memory, function(*args, **options))
            if name == "copy" or _is_of_elements(name):
                result = in_memory_order_of(result, args)
        return result if out is None else written(name, out, result)

    return called


def _is_of_elements(name: str) -> bool:
    """Test for the name of a function of elements; `matmul` and its like are universal functions of vectors."""
    function = getattr(np, name, None)
    return isinstance(function, np.ufunc) and function.signature is None


def written(name: str, out: WritableArray, result: object) -> WritableArray:
    """`out`, after the result is assigned to it; results of NumPy's elementwise functions are broadcast to it."""
    out.checked(f"{name}: out")
    if not isinstance(result, Array):
        raise ArgumentError(f"{name}: out is one array, but {name} returns {shown(result)}")
    if result.aval.shape != out.shape and not _is_of_elements(name):
        raise ShapeError(f"{name}: out must have the shape of the result, {result.aval}, got {out.aval}")
    if not np.can_cast(result.aval.dtype.dtype, out.aval.dtype.dtype, "same_kind"):
        raise DTypeError(f"{name}: out keeps its dtype, {out.aval}, which the result, {result.aval}, does not become")
    out[...] = result
    return out


def _view(name: str, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The function as one that returns views of its first argument; None for functions that return none."""
    x = args[0] if args else None
    if not isinstance(x, WritableArray):
        return None
    if name == "reshape" and "shape" in options and len(args) == 1:
        return x.reshape(options["shape"], **{key: value for key, value in options.items() if key != "shape"})
    if name in _METHODS:
        return getattr(x, name)(*args[1:], **options)
    if name in _PERMUTING:
        theirs = getattr(np, name)
        return x.permuted(lambda a: (function if isinstance(a, Array) else theirs)(a, *args[1:], **options))
    if name in ("real", "imag") and len(args) == 1 and not options:
        return getattr(x, name)
    if name == "asarray" and options.keys() <= {"dtype", "copy"}:
        plain = function(x, *args[1:], **options)
        if plain.aval.dtype is not x.dtype or options.get("copy"):
            return x.fresh(plain)
        return x if x.ndim else x.copy()
    if name == "diagonal":
        return x.moved(lambda a: function(a, *args[1:], **options), lambda a: _diagonal(a, *args[1:], **options))
    if name in _MOVING:
        return _moved(x, function, getattr(np, name), args[1:], options)
    return None


def _diagonal(x: Shadow, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Shadow:
    return x.diagonal(offset, axis1, axis2)


def _moved(
    x: WritableArray,
    function: Callable[..., Any],
    theirs: Callable[..., Any],
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> Any:
    """Views by a function that moves elements; NumPy's function `theirs` moves the shadow, and positions."""
    results = function(x.now(), *args, **options)
    if isinstance(results, Array):
        return x.moved(lambda a: function(a, *args, **options), lambda a: theirs(a, *args, **options))
    positions = theirs(np.arange(x.size).reshape(x.shape), *args, **options)
    shadows = theirs(x.shadow(), *args, **options)
    views = [
        x.part(shadow, rearranged(lambda a, i=i: function(a, *args, **options)[i], place))  # type: ignore[misc]
        for i, (shadow, place) in enumerate(zip(shadows, positions, strict=True))
    ]
    return type(results)(views)


NAMESPACE: Final = Namespace("effects")
"""Result of `x.__array_namespace__()`, for an array that can be assigned to."""
