"""The shared MLIR context, and the cached types, attributes and locations that StableHLO operations are made of.

One context serves many modules, so that a type or an attribute is created once and then costs a look-up. A context
never frees interned objects: after `MODULES` modules a new one begins, and caches of the old one's objects are cleared
(`interned`). Arrays enter a program as arguments, and only scalars and small tables as constants (`dense` refuses more
than `LARGEST_CONSTANT` elements).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, final

import ml_dtypes
import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from numpy.typing import NDArray

from effects.runtime.caches import Limit, lock, memoised
from lowering.stablehlo.dialects import empty_context

type Type = ir.Type
type Value = ir.Value[ir.Type]
type Attribute = ir.Attribute

LARGEST_CONSTANT: Final = 4096


def _make_context() -> ir.Context:
    context = empty_context()
    context.load_all_available_dialects()
    return context


@final
class _Current:
    """The context in use, its unknown location, and how many modules were and are being written in it."""

    __slots__ = ("context", "unknown", "writers", "written")

    def __init__(self) -> None:
        self.writers = 0
        self.renew()

    def renew(self) -> None:
        """Begin a new context; modules of the old one keep it alive."""
        for forget in _on_new_context:
            forget()
        self.context = _make_context()
        self.unknown: ir.Location = ir.Location.unknown(self.context)
        self.written = 0


MODULES: Final = Limit(1000)
"""Number of modules written in one context."""
_on_new_context: Final[list[Callable[[], None]]] = []
CURRENT: Final = _Current()


def interned[F: Callable[..., object]](make: F) -> F:
    """Decorator: `memoised`, with a cache that is cleared when a new context begins."""
    cached = memoised(make)
    on_new_context(cached.cache_clear)  # type: ignore[attr-defined]  # it is one of functools' caches
    return cached


def on_new_context(forget: Callable[[], None]) -> None:
    """Register a function that is called when a new context begins, to clear a cache of the old one's objects."""
    _on_new_context.append(forget)


@contextmanager
def writing() -> Iterator[None]:
    """The extent in which a module is written: all of it is in one context."""
    with lock:
        if CURRENT.written >= MODULES.count and not CURRENT.writers:
            CURRENT.renew()
        CURRENT.written += 1
        CURRENT.writers += 1
    try:
        yield
    finally:
        with lock:
            CURRENT.writers -= 1


_FLOATS: Final[dict[np.dtype[np.generic], Any]] = {
    np.dtype(scalar): element
    for scalar, element in (
        (np.float16, ir.F16Type),
        (np.float32, ir.F32Type),
        (np.float64, ir.F64Type),
        (ml_dtypes.bfloat16, ir.BF16Type),
        (ml_dtypes.float8_e3m4, ir.Float8E3M4Type),
        (ml_dtypes.float8_e4m3, ir.Float8E4M3Type),
        (ml_dtypes.float8_e4m3b11fnuz, ir.Float8E4M3B11FNUZType),
        (ml_dtypes.float8_e4m3fn, ir.Float8E4M3FNType),
        (ml_dtypes.float8_e4m3fnuz, ir.Float8E4M3FNUZType),
        (ml_dtypes.float8_e5m2, ir.Float8E5M2Type),
        (ml_dtypes.float8_e5m2fnuz, ir.Float8E5M2FNUZType),
        (ml_dtypes.float8_e8m0fnu, ir.Float8E8M0FNUType),
    )
}


@interned
def element_type(dtype: np.dtype[np.generic]) -> Type:
    """The MLIR type of one element; TypeError for a dtype that XLA does not have.

    >>> str(element_type(np.dtype("uint8"))), str(element_type(np.dtype("complex64")))
    ('ui8', 'complex<f32>')
    """
    if dtype in _FLOATS:
        element: Type = _FLOATS[dtype].get(CURRENT.context)
        return element
    if dtype.kind == "b":
        return ir.IntegerType.get_signless(1, context=CURRENT.context)
    if dtype.kind in "iu":
        make = ir.IntegerType.get_signless if dtype.kind == "i" else ir.IntegerType.get_unsigned
        return make(8 * dtype.itemsize, context=CURRENT.context)
    if dtype.kind == "c" and dtype.itemsize <= 16:
        return ir.ComplexType.get(element_type(np.dtype(f"f{dtype.itemsize // 2}")))
    raise TypeError(
        f"XLA has no element type for the dtype {dtype}; convert the array to a numeric or bool dtype first"
    )


@interned
def tensor_type(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Type:
    """`tensor<shape x dtype>`.

    >>> str(tensor_type((2, 3), np.dtype("float32")))
    'tensor<2x3xf32>'
    """
    return ir.RankedTensorType.get(shape, element_type(dtype), loc=CURRENT.unknown)


def shape_of(value: Value) -> tuple[int, ...]:
    """The shape of a tensor."""
    return tuple(ir.RankedTensorType(value.type).shape)


@interned
def i64(value: int) -> Attribute:
    """`value : i64`."""
    return ir.IntegerAttr.get(element_type(np.dtype("int64")), value)


@interned
def i32(value: int) -> Attribute:
    """`value : i32`."""
    return ir.IntegerAttr.get(element_type(np.dtype("int32")), value)


@interned
def i64s(values: tuple[int, ...]) -> Attribute:
    """`array<i64: …>`: axes, permutations, sizes, strides."""
    return ir.DenseI64ArrayAttr.get(values, context=CURRENT.context)


@interned
def i64_table(rows: tuple[tuple[int, ...], ...], columns: int) -> Attribute:
    """`dense<…> : tensor<rows x columns x i64>`: padding of windows, replica groups."""
    values = np.array(rows, dtype=np.int64).reshape(len(rows), columns)
    return ir.DenseElementsAttr.get(values, type=element_type(np.dtype("int64")), context=CURRENT.context)


@interned
def boolean(value: bool) -> Attribute:
    """`true` or `false`."""
    return ir.BoolAttr.get(value, context=CURRENT.context)


@interned
def bools(values: tuple[bool, ...]) -> Attribute:
    """`array<i1: …>`: which axes a window reverses."""
    return ir.DenseBoolArrayAttr.get(values, context=CURRENT.context)


@interned
def string(value: str) -> Attribute:
    """`"value"`."""
    return ir.StringAttr.get(value, context=CURRENT.context)


@interned
def array(attributes: tuple[Attribute, ...]) -> Attribute:
    """`[…]`: several attributes as one, e.g. the precision of each operand."""
    return ir.ArrayAttr.get(attributes, context=CURRENT.context)


@interned
def symbol(name: str) -> Attribute:
    """`@name`: a reference to a function of the module."""
    return ir.FlatSymbolRefAttr.get(name, context=CURRENT.context)


@interned
def parsed(text: str) -> Attribute:
    """Any attribute from its text, cached, for those without a function here.

    >>> str(parsed("#stablehlo<precision HIGHEST>"))
    '#stablehlo<precision HIGHEST>'
    """
    return ir.Attribute.parse(text, context=CURRENT.context)


@interned
def comparison_direction(direction: str) -> Attribute:
    """EQ, NE, GE, GT, LE or LT."""
    return stablehlo.ComparisonDirectionAttr.get(direction, context=CURRENT.context)


@interned
def comparison_type(dtype: np.dtype[np.generic]) -> Attribute:
    """Comparison type of values of `dtype`: FLOAT (complex too), SIGNED, UNSIGNED (bool too)."""
    kind = "SIGNED" if dtype.kind == "i" else "UNSIGNED" if dtype.kind in "ub" else "FLOAT"
    return stablehlo.ComparisonTypeAttr.get(kind, context=CURRENT.context)


@interned
def dot_dimensions(
    lhs_batch: tuple[int, ...], rhs_batch: tuple[int, ...], lhs_contract: tuple[int, ...], rhs_contract: tuple[int, ...]
) -> Attribute:
    """The dimension numbers of `stablehlo.dot_general`."""
    return stablehlo.DotDimensionNumbers.get(
        lhs_batching_dimensions=lhs_batch,
        rhs_batching_dimensions=rhs_batch,
        lhs_contracting_dimensions=lhs_contract,
        rhs_contracting_dimensions=rhs_contract,
        context=CURRENT.context,
    )


@interned
def gather_dimensions(*, index_vector_dim: int, **axes: tuple[int, ...]) -> Attribute:
    """The dimension numbers of `stablehlo.gather`, by StableHLO's names."""
    return stablehlo.GatherDimensionNumbers.get(index_vector_dim=index_vector_dim, context=CURRENT.context, **axes)


@interned
def scatter_dimensions(*, index_vector_dim: int, **axes: tuple[int, ...]) -> Attribute:
    """The dimension numbers of `stablehlo.scatter`, by StableHLO's names."""
    return stablehlo.ScatterDimensionNumbers.get(index_vector_dim=index_vector_dim, context=CURRENT.context, **axes)


@interned
def location(file: str, line: int) -> ir.Location:
    """The user's source line, which XLA puts into its own messages and its HLO."""
    return ir.Location.file(file, line, 0, context=CURRENT.context)


@interned
def named_location(file: str, line: int, name: str) -> ir.Location:
    """The same with a name, the function and the operation, which profiles show.

    XLA's partitioner keeps only locations with names.
    """
    return ir.Location.name(name, location(file, line), context=CURRENT.context)


def dense(value: NDArray[np.generic]) -> Attribute:
    """The elements of a small array; an array of equal elements (and a scalar) becomes a splat.

    ValueError above `LARGEST_CONSTANT` different elements: a context keeps its attributes for a thousand programs.

    >>> str(dense(np.zeros((2, 2), np.float32)))
    'dense<0.000000e+00> : tensor<2x2xf32>'
    """
    flat = np.ascontiguousarray(value).reshape(-1)
    if flat.size and (flat.view(np.uint8).reshape(flat.size, -1) == flat[:1].view(np.uint8)).all():
        return splat(value.shape, value.dtype, flat[:1].tobytes())
    if value.size > LARGEST_CONSTANT:
        raise ValueError(
            f"a constant of {value.size} elements is too large to be part of a program (at most {LARGEST_CONSTANT}): "
            "pass it as an argument"
        )
    if flat.dtype.kind == "b":  # only without a given type does MLIR read one element per byte
        return ir.DenseElementsAttr.get(flat.reshape(value.shape), context=CURRENT.context)
    return ir.DenseElementsAttr.get(flat, type=element_type(value.dtype), shape=value.shape, context=CURRENT.context)


@interned
def splat(shape: tuple[int, ...], dtype: np.dtype[np.generic], element: bytes) -> Attribute:
    """An array of one repeated element, given by its bytes (they tell -0.0 from 0.0, and one NaN from another).

    >>> str(splat((2,), np.dtype("bool"), b"\\x01"))
    'dense<true> : tensor<2xi1>'
    """
    if dtype.kind == "b":  # from bytes XLA would convert a true scalar to 255
        truth = ir.BoolAttr.get(element != b"\0", context=CURRENT.context)
        return ir.DenseElementsAttr.get_splat(tensor_type(shape, dtype), truth)
    value = np.frombuffer(element, dtype=dtype)
    return ir.DenseElementsAttr.get(value, type=element_type(dtype), shape=shape, context=CURRENT.context)
