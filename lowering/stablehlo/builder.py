"""Builds one MLIR module of StableHLO: functions, operations, regions.

A `Builder` knows where the next operation goes and which source line it came from; the rules that lower operations
only say which operation, with the types and attributes of `context.py`. An operation costs about 1 µs.

    builder = Builder()
    x, y = builder.open_function("main", [f32, f32], public=True)
    builder.close_function([builder.op("stablehlo.add", f32, (x, y))])
    builder.module                 # for lowering.pjrt.compile
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from jaxlib.mlir import ir
from numpy.typing import NDArray

from effects.arguments import refusal, shown
from effects.errors import CompileError
from lowering.stablehlo.context import (
    CURRENT,
    Attribute,
    Type,
    Value,
    boolean,
    dense,
    i32,
    i64s,
    location,
    splat,
    string,
    symbol,
    tensor_type,
)
from lowering.stablehlo.shardy import mesh_attribute

type Attributes = dict[str, Attribute]
type Body = Callable[[list[Value]], Sequence[Value]]

_create: Final = ir.Operation.create


@dataclass(frozen=True, slots=True)
class Region:
    """The body of a region operation: the types of its arguments, and what it computes from them."""

    arguments: Sequence[Type]
    body: Body


@dataclass(slots=True)
class _OpenFunction:
    operation: ir.Operation
    inputs: list[Type]
    of_outputs: Mapping[int, Attributes]
    outer: ir.InsertionPoint


@final
class Builder:
    """One module under construction.

    >>> f32 = tensor_type((3,), np.dtype("float32"))
    >>> builder = Builder()
    >>> (x,) = builder.open_function("main", [f32], public=True)
    >>> builder.close_function([builder.op("stablehlo.sine", f32, (x,))])
    >>> print(builder.text())
    module @effax {
      func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
        %0 = stablehlo.sine %arg0 : tensor<3xf32>
        return %0 : tensor<3xf32>
      }
    }
    <BLANKLINE>
    """

    __slots__ = ("_functions", "_ip", "_reductions", "location", "module", "owner", "results")

    def __init__(self, name: str = "effax") -> None:
        self.module: Final = ir.Module.create(CURRENT.unknown)
        """The module so far; `lowering.pjrt.compile` takes it."""
        self.module.operation.attributes["sym_name"] = string(name)
        self._ip = ir.InsertionPoint(self.module.body)
        self.location: ir.Location = CURRENT.unknown
        """Source location of the operations that follow; `at` sets it from a file and a line."""
        self.results: tuple[Type, ...] = ()
        """Types of the results of a user's operation, while its own `lower` runs."""
        self.owner = ""
        """Name of that operation, for errors about operations that it emits."""
        self._functions: list[_OpenFunction] = []
        self._reductions: dict[tuple[str, Type, tuple[int, ...]], ir.Operation] = {}

    # -- operations ----------------------------------------------------------------------------------------------

    def at(self, file: str, line: int) -> None:
        """The operations that follow came from this source line."""
        self.location = location(file, line)

    def op(self, name: str, result: Type, operands: Sequence[Value], attributes: Attributes | None = None) -> Value:
        """One operation with one result, e.g. `op("stablehlo.add", f32, (x, y))`. `verify` checks it."""
        if self.owner:
            return self._operation(name, (result,), operands, attributes, ()).result
        return _create(name, (result,), operands, attributes, None, 0, self.location, self._ip).result

    def ops(
        self,
        name: str,
        results: Sequence[Type],
        operands: Sequence[Value],
        attributes: Attributes | None = None,
        regions: Sequence[Region] = (),
    ) -> list[Value]:
        """One operation with any number of results and regions (reduce, case, while, sort, custom_call, …).

        A region's body is built by its function, called with the region's arguments; what it returns is yielded by
        `stablehlo.return`. Bodies may use the values around them where StableHLO allows it (case, while).
        """
        return list(self._operation(name, results, operands, attributes, regions).results)

    def _operation(
        self,
        name: str,
        results: Sequence[Type],
        operands: Sequence[Value],
        attributes: Attributes | None,
        regions: Sequence[Region],
    ) -> ir.Operation:
        if self.owner:
            self._check_parts(name, results, operands, attributes)
        operation = _create(name, results, operands, attributes, None, len(regions), self.location, self._ip)
        outer, loc = self._ip, self.location
        try:
            for number, region in enumerate(regions):
                places = [loc] * len(region.arguments)
                block = ir.Block.create_at_start(operation.regions[number], region.arguments, places)
                self._ip = ir.InsertionPoint(block)
                yielded = region.body(list(block.arguments))
                _create("stablehlo.return", (), yielded, None, None, 0, loc, self._ip)
            if self.owner:
                operation.verify()
        except BaseException as error:
            self._reductions.clear()  # operations in its regions are removed with it
            operation.erase()
            if isinstance(error, ir.MLIRError):
                reason = error.error_diagnostics[0].message
                raise CompileError(f"{self.owner}.lower(self, builder) emits what is not StableHLO: {reason}") from None
            raise
        finally:
            self._ip, self.location = outer, loc
        return operation

    def _check_parts(self, name: object, results: object, operands: object, attributes: object) -> None:
        """Raise ArgumentError for wrong parts of an operation."""
        function = f"{self.owner}.lower(self, builder): builder.op of {shown(name)}"
        if not isinstance(name, str):
            raise refusal(function, "name", "the name of an operation, a string", name)
        for argument, entries, kind, expected in (
            ("result", results, ir.Type, "a type, such as x.type or one of builder.results"),
            ("operands", operands, ir.Value, "a tuple of StableHLO values, such as (self.x,)"),
            ("attributes", {} if attributes is None else attributes, ir.Attribute, "attributes by their names"),
        ):
            if not isinstance(entries, dict if kind is ir.Attribute else Sequence):
                raise refusal(function, argument, expected, entries)
            for entry in entries.values() if isinstance(entries, dict) else entries:
                if not isinstance(entry, kind):
                    raise refusal(function, argument, expected, entry)

    def reduce(self, fold: str, result: Type, x: Value, start: Value, axes: tuple[int, ...]) -> Value:
        """`x` folded over `axes` by an operation of two elements: `reduce("stablehlo.add", f32, x, zero, (1,))`.

        `start` has the element type of `result`. A region takes five times as long to build as to copy, so a reduction
        like an earlier one, but for line and operands, is a copy of that.
        """
        key = (fold, result, axes)
        earlier = self._reductions.get(key)
        if earlier is None:
            element, loc = start.type, self.location
            region = Region((element, element), lambda pair: (self.op(fold, element, pair),))
            self.location = CURRENT.unknown  # copies for other lines have the region, too
            operation = self._operation(
                "stablehlo.reduce", (result,), (x, start), {"dimensions": i64s(axes)}, (region,)
            )
            self.location = loc
            self._reductions[key] = operation
        else:
            operation = earlier.clone(self._ip)
            operands = operation.operands
            operands[0], operands[1] = x, start
        operation.location = self.location
        return operation.result

    def constant(self, value: NDArray[np.generic]) -> Value:
        """A small constant array (ValueError above `LARGEST_CONSTANT` elements, unless all of them are equal)."""
        return self.op("stablehlo.constant", tensor_type(value.shape, value.dtype), (), {"value": dense(value)})

    def fill(self, shape: tuple[int, ...], dtype: np.dtype[np.generic], value: float | complex | np.generic) -> Value:
        """A constant of equal elements: zeros, ones, the start value of a reduction."""
        element = np.asarray(value).astype(dtype).tobytes()
        attribute = splat(shape, dtype, element)
        return self.op("stablehlo.constant", tensor_type(shape, dtype), (), {"value": attribute})

    # -- functions -----------------------------------------------------------------------------------------------

    def open_function(
        self,
        name: str,
        inputs: Sequence[Type],
        *,
        public: bool = False,
        of_inputs: Mapping[int, Attributes] | None = None,
        of_outputs: Mapping[int, Attributes] | None = None,
    ) -> list[Value]:
        """Begins a function of the module and returns its parameters; `close_function` ends it.

        Functions may be opened while another is open (a nested jit found half-way): the inner one is placed in the
        module and the outer one is continued after `close_function`. `of_inputs` and `of_outputs` are attributes of
        parameters and results, by position, for `main`.
        """
        attributes: Attributes = {
            "sym_name": string(name),
            "sym_visibility": string("public" if public else "private"),
            "function_type": ir.TypeAttr.get(
                ir.FunctionType.get(inputs, (), context=CURRENT.context), context=CURRENT.context
            ),
        }
        if of_inputs:
            attributes["arg_attrs"] = _listed(of_inputs, len(inputs))
        operation = _create(
            "func.func", (), (), attributes, None, 1, self.location, ir.InsertionPoint(self.module.body)
        )
        block = operation.regions[0].blocks.append(*inputs, arg_locs=[self.location] * len(inputs))
        self._functions.append(_OpenFunction(operation, list(inputs), of_outputs or {}, self._ip))
        self._ip = ir.InsertionPoint(block)
        return list(block.arguments)

    def close_function(self, results: Sequence[Value]) -> None:
        """Ends the function opened last, which returns `results`."""
        function = self._functions.pop()
        _create("func.return", (), results, None, None, 0, self.location, self._ip)
        signature = ir.FunctionType.get(function.inputs, [value.type for value in results], context=CURRENT.context)
        function.operation.attributes["function_type"] = ir.TypeAttr.get(signature, context=CURRENT.context)
        if function.of_outputs:
            function.operation.attributes["res_attrs"] = _listed(function.of_outputs, len(results))
        self._ip = function.outer

    def call(self, name: str, results: Sequence[Type], operands: Sequence[Value]) -> list[Value]:
        """Calls another function of the module."""
        attributes: Attributes = {"callee": symbol(name)}
        return list(_create("func.call", results, operands, attributes, None, 0, self.location, self._ip).results)

    def manual(
        self,
        results: Sequence[Type],
        operands: Sequence[Value],
        attributes: Attributes,
        blocks: Sequence[Type],
        body: Body,
    ) -> list[Value]:
        """A manual computation, inside a program over whole arrays: a program over blocks of these types."""
        operation = _create("sdy.manual_computation", results, operands, attributes, None, 1, self.location, self._ip)
        outer = self._ip
        block = ir.Block.create_at_start(operation.regions[0], blocks, [self.location] * len(blocks))
        self._ip = ir.InsertionPoint(block)
        _create("sdy.return", (), body(list(block.arguments)), None, None, 0, self.location, self._ip)
        self._ip = outer
        return list(operation.results)

    def mesh(self, name: str, axes: Sequence[tuple[str, int]] | None, order: tuple[int, ...] = ()) -> None:
        """Declare a mesh, or for None the first device alone, in front of all functions.

        `order` has the numbers of its devices, if they are not in ascending order.
        """
        attributes: Attributes = {
            "sym_name": string(name),
            "mesh": mesh_attribute(None if axes is None else tuple(axes), order),
        }
        front = ir.InsertionPoint.at_block_begin(self.module.body)
        _create("sdy.mesh", (), (), attributes, None, 0, CURRENT.unknown, front)

    # -- the result ----------------------------------------------------------------------------------------------

    def verify(self) -> str | None:
        """None for a well-formed module, otherwise what MLIR says is wrong with it."""
        try:
            self.module.operation.verify()
        except ir.MLIRError as error:
            return str(error)
        return None

    def text(self, *, locations: bool = False) -> str:
        """The module as StableHLO text."""
        return str(self.module.operation.get_asm(enable_debug_info=locations))

    def bytecode(self) -> bytes:
        """The module as MLIR bytecode: what a compile cache on disk is keyed by."""
        buffer = io.BytesIO()
        self.module.operation.write_bytecode(buffer)
        return buffer.getvalue()


def donation(result: int | None) -> Attributes:
    """Attribute of a donated parameter, whose memory is given to this result, or for None to one that XLA chooses."""
    return {"jax.buffer_donor": boolean(True)} if result is None else {"tf.aliasing_output": i32(result)}


def _listed(by_position: Mapping[int, Attributes], length: int) -> Attribute:
    entries = [ir.DictAttr.get(by_position.get(i, {}), context=CURRENT.context) for i in range(length)]
    return ir.ArrayAttr.get(entries, context=CURRENT.context)
