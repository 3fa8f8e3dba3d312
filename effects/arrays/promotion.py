"""Promotion of arguments: public functions make arrays of them and give them one dtype.

Arrays keep their dtype, NumPy arrays and scalars become arrays, Python scalars are weak: they adopt the dtype of the
arrays beside them.
"""

from __future__ import annotations

import re
from collections.abc import Buffer, Callable, Iterable, Iterator, Sequence, Set
from dataclasses import is_dataclass
from enum import Enum
from importlib import import_module
from typing import Final

import numpy as np

from effects.arguments import describe, integer, refusal, shown
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, concrete, from_host
from effects.errors import ArgumentError, DTypeError
from effects.operations.elementwise import Convert
from effects.program.chain import perform
from effects.runtime.caches import SMALL, Cache
from effects.runtime.memory_errors import memory_errors
from effects.runtime.numpy_warnings import quiet
from effects.types import dtypes, promotion
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType, DTypeLike

_PYTHON_SCALARS: Final = (bool, int, float, complex)
_STATIC: Final = ("jit", "checkpoint", "make_jaxpr")  # what has static arguments
_COMPLEX: Final[tuple[type, ...]] = (complex,)
_scalars: Final[Cache[object, Concrete]] = Cache(SMALL)


def as_array(value: object, function: str, argument: str, *, leaf: bool = False) -> Array:
    """`value` as an array: a Python scalar gives a weakly typed one. `function` and `argument` name it in errors.

    Nested lists and tuples of numbers and arrays are arrays, as in NumPy. Raises ArgumentError for anything else, which
    says what to do: of a `leaf`, how it is kept out of its tree.
    """
    if isinstance(value, Array):
        return value.now() if value.assigned else value
    if isinstance(value, _PYTHON_SCALARS) and not isinstance(value, np.generic):  # NumPy's float64 is a float, too
        kind = type(value)
        if kind not in _PYTHON_SCALARS:
            kind = next(k for k in _PYTHON_SCALARS if isinstance(value, k))  # an IntEnum is an int
        number = value if type(value) is kind else kind(value)  # type: ignore[arg-type]  # a complex is complex only
        return scalar(number, dtypes.default_of(kind), weak_type=True, function=function, argument=argument)
    if isinstance(value, np.ndarray | np.generic):
        native = value.dtype.newbyteorder("=")
        if native not in dtypes.BY_NUMPY:
            raise ArgumentError(
                f"{function}: {argument} is a NumPy array of dtype {value.dtype}, which arrays cannot have"
            )
        if type(value) is not np.ndarray and hasattr(type(value), "mask"):
            raise ArgumentError(
                f"{function}: {argument} is a masked array, whose mask would be lost; fill it, "
                f"{argument}.filled(value), and choose with where(mask, x, y)"
            )
        with memory_errors:
            return from_host(np.array(value, dtype=native, order="C", copy=True))
    if type(value) in (list, tuple, range):
        nested = import_module("effects.functions.creation.nested_sequences")
        result: Array = nested.of_sequence(value, None, function, argument)
        return result
    if isinstance(value, list | tuple):  # a user's class is not the array of its fields
        raise ArgumentError(
            f"{function}: {argument} is of type {type(value).__name__}; asarray({argument}) makes an array of it"
        )
    advice = _advice(value, function, argument, leaf)
    raise ArgumentError(f"{function}: {argument} must be an array or a number, got {describe(value)}{advice}")


def as_leaf(value: object, function: str, argument: str) -> Array:
    """`value` as an array where it stands in a tree, in which lists and tuples hold others."""
    if isinstance(value, list | tuple):
        raise refusal(function, argument, "one array, no tree", value)
    return as_array(value, function, argument, leaf=True)


def _advice(value: object, function: str, argument: str, leaf: bool) -> str:
    of_result = argument.startswith("the result")  # of a user's function, as its callers name it
    if type(value).__module__ == "effects.random.keys":
        return (
            "; keys are no numbers: tree_map(lambda *keys: stack(keys), first, second) puts several together, and "
            "tree_map(lambda x: reshape(x, shape), keys) moves them"
        )
    if isinstance(value, bytes):
        return "; memoryview(x) is an array of uint8, for asarray"
    if isinstance(value, Buffer) or any([hasattr(type(value), p) for p in ("__array__", "__dlpack__")]):
        return ", an array of another library; convert it with asarray"
    if value is None and function in ("equal", "not_equal"):
        return "; test for None with `is`"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return "; a type stands for an array where nothing is computed: in lower, trace, eval_shape, make_jaxpr, export"
    if function == "trace" and callable(value):
        return "; the program of a function is traced by trace, of lowering"
    if of_result and (value is None or isinstance(value, Iterator)):
        return ""
    if isinstance(value, str | bytes | Enum) or (callable(value) and not _holds_arrays(value)):
        field = re.search(r"\.(\w+)( of |$)", argument)
        if leaf and field:
            name = field[1]
            return f"; a field for Python is static: register(static=[{name!r}]) on the class of {name}"
    elif leaf:
        of_others = "" if is_dataclass(value) else ", if it is a dataclass, and use register_node if not"
        argument_of = function in _STATIC and not of_result
        static = "; or name the argument in static_argnums, if it is a value for Python" if argument_of else ""
        return f"; write @effects.register above class {type(value).__name__}{of_others}{static}"
    if function in _STATIC and leaf and not of_result:
        return "; name it in static_argnums or static_argnames if it is a value for Python"
    if leaf:
        return "; keep what is no number out of the tree, or in a static field of a registered class"
    if isinstance(value, dict):
        return f"; of each array in a tree it is tree_map({function}, tree)"
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return f"; write list({argument})" if not isinstance(value, Set) else f"; write sorted({argument})"
    return ""


def _holds_arrays(value: object) -> bool:
    """Return True for an object with fields that are arrays, such as a model, which may be callable."""
    return any([isinstance(field, Array) for field in getattr(value, "__dict__", {}).values()])


def scalar(
    value: complex, dtype: type[DType], *, weak_type: bool = False, function: str = "asarray", argument: str = "x"
) -> Concrete:
    """The array of rank 0 of a Python number; raises ArgumentError when `dtype` cannot hold it."""
    # Zeros of different sign are equal, also as parts of complex numbers, but not the same number.
    key = (repr(value) if not value or isinstance(value, _COMPLEX) else value, dtype, weak_type)
    cached = _scalars.recent.get(key)
    if cached is not None:
        return cached
    try:
        host = quiet.run(np.asarray, value, dtype.dtype)
    except (OverflowError, TypeError, ValueError) as error:
        raise ArgumentError(f"{function}: {argument} = {shown(value)} does not fit {dtype}: {error}") from None
    # All uses of the number share its array, so its memory is a bytes object, which is read-only.
    array = concrete(np.ndarray((), dtype.dtype, host.tobytes()), ShapedArray((), dtype, weak_type))
    return _scalars.keep(key, array)


def integer_or_array(function: str, argument: str, value: object) -> int | Array:
    """A Python int where the value is known, else the integer array of rank 0."""
    if isinstance(value, Array) and value.known() is None:
        if value.aval.ndim or not issubclass(value.aval.dtype, dtypes.Integer):
            raise refusal(function, argument, "an int or an integer array of rank 0", value)
        return value
    return integer(function, argument, value)


def convert(x: Array, dtype: type[DType], weak_type: bool = False) -> Array:
    """`x` as `dtype`; `x` itself when it has that dtype already."""
    if x.aval.dtype is dtype:
        return x
    return perform(Convert(dtype, weak_type, x))


def strong(x: Array) -> Array:
    """`x` with a strong type, which does not adopt the dtype of arrays beside it."""
    return perform(Convert(x.aval.dtype, False, x)) if x.aval.weak_type else x


def at_least_single(x: Array) -> Array:
    """`x`, in float32 if its floats are narrower."""
    return convert(x, dtypes.float32) if x.aval.dtype in dtypes.NARROW else x


def rounded_once(f: Callable[..., Array], *xs: Array) -> Array:
    """f(*xs) for a function of several operations, computed in float32 and rounded once for narrow floats."""
    dtype = xs[0].aval.dtype
    if dtype not in dtypes.NARROW:
        return f(*xs)
    result = f(*[convert(x, dtypes.float32, x.aval.weak_type) for x in xs])
    return convert(result, dtype, result.aval.weak_type)


def to_dtype(x: Array, dtype: DTypeLike, function: str, argument: str) -> Array:
    """`x` as `dtype`, for functions that must not drop imaginary parts silently, and refuse to."""
    target = dtypes.as_dtype(dtype)
    if issubclass(x.aval.dtype, dtypes.Complex) and not issubclass(target, dtypes.Complex | dtypes.bool_):
        raise DTypeError(
            f"{function}: dtype {target} would drop the imaginary part of {argument}, {x.aval}; take real({argument})"
        )
    return x if x.aval.dtype is target and not x.aval.weak_type else perform(Convert(target, False, x))


def multiplied_in(x: Array, dtype: DTypeLike, function: str, argument: str) -> Array:
    """`x` in the dtype of `preferred_element_type`, which must be of its kind or of one that holds it."""
    target = dtypes.as_dtype(dtype)
    array = to_dtype(x, target, function, argument)
    if x.aval.dtype.rank > target.rank:
        raise DTypeError(
            f"{function}: preferred_element_type {target} cannot hold {argument}, {x.aval}; convert with astype"
        )
    return array


def common_type(avals: Sequence[ShapedArray]) -> tuple[type[DType], bool]:
    """The dtype that values of these types meet in, and whether it is only Python scalars' (weak)."""
    strong = [a.dtype for a in avals if not a.weak_type]
    weak = [a.dtype for a in avals if a.weak_type]
    dtype = strong[0] if strong else weak[0]
    if strong.count(dtype) < len(strong):
        dtype = promotion.promote_all(strong)
    for other in weak:
        if other is not dtype:
            dtype = promotion.promote_weak(dtype, other)
    return dtype, not strong


def promoted(function: str, **arguments: object) -> list[Array]:
    """The arguments as arrays of their common dtype."""
    arrays = [as_array(v, function, name) for name, v in arguments.items()]
    dtype, weak = common_type([array.aval for array in arrays])
    return [
        as_type(v, dtype, weak, function, name) if type(v) in _PYTHON_SCALARS else convert(array, dtype, weak)
        for (name, v), array in zip(arguments.items(), arrays, strict=True)
    ]


def as_type(value: object, dtype: type[DType], weak_type: bool, function: str, argument: str) -> Array:
    """`value` as an array of exactly this dtype."""
    if type(value) in _PYTHON_SCALARS:
        return scalar(value, dtype, weak_type=weak_type, function=function, argument=argument)  # type: ignore[arg-type]  # it is one
    array = as_array(value, function, argument)
    return convert(array, dtype, weak_type)


def promote_pair(function: str, x: object, y: object, names: tuple[str, str] = ("x", "y")) -> tuple[Array, Array]:
    """`x` and `y` (called by `names` in errors) as arrays of their common dtype."""
    if isinstance(x, Array):
        if isinstance(y, Array):
            if x.aval.dtype is y.aval.dtype:
                return x, y
        elif type(y) in _PYTHON_SCALARS:
            return _beside(function, x, names[1], y)  # type: ignore[arg-type]  # y is a Python scalar
    elif type(x) in _PYTHON_SCALARS and isinstance(y, Array):
        return _beside(function, y, names[0], x)[::-1]  # type: ignore[arg-type]  # x is a Python scalar
    first, second = promoted(function, **{names[0]: x, names[1]: y})
    return first, second


def _beside(function: str, array: Array, scalar_name: str, value: complex) -> tuple[Array, Array]:
    aval = array.aval
    dtype = promotion.promote_weak(aval.dtype, dtypes.WEAK_OF[type(value)])
    other = scalar(value, dtype, weak_type=aval.weak_type, function=function, argument=scalar_name)
    return (array if dtype is aval.dtype else convert(array, dtype, aval.weak_type)), other


def inexact(function: str, x: object, argument: str = "x") -> Array:
    """`x` as an array of floating point: integers and bools become the default float."""
    if isinstance(x, Array) and x.aval.dtype in dtypes.INEXACT:
        return x
    array = as_array(x, function, argument)
    aval = array.aval
    if dtypes.is_inexact(aval.dtype):
        return array
    return convert(array, dtypes.default_of(float), aval.weak_type)


def real(function: str, x: object, argument: str = "x") -> Array:
    """`x` as an array of real floating point, as by `inexact`; complex numbers are refused."""
    array = inexact(function, x, argument)
    if issubclass(array.aval.dtype, dtypes.Complex):
        raise DTypeError(f"{function}: {argument} must be real, got {array.aval}")
    return array


def integral(function: str, x: object, argument: str = "x") -> Array:
    """`x` as an array of integers; others are refused."""
    array = as_array(x, function, argument)
    if not issubclass(array.aval.dtype, dtypes.Integer):
        raise DTypeError(f"{function}: {argument} must be of integers, got {array.aval}; convert with astype")
    return array


def constant_like(value: complex, x: Array) -> Concrete:
    """The number `value` as a scalar of the dtype of `x`."""
    aval = x.aval
    return scalar(value, aval.dtype, weak_type=aval.weak_type)
