"""Python while the program runs: `debug_print`, `debug_callback`, `pure_callback`, `io_callback`.

A callback gets read-only NumPy arrays in the place of arrays, everything else unchanged, and is called exactly as often
as the program says, whatever the transformations: never dropped, hoisted out of a loop or repeated by a derivative.

| | `vmap` | `cond`, `while_loop` | derivatives |
|---|---|---|---|
| debug | once per lane | where it is reached, by the lanes that reach it | primal values, once |
| io | the same; refused if ordered | the same | refused |
| pure | by `vmap_method` | the same, but all lanes reach everything where the lanes differ | refused |

Where derivatives are refused, a callback with constant operands or without floating-point results passes. Exceptions of
a callback reach the caller of the program unchanged. A compiled program with callbacks runs on the CPU, and has called
them all when its call returns.
"""

from __future__ import annotations

import inspect
import string
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, overload

import numpy as np

from effects.arguments import check_callable, choice, describe, flag, function_name, refusal
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf, scalar
from effects.errors import ArgumentError
from effects.operations.callbacks import Callback, CallbackKind, OnTrees
from effects.program.chain import perform
from effects.runtime.cpython.source import user_location
from effects.trees.pytree import tree_flatten, tree_leaves_with_path, tree_map, tree_unflatten
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.dtypes import as_dtype
from effects.types.signatures import MYPY, P, R, Signature
from handlers.transformations.calls.types import Tree

type VmapMethod = Literal["sequential", "expand_dims", "broadcast_all"]
"""Ways to call a callback that computes for all lanes of a `vmap`."""

_NUMBERS: Final = (Array, np.ndarray, np.generic, int, float, complex)
"""Types of values that callbacks get as arrays."""
_NO_OPERAND: Final = scalar(False, dtypes.bool_)


class _Formatter(string.Formatter):
    """Python's formatter, which formats arrays of one element as numbers."""

    def format_field(self, value: Any, format_spec: str) -> str:
        alone = format_spec and isinstance(value, np.ndarray) and value.size == 1
        return str(super().format_field(value.item() if alone else value, format_spec))


_FORMATTER: Final = _Formatter()


class _Printer:
    """Prints its arguments in a format; equal for equal formats."""

    def __init__(self, fmt: str) -> None:
        self.fmt = fmt
        self.__name__ = "print"

    def __call__(self, *args: object, **kwargs: object) -> None:
        print(_FORMATTER.format(self.fmt, *args, **kwargs))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Printer) and other.fmt == self.fmt

    def __hash__(self) -> int:
        return hash(self.fmt)


def debug_print(fmt: str, *args: object, ordered: bool = False, **kwargs: object) -> None:
    """Print `fmt.format(*args, **kwargs)` when the program reaches this point, with the current values of the arrays.

    Arrays of one element are formatted like numbers. `ordered` ones print in the order of the program among themselves;
    others do too unless they are compiled. Raises ArgumentError when the placeholders do not fit the arguments.

    >>> from lowering import jit
    >>> def f(x):
    ...     debug_print("x is {:.1f} and {twice}", x, twice=2 * x)
    ...     return x
    >>> y = jit(f)(1.5)
    x is 1.5 and 3.0
    """
    _check_format(fmt, args, kwargs)
    _perform(CallbackKind.DEBUG, "debug_print", _Printer(fmt), None, args, kwargs, ordered=ordered)


def debug_callback(f: Callable[..., object], *args: object, ordered: bool = False, **kwargs: object) -> None:
    """Call `f(*args, **kwargs)` when the program reaches this point, and ignore its result. `ordered` is as for
    `debug_print`.

    >>> seen = []
    >>> debug_callback(seen.append, 1.5)
    >>> seen
    [array(1.5)]
    """
    check_callable("debug_callback", f)
    _perform(CallbackKind.DEBUG, "debug_callback", f, None, args, kwargs, ordered=ordered)


class Calling[V, O]:
    """Type of the callbacks with a result: `V` is what `vmap_method` may be, `O` what `ordered` may."""

    @overload
    def __call__(
        self,
        f: Callable[..., object],
        result_types: ShapedArray,
        *args: object,
        vmap_method: V = ...,
        ordered: O = ...,
        **kwargs: object,
    ) -> Array: ...
    @overload
    def __call__[A: Array | None](
        self,
        f: Callable[..., object],
        result_types: A,
        *args: object,
        vmap_method: V = ...,
        ordered: O = ...,
        **kwargs: object,
    ) -> A: ...
    @overload
    def __call__(
        self,
        f: Callable[..., object],
        result_types: tuple[ShapedArray, ShapedArray],
        *args: object,
        vmap_method: V = ...,
        ordered: O = ...,
        **kwargs: object,
    ) -> tuple[Array, Array]: ...
    @overload
    def __call__(
        self,
        f: Callable[..., object],
        result_types: tuple[ShapedArray, ...],
        *args: object,
        vmap_method: V = ...,
        ordered: O = ...,
        **kwargs: object,
    ) -> tuple[Array, ...]: ...
    @overload
    def __call__(
        self,
        f: Callable[..., object],
        result_types: list[ShapedArray],
        *args: object,
        vmap_method: V = ...,
        ordered: O = ...,
        **kwargs: object,
    ) -> list[Array]: ...
    @overload
    def __call__[K](
        self,
        f: Callable[..., object],
        result_types: dict[K, ShapedArray],
        *args: object,
        vmap_method: V = ...,
        ordered: O = ...,
        **kwargs: object,
    ) -> dict[K, Array]: ...
    @overload
    def __call__(
        self,
        f: Callable[..., object],
        result_types: Tree,
        *args: object,
        vmap_method: V = ...,
        ordered: O = ...,
        **kwargs: object,
    ) -> Any: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


if MYPY:
    Pure = lambda function: Calling[VmapMethod, object]().__call__
    Acting = lambda function: Calling[object, bool]().__call__
else:

    class Pure(Calling[VmapMethod, object], Signature[P, R]): ...

    class Acting(Calling[object, bool], Signature[P, R]): ...


@Pure
def pure_callback(
    f: Callable[..., object], result_types: Any, *args: object, vmap_method: VmapMethod = "sequential", **kwargs: object
) -> Any:
    """`f(*args, **kwargs)`, computed by Python; the results depend only on the arguments.

    `result_types` is the tree of the result, whose leaves are anything with a shape and a dtype: `ShapedArray`s, or
    arrays like it. Under `vmap`, the `vmap_method` "sequential" calls `f` once per lane. The others call it once, and
    every array and result has a leading axis for the lanes: all lanes in "broadcast_all", size one in "expand_dims" for
    arrays that are the same in all lanes.

    Raises TreeError, ShapeError or DTypeError, pointing here, when `f` returns another type; MissingRule under
    derivatives.

    >>> import effects as fx
    >>> import numpy as np
    >>> x = fx.asarray([3.0, 1.0, 2.0])
    >>> pure_callback(np.sort, x, x)
    Array([1., 2., 3.], float64)
    """
    check_callable("pure_callback", f)
    choice("pure_callback", "vmap_method", vmap_method, VmapMethod)
    return _perform(CallbackKind.PURE, "pure_callback", f, result_types, args, kwargs, vmap_method=vmap_method)


@Acting
def io_callback(
    f: Callable[..., object], result_types: Any, *args: object, ordered: bool = False, **kwargs: object
) -> Any:
    """`f(*args, **kwargs)`, called for its side effects; the result is as for `pure_callback`.

    `ordered` ones are called in the order of the program.

    >>> import effects as fx
    >>> from lowering import jit
    >>> numbers = iter([1.0, 2.0, 3.0])
    >>> jit(lambda: io_callback(lambda: next(numbers), fx.ShapedArray((), fx.float64)))()
    Array(1., float64)
    """
    check_callable("io_callback", f)
    return _perform(CallbackKind.IO, "io_callback", f, result_types, args, kwargs, ordered=ordered)


def _perform(
    kind: CallbackKind,
    caller: str,
    f: Callable[..., object],
    result_types: object,
    args: tuple[object, ...],
    kwargs: dict[str, object],
    *,
    ordered: bool = False,
    vmap_method: VmapMethod = "sequential",
) -> Any:
    if not args and not kwargs:
        _check_types_are_given(caller, f)
    leaves, in_tree = tree_flatten((args, kwargs))
    are_arrays = [isinstance(leaf, _NUMBERS) for leaf in leaves]
    operands = [
        as_leaf(leaf, caller, "an argument") for leaf, is_array in zip(leaves, are_arrays, strict=True) if is_array
    ]
    others = tuple([None if is_array else (leaf,) for leaf, is_array in zip(leaves, are_arrays, strict=True)])
    ordered = flag(caller, "ordered", ordered)
    types, out_tree = _result_types(caller, result_types)
    function = OnTrees(f, caller, in_tree, others, types, out_tree, kind is CallbackKind.DEBUG, user_location(3))
    results = perform(Callback(kind, function, ordered, vmap_method, tuple(operands) or (_NO_OPERAND,)))
    return tree_unflatten(out_tree, results)


def _check_types_are_given(caller: str, f: Callable[..., object]) -> None:
    """Refuse a call without arguments of a function that needs some: its result types were left out."""
    try:
        if not isinstance(f, np.ufunc):
            inspect.signature(f).bind()
            return
    except ValueError:  # its parameters are unknown
        return
    except TypeError:
        pass
    raise ArgumentError(
        f"{caller}: {function_name(f)} is given no arguments, and takes some; the types of its results come before "
        f"them: write {caller}({function_name(f)}, result_types, *args)"
    )


def _result_types(caller: str, result_types: object) -> tuple[tuple[ShapedArray, ...], Any]:
    leaves, out_tree = tree_flatten(result_types)
    types: list[ShapedArray] = []
    for (path, _), leaf in zip(tree_leaves_with_path(result_types), leaves, strict=True):
        if isinstance(leaf, ShapedArray | Array):
            types.append(ShapedArray(leaf.aval.shape, leaf.aval.dtype))
        elif hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
            types.append(ShapedArray(tuple(leaf.shape), as_dtype(leaf.dtype)))
        else:
            subject = f"{caller}: result_types{path} must have a shape and a dtype, as a ShapedArray has"
            raise ArgumentError(f"{subject}, got {describe(leaf)}")
    return tuple(types), out_tree


def _check_format(fmt: str, args: Sequence[object], kwargs: dict[str, object]) -> None:
    if not isinstance(fmt, str):
        raise refusal("debug_print", "fmt", "a format", fmt, "write debug_print('{}', x)")
    try:
        used = _placeholders(fmt)
    except ValueError as error:
        raise ArgumentError(
            f"debug_print: fmt {fmt!r} is not a valid format: {error}; double the braces of the text"
        ) from None
    names = {*range(len(args)), *kwargs}
    if used - names:
        got = f"{len(args)} by position and {', '.join(kwargs) or 'none'} by name"
        raise ArgumentError(f"debug_print: fmt {fmt!r} asks for {_listed(used - names)}, and given are {got}")
    if names - used:
        raise ArgumentError(f"debug_print: fmt {fmt!r} does not use {_listed(names - used)}")
    if any([spec or {*".["}.intersection(field or "") for _, field, spec, _ in string.Formatter().parse(fmt)]):
        _check_fit(fmt, args, kwargs)


def _check_fit(fmt: str, args: Sequence[object], kwargs: dict[str, object]) -> None:
    """Refuse a format that does not fit, by formatting zeros in place of the later numbers."""
    args, kwargs = tree_map(_like_what_is_printed, (args, kwargs))
    try:
        _FORMATTER.format(fmt, *args, **kwargs)
    except Exception as error:  # of any formatted object
        raise ArgumentError(
            f"debug_print: fmt {fmt!r} does not fit the arguments: {error}; print an array of several elements "
            "by {}, or its elements, {0[1]:.2f}"
        ) from None


def _like_what_is_printed(leaf: object) -> object:
    if not isinstance(leaf, _NUMBERS):
        return leaf
    aval = as_leaf(leaf, "debug_print", "an argument").aval
    return np.broadcast_to(np.zeros((), aval.dtype.dtype), aval.shape)


def _placeholders(fmt: str) -> set[str | int]:
    """The arguments that a format uses, by position or name."""
    used: set[str | int] = set()
    automatic = 0
    waiting = [fmt]
    while waiting:
        for _, field, spec, _ in string.Formatter().parse(waiting.pop(0)):
            if field is not None:
                name = field.replace("[", ".").split(".")[0]
                used.add(int(name) if name.isdigit() else name or automatic)
                automatic += not name
                waiting.append(spec or "")  # it may have placeholders of its own
    return used


def _listed(names: set[str | int]) -> str:
    return ", ".join(sorted(f"argument {name + 1}" if isinstance(name, int) else name for name in names))
