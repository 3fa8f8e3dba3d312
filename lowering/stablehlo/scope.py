"""`Scope`: the values and the emission functions of a lowering rule.

It holds the StableHLO values of the atoms of the function that is being emitted, and emits what rules share: constants,
broadcasts, conversions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final, final

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.program.chain import ROOT, installed
from effects.program.jaxpr import Atom, Jaxpr, Literal
from effects.runtime.caches import SMALL, memoised
from effects.types.avals import ShapedArray
from effects.types.dtypes import BY_NUMPY, DType, Floating
from handlers.stage import stage
from lowering.stablehlo.builder import Attributes, Builder
from lowering.stablehlo.context import Type, Value, i64, i64s, interned, on_new_context, splat, tensor_type
from lowering.stablehlo.functions import Functions
from lowering.stablehlo.shardy import sharding_attribute

type Lowered = Value | list[Value]
type Ints = tuple[int, ...]


@final
class _Types(dict[ShapedArray, Type]):
    """The tensor type of an array type."""

    def __missing__(self, aval: ShapedArray) -> Type:
        if len(self) >= SMALL.count:
            self.clear()
        return self.setdefault(aval, tensor_type(aval.shape, aval.dtype.dtype))


TYPES: Final = _Types()
on_new_context(TYPES.clear)
FLOAT8: Final[frozenset[type[DType]]] = frozenset(
    d for d in BY_NUMPY.values() if issubclass(d, Floating) and d.dtype.itemsize == 1
)
"""The dtypes that XLA stores and converts, but does not compute with: rules compute in float32."""


@final
class Scope(dict[Atom, Value]):
    """The values of the atoms in the function that is being emitted, and emission of more values.

    Literals become constants on first use, one for each value and shape.
    """

    __slots__ = ("_constants", "builder", "functions", "op")

    def __init__(self, builder: Builder, functions: Functions) -> None:
        super().__init__()
        self.builder: Final = builder
        self.functions: Final = functions
        self.op: Final = builder.op
        """`op(name, type, values, attributes=None)` emits an operation with one result."""
        self._constants: dict[object, Value] = {}

    def __missing__(self, atom: Atom) -> Value:
        assert type(atom) is Literal, "a variable is defined before it is used"
        return self.setdefault(atom, self._splat(atom.aval.shape, atom.aval.dtype, atom.value.host.tobytes()))

    def _splat(self, shape: tuple[int, ...], dtype: type[DType], element: bytes) -> Value:
        key = (shape, dtype, element)
        constant = self._constants.get(key)
        if constant is None:
            kind = dtype.dtype
            attributes = {"value": splat(shape, kind, element)}
            constant = self.op("stablehlo.constant", tensor_type(shape, kind), (), attributes)
            self._constants[key] = constant
        return constant

    def fill(self, aval: ShapedArray, value: complex) -> Value:
        """A constant of equal elements."""
        return self._splat(aval.shape, aval.dtype, np.asarray(value).astype(aval.dtype.dtype).tobytes())

    def broadcast_to(self, atom: Atom, shape: tuple[int, ...]) -> Value:
        """The value of `atom`, broadcast to `shape` as NumPy broadcasts."""
        aval = atom.aval
        if aval.shape == shape:
            return self[atom]
        if type(atom) is Literal:
            return self._splat(shape, aval.dtype, atom.value.host.tobytes())
        result, attributes = _broadcast(aval, shape)
        return self.op("stablehlo.broadcast_in_dim", result, (self[atom],), attributes)

    def do(self, name: str, *operands: Value) -> Value:
        """An operation of StableHLO whose result has the type of its last operand: `do("add", x, y)`."""
        return self.op(f"stablehlo.{name}", operands[-1].type, operands)

    def reshape(self, value: Value, aval: ShapedArray) -> Value:
        """The elements in another shape."""
        return self.op("stablehlo.reshape", TYPES[aval], (value,))

    def broadcast(self, value: Value, aval: ShapedArray, axes: tuple[int, ...]) -> Value:
        """The value, whose axes become `axes` of `aval`, broadcast along the other ones."""
        return self.op("stablehlo.broadcast_in_dim", TYPES[aval], (value,), {"broadcast_dimensions": i64s(axes)})

    def iota(self, aval: ShapedArray, axis: int) -> Value:
        """The position of each element along an axis."""
        return self.op("stablehlo.iota", TYPES[aval], (), {"iota_dimension": i64(axis)})

    def pad(self, x: Value, fill: Value, aval: ShapedArray, low: Ints, high: Ints, interior: Ints) -> Value:
        """`x` with `low` elements `fill` before it, `high` after it, and `interior` between elements, by axis."""
        sizes = zip(("edge_padding_low", "edge_padding_high", "interior_padding"), (low, high, interior), strict=True)
        return self.op("stablehlo.pad", TYPES[aval], (x, fill), {name: i64s(tuple(size)) for name, size in sizes})

    def bits(self, value: Value, aval: ShapedArray) -> Value:
        """The bits of the value as another type."""
        return self.op("stablehlo.bitcast_convert", TYPES[aval], (value,))

    def convert(self, value: Value, aval: ShapedArray) -> Value:
        """StableHLO's own conversion of real numbers to the type `aval`."""
        return self.op("stablehlo.convert", TYPES[aval], (value,))

    def barrier(self, value: Value) -> Value:
        """The value, stored in its own memory: XLA neither repeats it for each reader nor writes it over operands."""
        return self.builder.ops("stablehlo.optimization_barrier", (value.type,), (value,))[0]

    def call(
        self,
        program: Callable[..., Sequence[Array]],
        label: str,
        values: Sequence[Value],
        avals: Sequence[ShapedArray],
        key: Hashable = None,
    ) -> list[Value]:
        """The results of `program`, a pure function of arrays, by a private function of the module.

        It is staged once for `key` and these types in a module, or without a key, as a global function, for all.
        """
        avals = tuple(avals)
        if key is None:
            body, tables = _staged(program, label, avals)
        else:
            body, tables = self.functions.staged((key, avals), lambda: _stage(program, label, avals))
        constants = [self.builder.constant(table.fetch()) for table in tables if isinstance(table, Concrete)]
        types = [TYPES[aval] for aval in body.out_avals]
        return self.builder.call(self.functions.symbol(body, label), types, [*constants, *values])

    def whole_along(self, value: Value, aval: ShapedArray, axes: Sequence[int]) -> Value:
        """The value, kept whole along these axes by the partitioner."""
        functions = self.functions
        if functions.layout is None or not functions.parted or not axes:
            return value
        free = tuple([axis for axis in range(aval.ndim) if axis not in axes])
        sharding = sharding_attribute(functions.mesh(functions.layout.mesh), ((),) * aval.ndim, free)
        return self.op("sdy.sharding_constraint", TYPES[aval], (value,), {"sharding": sharding})

    def with_part(self, x: Value, part: Value, starts: Sequence[Value]) -> Value:
        """x with a part of it written.

        XLA may compute the part while it writes it into the memory of x: a part that reads elements of x at other
        positions must go through `barrier` first.
        """
        return self.op("stablehlo.dynamic_update_slice", x.type, (x, part, *starts))


@interned
def _broadcast(aval: ShapedArray, shape: tuple[int, ...]) -> tuple[Type, Attributes]:
    """The type and the attributes for broadcasting `aval` to `shape` as NumPy does."""
    dims = tuple(range(len(shape) - aval.ndim, len(shape)))
    return TYPES[aval.with_shape(shape)], {"broadcast_dimensions": i64s(dims)}


def _stage(
    program: Callable[..., Sequence[Array]], label: str, avals: tuple[ShapedArray, ...]
) -> tuple[Jaxpr, list[Array]]:
    with installed(ROOT):
        return stage(lambda *xs: [*program(*xs)], avals, label)


_staged = memoised(_stage)


def one_or_all(values: Sequence[Value] | Value) -> list[Value]:
    """The results of a rule as a list."""
    return list(values) if isinstance(values, list | tuple) else [values]  # type: ignore[list-item]  # one value
