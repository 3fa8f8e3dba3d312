"""One module with open sizes, from modules that differ in sizes only.

A function is lowered for several sizes. If the modules differ only in numbers that are polynomials of the sizes, they
become one in which sizes are variables: types have unknown dimensions, and operations with a size among their
attributes take it as an operand. `refining` restores the numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Final, Protocol, final

import numpy as np
from jaxlib.mlir import ir

from lowering.pjrt.portable import portable_artifact
from lowering.programs.sizes import NoPolynomial, Polynomial
from lowering.stablehlo.alignment import Differs, Idle, Step, aligned, described, values
from lowering.stablehlo.context import CURRENT, Attribute, Type, Value, gather_dimensions, i64, i64s, writing
from lowering.stablehlo.functions import MAIN
from lowering.stablehlo.portable import named, read, without_lines
from lowering.stablehlo.refining import COMPOSITE, bytecode, function_type, walked

UNKNOWN: Final = ir.ShapedType.get_dynamic_size()


type Shape = list[Polynomial]


class Fit(Protocol):
    """The polynomial with these values at the sizes of the modules; ValueError if there is none.

    With `rounded`, the values are those of the polynomial after `rounded`.
    """

    def __call__(self, numbers: Sequence[int], rounded: Callable[[int], int] | None = None, /) -> Polynomial: ...


def generalised(
    artifacts: Sequence[bytes], points: Sequence[str], sizes: Mapping[str, tuple[int, int]], fit: Fit
) -> bytes:
    """The artifact of the module with open sizes; Differs or NoPolynomial if there is none.

    `points` describes the sizes of each artifact. `sizes` has, for each size, an input of `main` and its axis.
    """
    with writing(), CURRENT.unknown:
        lead, steps = aligned([read(artifact) for artifact in artifacts], points)
        module = read(artifacts[lead])
        work = _Generalisation(module, sizes, fit)
        for target, step in zip(list(walked(module.operation)), steps, strict=True):
            try:
                work.take(target, step)
            except NoPolynomial as error:
                raise NoPolynomial(f"in {described(target)} {error}") from None
        work.end()
        without_lines(module)
        return portable_artifact(bytecode(module))


_RESHAPED: Final = {
    "stablehlo.broadcast_in_dim": "stablehlo.dynamic_broadcast_in_dim",
    "stablehlo.iota": "stablehlo.dynamic_iota",
    "stablehlo.reshape": "stablehlo.dynamic_reshape",
}
"""Operations whose result shape is in their type, with those that take it as an operand."""
_SIZED: Final = {
    "stablehlo.slice": ("stablehlo.real_dynamic_slice", ("start_indices", "limit_indices", "strides")),
    "stablehlo.pad": ("stablehlo.dynamic_pad", ("edge_padding_low", "edge_padding_high", "interior_padding")),
    "stablehlo.gather": ("stablehlo.dynamic_gather", ("slice_sizes",)),
    "stablehlo.dynamic_slice": ("stablehlo.dynamic_gather", ("slice_sizes",)),
}
"""Operations with sizes among their attributes, with those that take them as operands, and the attributes."""
_CALLS: Final = {"func.call": "callee", COMPOSITE: "decomposition"}
"""Operations that refer to a function of the module, with the attribute that does."""
_FIXED: Final = ("stablehlo.custom_call", "stablehlo.fft", "stablehlo.rng_bit_generator")
"""Operations that exist for known sizes only."""


@final
class _Generalisation:
    """The module with the most operations while it becomes the general one, operation by operation."""

    def __init__(self, module: ir.Module, sizes: Mapping[str, tuple[int, int]], fit: Fit) -> None:
        self._module = module
        self._sizes = sizes
        self._fit = fit
        self._i64 = i64(0).type
        self._index = ir.RankedTensorType.get([], self._i64)
        self._own: dict[str, Value] = {}
        self._known: dict[object, Value] = {}
        self._start = ir.InsertionPoint(module.body)
        self._marks: list[ir.Operation] = []

    def take(self, target: ir.Operation, step: Step) -> None:
        """Rewrite an operation for all sizes."""
        if target.name == "stablehlo.constant":
            self._constants(
                target,
                [constant for constant in step if isinstance(constant, ir.Operation)],
                any([constant is None for constant in step]),
            )
            return
        operations = [each for each in step if each is not None]
        defined = [[each.value] if isinstance(each, Idle) else values(each) for each in operations]
        shapes = [self._shape(each) for each in zip(*defined, strict=True)]
        for value, shape in zip(values(target), shapes, strict=True):
            kind = ir.RankedTensorType(value.type)
            value.set_type(ir.RankedTensorType.get(dimensions(shape), kind.element_type, kind.encoding))
        if target.name == "func.func":
            self._begin(target)
        elif target.name in _CALLS:
            attributes = {"callee": target.attributes[_CALLS[target.name]]}
            self._replace(target, "func.call", [*self._own.values(), *target.operands], attributes)
        else:
            self._rewrite(target, operations, shapes)

    def end(self) -> None:
        """Set the types of all functions."""
        for mark in self._marks:
            mark.erase()
        for function in self._module.body:
            block = function.operation.regions[0].blocks[0]
            results = [value.type for value in block.operations[len(block.operations) - 1].operands]
            function.operation.attributes["function_type"] = function_type([a.type for a in block.arguments], results)
        self._module.operation.verify()

    def _begin(self, function: ir.Operation) -> None:
        """Define the sizes of a function: in `main` those of axes of its inputs, in others the first inputs."""
        block = function.regions[0].blocks[0]
        arguments = list(block.arguments)
        self._known, self._own = {}, {}
        at = ir.InsertionPoint(block.operations[0])
        zero = self._literal(0)
        self._marks.append(ir.Operation.create("stablehlo.constant", [self._index], [], zero, ip=at))
        self._start = ir.InsertionPoint(self._marks[-1])  # kept, unlike the first operation
        if named(function) == MAIN:
            i32 = ir.RankedTensorType.get([], ir.IntegerType.get_signless(32))
            for size, (position, axis) in self._sizes.items():
                attributes = {"dimension": i64(axis)}
                number = self._op("stablehlo.get_dimension_size", i32, [arguments[position]], attributes)
                self._own[size] = self._op("stablehlo.convert", self._index, [number])
            return
        self._own = {size: block.add_argument(self._index, CURRENT.unknown) for size in self._sizes}
        for argument in arguments:  # they come after the sizes
            argument.replace_all_uses_with(block.add_argument(argument.type, CURRENT.unknown))
        for _ in arguments:
            block.erase_argument(0)

    # -- numbers, at the beginning of the function --------------------------------------------------------------------

    def _op(
        self, name: str, kind: Type, operands: Sequence[Value], attributes: dict[str, Attribute] | None = None
    ) -> Value:
        return ir.Operation.create(name, [kind], operands, attributes, ip=self._start).result

    def _literal(self, number: int) -> dict[str, Attribute]:
        return {"value": ir.DenseElementsAttr.get(np.array(number), type=self._i64, shape=())}

    def _number(self, polynomial: Polynomial) -> Value:
        key = polynomial.terms
        if key not in self._known:
            terms = []
            for factors, coefficient in polynomial.terms or (((), 0),):
                terms.append(self._op("stablehlo.constant", self._index, [], self._literal(coefficient)))
                for factor in factors:
                    terms[-1] = self._op("stablehlo.multiply", self._index, [terms[-1], self._own[factor]])
            self._known[key] = reduce(lambda a, b: self._op("stablehlo.add", self._index, [a, b]), terms)
        return self._known[key]

    def _vector(self, polynomials: Sequence[Polynomial]) -> Value:
        key = ("vector", *[polynomial.terms for polynomial in polynomials])
        if key not in self._known:
            one = ir.RankedTensorType.get([1], self._i64)
            parts = [self._op("stablehlo.reshape", one, [self._number(p)]) for p in polynomials]
            kind = ir.RankedTensorType.get([len(parts)], self._i64)
            self._known[key] = self._op("stablehlo.concatenate", kind, parts, {"dimension": i64(0)})
        return self._known[key]

    # -- operations ---------------------------------------------------------------------------------------------------

    def _shape(self, values: Sequence[Value]) -> Shape:
        shapes = [tuple(ir.RankedTensorType(value.type).shape) for value in values]
        if len({len(shape) for shape in shapes}) > 1:
            raise Differs("the rank of an array depends on the sizes")
        return [self._fit(each) for each in zip(*shapes, strict=True)]

    def _replace(
        self, target: ir.Operation, name: str, operands: Sequence[Value], attributes: dict[str, Attribute]
    ) -> None:
        kinds = [value.type for value in target.results]
        replacement = ir.Operation.create(name, kinds, operands, attributes, ip=ir.InsertionPoint(target))
        for old, new in zip(target.results, replacement.results, strict=True):
            old.replace_all_uses_with(new)
        target.erase()

    def _constants(self, target: ir.Operation, operations: Sequence[ir.Operation], absent: bool) -> None:
        """Rewrite a constant: a known one, or one of equal elements that are a polynomial of the sizes.

        It is `absent` at sizes at which nothing reads it.
        """
        parts = [_parts(operation) for operation in operations]
        if all([each == parts[0] for each in parts]):
            return
        if absent or not all([part.is_splat for each in parts for part in each]):
            raise Differs(f"{described(target)} is a table of another size, or of other elements")
        shape = self._shape([operation.result for operation in operations])
        kind = ir.RankedTensorType.get([], ir.RankedTensorType(target.result.type).element_type)
        numbers = [self._element(target, each) for each in zip(*parts, strict=True)]
        number = self._op("stablehlo.complex", kind, numbers) if len(numbers) > 1 else numbers[0]
        differ = UNKNOWN in dimensions(shape)
        operands = [number, self._vector(shape)] if differ else [number]
        name = "stablehlo.dynamic_broadcast_in_dim" if differ else "stablehlo.broadcast_in_dim"
        target.result.set_type(ir.RankedTensorType.get(dimensions(shape), kind.element_type))
        self._replace(target, name, operands, {"broadcast_dimensions": i64s(())})

    def _element(self, target: ir.Operation, elements: Sequence[ir.DenseElementsAttr]) -> Value:
        """The number that is repeated in a constant."""
        kind = ir.RankedTensorType.get([], ir.RankedTensorType(elements[0].type).element_type)
        splats = [each.get_splat_value() for each in elements]
        if all([splat == splats[0] for splat in splats]):
            value = ir.DenseElementsAttr.get_splat(kind, splats[0])
            return self._op("stablehlo.constant", kind, [], {"value": value})
        return self._op("stablehlo.convert", kind, [self._number(self._fit_elements(target, splats))])

    def _fit_elements(self, target: ir.Operation, elements: Sequence[Attribute]) -> Polynomial:
        """The polynomial of the elements of a constant, which their dtype may have rounded."""
        numbers = [_whole(element, target) for element in elements]
        first = elements[0]
        if not isinstance(first, ir.FloatAttr):
            return self._fit(numbers)
        return self._fit(numbers, lambda number: _whole(ir.FloatAttr.get(first.type, float(number)), target))

    def _rewrite(
        self, target: ir.Operation, operations: Sequence[ir.Operation | Idle], shapes: Sequence[Shape]
    ) -> None:
        """Replace an operation by one that takes its sizes as operands."""
        name, operands = target.name, list(target.operands)
        attributes = {key: target.attributes[key] for key in target.attributes}
        varying = any([UNKNOWN in dimensions(shape) for shape in shapes])
        real = [operation for operation in operations if isinstance(operation, ir.Operation)]
        idle = len(real) < len(operations)
        differ = [
            key
            for key, attribute in attributes.items()
            if any([operation.attributes[key] != attribute for operation in real])
        ]
        if varying and name in _FIXED:
            raise Differs(f"{described(target)} is there for known sizes only")
        if (
            idle
            and name == "stablehlo.broadcast_in_dim"
            and attributes["broadcast_dimensions"] != i64s(tuple(range(len(shapes[0]))))
        ):
            raise Differs(f"{described(target)} is not there for all sizes")
        if varying and name in _RESHAPED:
            self._replace(target, _RESHAPED[name], [*operands, self._vector(shapes[0])], attributes)
        elif name in _SIZED and (differ or idle):
            dynamic, keys = _SIZED[name]
            left = {key: attribute for key, attribute in attributes.items() if key not in keys}
            vectors = self._lists(operations, *keys)
            if name == "stablehlo.dynamic_slice":
                self._dynamic_slice(target, *vectors)
            else:
                self._replace(target, dynamic, [*operands, *vectors], left)
        elif differ:
            raise Differs(f"{', '.join(differ)} of {described(target)} depends on the size")

    def _lists(self, operations: Sequence[ir.Operation | Idle], *keys: str) -> list[Value]:
        """Vectors of the numbers in attributes of operations, for all sizes."""
        lists = [[_numbers(operation, key) for operation in operations] for key in keys]
        return [self._vector([self._fit(each) for each in zip(*numbers, strict=True)]) for numbers in lists]

    def _dynamic_slice(self, target: ir.Operation, sizes: Value) -> None:
        """A slice with dynamic starts becomes a gather with one index, which is clamped in the same way."""
        x, *starts = target.operands
        one = ir.RankedTensorType.get([1], starts[0].type.element_type)
        at = ir.InsertionPoint(target)
        parts = [ir.Operation.create("stablehlo.reshape", [one], [start], ip=at).result for start in starts]
        kind = ir.RankedTensorType.get([len(parts)], starts[0].type.element_type)
        index = ir.Operation.create("stablehlo.concatenate", [kind], parts, {"dimension": i64(0)}, ip=at).result
        axes = tuple(range(len(starts)))
        numbers = gather_dimensions(
            offset_dims=axes,
            collapsed_slice_dims=(),
            start_index_map=axes,
            index_vector_dim=0,
            operand_batching_dims=(),
            start_indices_batching_dims=(),
        )
        self._replace(target, "stablehlo.dynamic_gather", [x, index, sizes], {"dimension_numbers": numbers})


def _numbers(operation: ir.Operation | Idle, key: str) -> list[int]:
    """The numbers in an operation's attribute; where it is missing, those with which it does nothing."""
    if isinstance(operation, ir.Operation):
        return list(ir.DenseI64ArrayAttr(operation.attributes[key]))
    shape = list(ir.RankedTensorType(operation.value.type).shape)
    return shape if key == "limit_indices" else [int(key == "strides")] * len(shape)


def dimensions(shape: Shape) -> list[int]:
    """The dimensions of a type's shape."""
    return [UNKNOWN if number.constant is None else number.constant for number in shape]


def _parts(constant: ir.Operation) -> tuple[ir.DenseElementsAttr, ...]:
    """The elements; of complex ones, which the bindings of MLIR cannot read, the real and the imaginary part if they
    are all the same, otherwise the text.
    """
    kind = ir.RankedTensorType(constant.result.type)
    if not isinstance(kind.element_type, ir.ComplexType):
        return (ir.DenseElementsAttr(constant.attributes["value"]),)
    text, context = str(constant).partition(" = ")[2], kind.context
    if (number := re.search(r"dense<\((.*),(.*)\)>", text)) is None:
        return (ir.DenseElementsAttr.get(np.frombuffer(text.encode(), np.uint8), context=context),)
    real = str(kind).replace(str(kind.element_type), str(kind.element_type.element_type))
    texts = [f"dense<{part}> : {real}" for part in number.groups()]
    return tuple([ir.DenseElementsAttr(ir.Attribute.parse(text, context)) for text in texts])


def _whole(element: Attribute, target: ir.Operation) -> int:
    """The integer that an element is; Differs if it is none."""
    if isinstance(element, ir.IntegerAttr):
        return int(element.value)
    if isinstance(element, ir.FloatAttr) and math.isfinite(element.value) and element.value == round(element.value):
        return round(element.value)
    raise Differs(f"{described(target)} depends on the size, and is no whole number: {element}")
