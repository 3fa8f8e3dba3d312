"""Reductions in the form that XLA compiles best for one CPU.

XLA itself folds windows of 32 elements, without vector instructions, after storing the operand in memory. It vectorises
loops over the elements of a line, or over few arrays at once, and computes the operand in these loops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, final

from jaxlib.mlir import ir

from lowering.pjrt.options import BY_LIBRARY, HALF_VECTORS, IN_ONE_KERNEL, IN_STEPS, Options
from lowering.stablehlo.context import Type, Value, shape_of
from lowering.stablehlo.cpu.folding import ARRAYS, KEPT, READ, Folding, folded_by, keep, symbol_of
from lowering.stablehlo.cpu.kernel import MOST_OPERATIONS, into_one_kernel, is_of_few, takes_few
from lowering.stablehlo.cpu.rows import Calls, RowLoop, rows
from lowering.stablehlo.cpu.traits import traits_of
from lowering.stablehlo.dialects import operations_in
from lowering.stablehlo.functions import MAIN

_ELEMENTS_IN_A_LOOP: Final = 1024
"""Number of elements below which a fold is one loop."""
_ELEMENTS_FOR_THE_LIBRARY: Final = 4096
"""Number of elements below which XLA does not use its library."""
_ROW: Final = 64
"""Least length of rows that are folded as rows."""
_LINE: Final = 4096
"""The longest line that is folded at once: its sum is as exact as one by windows, since a loop adds some 32 sums."""
_PART: Final = 1024
"""The longest part of a longer line."""
_WORK_WHILE_READING: Final = 16
"""Work that takes no longer than reading operands beyond the cache."""
_BEYOND_THE_CACHE: Final = 1 << 19
"""Number of elements from which an array does not fit in the cache."""
_BOOL: Final = "i1"
"""Element type for which folds by windows gain no exactness, and take longer to compile."""


class Step(NamedTuple):
    """A fold over one axis: the first `fitting` elements along it are reshaped to `cut`, and folded `over` an axis.

    The elements after these are folded with the results, whose shape is `shape`.
    """

    fitting: int
    cut: tuple[int, ...]
    over: int
    shape: tuple[int, ...]


def next_step(shape: tuple[int, ...], axes: tuple[int, ...], most: int = ARRAYS) -> Step | None:
    """The next step of a fold of an array over `axes`, in their order; None if the rest is one fold.

    A loop has at most `most` arrays.

    >>> next_step((1000, 5000), (1,))
    Step(fitting=5000, cut=(1000, 5, 1000), over=2, shape=(1000, 5))
    >>> next_step((1003, 5000), (0,))
    Step(fitting=1000, cut=(8, 125, 5000), over=0, shape=(125, 5000))
    >>> next_step((1024, 5000), (0,), most=32)
    Step(fitting=1024, cut=(32, 32, 5000), over=1, shape=(32, 5000))
    """
    last = axes[-1]
    before, n, after = shape[:last], shape[last], shape[last + 1 :]
    if math.prod(shape) < _ELEMENTS_IN_A_LOOP:
        return None
    row = math.prod(after)
    if n <= (_LINE if row == 1 else ARRAYS):
        return None if len(axes) == 1 else Step(n, shape, last, before + after)
    if row == 1:
        part = next((k for k in range(_PART, _PART // 4, -1) if n % k == 0), _PART)
        count = n // part
        return Step(count * part, (*before, count, part), last + 1, (*before, count, *after))
    most = min(most, n) if row >= _ROW else ARRAYS
    arrays = next((k for k in range(most, most // 2, -1) if n % k == 0), most)
    count = n // arrays
    if arrays > ARRAYS:
        return Step(count * arrays, (*before, count, arrays, *after), last + 1, (*before, count, *after))
    inside = (count, *after) if row >= _ROW else (count * row,)
    return Step(count * arrays, (*before, arrays, *inside), last, (*before, count, *after))


def merged(shape: tuple[int, ...], axes: tuple[int, ...], in_memory: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The same array and axes, with the last of `axes` joined with the one before, where that is faster to fold.

    An operand that is computed while it is folded (not `in_memory`) keeps its axes, except short ones.
    """
    while len(axes) > 1 and axes[-2] == axes[-1] - 1:
        last = axes[-1]
        contiguous = math.prod(shape[last + 1 :]) == 1
        if not in_memory and shape[last] >= (_PART // 4 if contiguous else ARRAYS // 2):
            break
        shape, axes = (*shape[: last - 1], shape[last - 1] * shape[last], *shape[last + 1 :]), axes[:-1]
    return shape, axes


def for_one_cpu(module: ir.Module) -> tuple[ir.Module | ir.Operation, Options]:
    """The module rewritten for one CPU, and the options for it. The given module does not change."""
    contents = _Contents(module.operation)
    reductions, in_kernel = contents.reductions(), contents.fits_in_a_kernel()
    if reductions and contents.are_exact(reductions):
        return module, BY_LIBRARY
    options: Options = () if reductions or not contents.is_reading() else HALF_VECTORS
    if reductions or contents.folds_bools_alone():
        options = (*options, *IN_STEPS)
    if not reductions and not in_kernel:
        return module, options
    written = module.operation.clone().operation
    if reductions:
        copies = _Contents(written)
        calls = copies.calls()
        for reduction in copies.reductions():
            _Steps(reduction).write(calls)
        compute_rows_once(written)
    if in_kernel:
        into_one_kernel(written)
        options = (*options, *IN_ONE_KERNEL)
    return written, options


@final
class _Contents:
    """The operations of a module, and answers to what its rewriting depends on."""

    def __init__(self, module: ir.Operation) -> None:
        self.operations: Final = list(operations_in(module))
        self.names: Final = [operation.name for operation in self.operations]
        self.traits: Final = list(map(traits_of, self.names))
        self.folds: Final = self._named("stablehlo.reduce")

    def _named(self, name: str) -> list[ir.Operation]:
        return [operation for operation, own in zip(self.operations, self.names) if own == name]

    def reductions(self) -> list[ir.Operation]:
        """The folds of many elements; none where one is of several arrays or of unknown sizes, or where XLA makes
        others, of products of complex arrays.
        """
        types = list(map(_folded_type, self.folds))
        one_known = [kind.has_static_shape and len(fold.results) == 1 for fold, kind in zip(self.folds, types)]
        complex_products = ["complex" in str(op.operands[0].type) for op in self._named("stablehlo.dot_general")]
        if not all(one_known) or any(complex_products):
            return []
        many = [fold for fold, kind in zip(self.folds, types) if math.prod(kind.shape) >= _ELEMENTS_IN_A_LOOP]
        return [fold for fold in many if not _sums_equals(fold)]

    def are_exact(self, reductions: Sequence[ir.Operation]) -> bool:
        """Return True for sums if nothing else is computed of many elements than what the library computes as XLA."""
        others = [
            operation
            for operation, name, traits in zip(self.operations, self.names, self.traits)
            if not traits.is_exact and name != "stablehlo.reduce"
        ]
        return all(map(_sums, reductions)) and not any(
            [_many(value.type) for operation in others for value in (*operation.operands, *operation.results)]
        )

    def is_reading(self) -> bool:
        """Return True if reading operands, beyond the cache, takes longer than the work on them."""
        functions = self._named("func.func")
        types = [argument.type for function in functions for argument in function.regions[0].blocks[0].arguments]
        work = sum([traits.work for traits in self.traits])
        return work <= _WORK_WHILE_READING and any([_many(kind, _BEYOND_THE_CACHE) for kind in types])

    def folds_bools_alone(self) -> bool:
        """Return True if there are folds, and all are of bools."""
        return {str(_folded_type(fold).element_type) for fold in self.folds} == {_BOOL}

    def calls(self) -> dict[str, list[ir.Operation]]:
        """The calls of each function."""
        calls: dict[str, list[ir.Operation]] = {}
        for call in self._named("func.call"):
            calls.setdefault(ir.FlatSymbolRefAttr(call.attributes["callee"]).value, []).append(call)
        return calls

    def fits_in_a_kernel(self) -> bool:
        """Return True if all is computed of few elements, by operations that fit in a kernel, and no argument is
        donated.
        """
        if len(self.operations) > MOST_OPERATIONS or not all([traits.fits_in_kernels for traits in self.traits]):
            return False
        functions = self._named("func.func")
        return all(["arg_attrs" not in function.attributes and takes_few(function) for function in functions]) and all(
            [is_of_few(result.type) for operation in self.operations for result in operation.results]
        )


def _folded_type(reduction: ir.Operation) -> ir.RankedTensorType:
    """The type of the first array that is folded."""
    return ir.RankedTensorType(reduction.operands[0].type)


def _many(kind: Type, count: int = _ELEMENTS_FOR_THE_LIBRARY) -> bool:
    return isinstance(kind, ir.RankedTensorType) and (not kind.has_static_shape or math.prod(kind.shape) >= count)


def _sums(reduction: ir.Operation) -> bool:
    """Return True if the library is fast for a fold: a sum of floats, in rows that are not short."""
    kind = _folded_type(reduction)
    long = math.prod(kind.shape) >= _ELEMENTS_FOR_THE_LIBRARY and kind.shape[-1] >= _ROW
    return folded_by(reduction) == "stablehlo.add" and long and str(kind.element_type) in ("f32", "f64")


def _sums_equals(reduction: ir.Operation) -> bool:
    """Return True if the fold sums equal elements, for which XLA multiplies."""
    x = reduction.operands[0].owner
    if folded_by(reduction) != "stablehlo.add" or isinstance(x, ir.Block) or x.name != "stablehlo.broadcast_in_dim":
        return False
    summed, kept = reduction.attributes["dimensions"], x.attributes["broadcast_dimensions"]
    return not set(ir.DenseI64ArrayAttr(summed)) & set(ir.DenseI64ArrayAttr(kept))


@final
class _Steps(Folding):
    """A reduction that is rewritten in steps; the result of each is stored in memory for the next one."""

    def write(self, calls: Calls) -> None:
        reduction, x = self.reduction, self.reduction.operands[0]
        shape, axes = shape_of(x), tuple(ir.DenseI64ArrayAttr(reduction.attributes["dimensions"]))
        in_memory = False
        whole, along = merged(shape, axes, in_memory=True)
        cut = rows(whole, last := along[-1])
        if cut is not None and (folded := RowLoop(reduction, cut, last, calls).written()) is not None:
            shape, axes, in_memory = (*whole[:last], whole[last] // cut[last], *whole[last + 1 :]), along, True
            x = self.reshaped(folded, shape)
        while True:
            shape, axes = merged(shape, axes, in_memory)
            read = in_memory or _is_read(x)
            if (step := next_step(shape, axes, READ if read and self.name else ARRAYS)) is None:
                break
            x, in_memory = self.after(step, self.reshaped(x, shape), axes[-1]), True
            axes = axes if len(step.shape) == len(shape) else axes[:-1]
            shape = shape_of(x)
        reduction.operands[0] = self.reshaped(x, shape)
        reduction.attributes["dimensions"] = self.numbers(*axes)
        if not _read_once(reduction.result):
            keep(reduction.result, reduction.location)

    def after(self, step: Step, x: Value, axis: int) -> Value:
        """The operand of the remaining fold, after a step on `x` along this axis."""
        n = shape_of(x)[axis]
        cut = self.reshaped(self.part(x, axis, 0, step.fitting) if step.fitting < n else x, step.cut)
        folded = self.reshaped(self.fold(cut, step.over), step.shape)
        if step.fitting < n:
            rest = self.part(x, axis, step.fitting, n)
            whole = (*step.shape[:axis], step.shape[axis] + n - step.fitting, *step.shape[axis + 1 :])
            along = ir.IntegerAttr.get(ir.IntegerType.get_signless(64, self.reduction.context), axis)
            folded = self.op("stablehlo.concatenate", whole, [folded, rest], dimension=along)
        return self.op(KEPT, shape_of(folded), [folded])


def _is_read(value: Value) -> bool:
    """Return True if a value is only read: an argument, perhaps converted or reshaped."""
    maker = value.owner
    if isinstance(maker, ir.Block):
        return True
    return maker.name in ("stablehlo.convert", "stablehlo.reshape") and _is_read(maker.operands[0])


def _read_once(value: Value) -> bool:
    """Return True if a value, and each one computed from it, has one reader: XLA would fold again for every other."""
    while len(readers := [use.owner for use in value.uses]) == 1 and len(readers[0].results) == 1:
        if readers[0].name == "func.call":
            return False
        value = readers[0].results[0]
    return len(readers) < 2 and all(
        [reader.name == "func.return" and symbol_of(reader.parent) == MAIN for reader in readers]
    )


_LONG_TO_COMPUTE: Final = 1 << 14
"""So many elements take longer than one more loop over a row."""


def compute_rows_once(module: ir.Operation) -> None:
    """Keep rows in memory that are computed element by element and then repeated; numbers are in a register anyway."""
    for broadcast in [op for op in operations_in(module) if op.name == "stablehlo.broadcast_in_dim"]:
        (row,), repeated = broadcast.operands, shape_of(broadcast.results[0])
        along = ir.DenseI64ArrayAttr(broadcast.attributes["broadcast_dimensions"])
        is_row = len(repeated) - 1 in list(along) and shape_of(row)[-1] == repeated[-1] > 1
        at_top = symbol_of(broadcast.parent) != ""  # in the loop over rows it would be kept once for each
        if is_row and at_top and math.prod(repeated) >= max(_LONG_TO_COMPUTE, 8 * math.prod(shape_of(row))):
            maker = row.owner
            while not isinstance(maker, ir.Block) and maker.name == "stablehlo.reshape":
                maker = maker.operands[0].owner
            if not isinstance(maker, ir.Block) and traits_of(maker.name).is_light:
                ip = ir.InsertionPoint(broadcast)
                barrier = ir.Operation.create(KEPT, [row.type], [row], loc=broadcast.location, ip=ip)
                broadcast.operands[0] = barrier.result
