"""Folds over windows, and choices of elements within windows.

XLA has an operation for choices, which runs as sequential scatters on CPUs. Here choices are comparisons of whole
arrays, one for each element of the window, which XLA fuses: written out for a small window, else in a loop. If windows
do not overlap, one comparison is enough. Narrow floats are folded in float32 and rounded once.
"""

from __future__ import annotations

import math
from typing import Final

from effects.functions.windows.convolution_transposes import backwards
from effects.operations.pooling import AS_REDUCTION, Chosen, ChosenKind, ReduceWindow
from effects.operations.reduction import ReduceKind, identity
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.shapes import Ints, Window, cuts, dilated
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import Value, i64s
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.cpu.windows import WindowFold
from lowering.stablehlo.indexing import sliced
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope
from lowering.stablehlo.windows import Shaped, folded

_WRITTEN_OUT: Final = 32
"""Largest number of elements of a window whose choices are written out."""


@RULES.rule(ReduceWindow)
def lower_reduce_window(op: ReduceWindow[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    x, out = scope[op.x], outs[0].aval
    if not out.size:
        return scope.fill(out, 0)
    kind = AS_REDUCTION[op.kind]
    nothing = identity(kind, out.dtype)
    if not op.x.aval.size:
        return scope.fill(out, nothing)
    aval = op.x.aval
    if out.dtype in dtypes.NARROW:
        aval = aval.with_dtype(dtypes.float32)
        x = scope.convert(x, aval)
    value, _ = _over_windows(kind, nothing, Shaped(x, aval), op.sizes, op.window, scope)
    return scope.convert(value, out) if out.dtype in dtypes.NARROW else value


def _over_windows(kind: ReduceKind, nothing: complex, x: Shaped, sizes: Ints, window: Window, scope: Scope) -> Shaped:
    """x folded over windows; neither x nor the result is empty."""
    if not sizes:
        return x
    axes = _along(sizes, window)
    x = Shaped(scope.whole_along(x.value, x.aval, axes), x.aval)
    if scope.functions.tuned:
        value, aval = WindowFold(kind, nothing, scope).over(x, sizes, window)
    else:
        value, aval = folded(kind, nothing, x, sizes, window, scope)
    return Shaped(scope.whole_along(value, aval, axes), aval)


def _along(sizes: Ints, window: Window) -> Ints:
    """The axes along which windows move or reach, which stay whole: XLA's partitioner may fail there."""
    plain = (1, 1, 1, 1, (0, 0))
    extents = zip(sizes, window.strides, window.x_dilation, window.kernel_dilation, window.padding, strict=True)
    return tuple([axis for axis, extent in enumerate(extents) if extent != plain])


@RULES.rule(Chosen)
def lower_chosen(op: Chosen[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    if not (op.x.aval.size and op.y.aval.size):
        return scope.fill(out, 0)
    dtype = dtypes.float32 if out.dtype in dtypes.NARROW else out.dtype
    axes = _along(op.sizes, op.window)
    values = [scope.whole_along(scope[v], v.aval, axes) for v in op.operands]
    if dtype is not out.dtype:
        values = [scope.convert(x, v.aval.with_dtype(dtype)) for x, v in zip(values, op.operands, strict=True)]
    dilations = {*op.window.x_dilation, *op.window.kernel_dilation}
    if op.window.strides == op.sizes and dilations <= {1}:
        total = _one_by_one(op, dtype, values, scope)
    else:
        total = _Choice(op, dtype, values, scope).sums()
    return total if dtype is out.dtype else scope.convert(total, out)


def _one_by_one(op: Chosen[Atom], dtype: type[dtypes.DType], values: list[Value], scope: Scope) -> Value:
    """Choices if each element is in at most one window, with which it is compared."""
    x_aval, places = op.x.aval.with_dtype(dtype), op.y.aval.with_dtype(dtype)
    x, y, updates = values

    def sums(x: Value, aval: ShapedArray, window: Window) -> Value:
        return _over_windows(ReduceKind.SUM, 0, Shaped(x, aval), op.sizes, window, scope).value

    back = backwards(op.window, op.sizes, x_aval.shape, places.shape)
    y = sums(y, places, back)
    if op.kind is ChosenKind.SCATTER:
        updates = sums(updates, places, back)
    matches, every = compared("EQ", x, y, x_aval, scope), compared("NE", y, y, x_aval, scope)
    chosen = scope.do("or", matches, every)
    part = scope.do("select", chosen, updates, scope.fill(x_aval, 0))
    return part if op.kind is ChosenKind.SCATTER else sums(part, x_aval, op.window)


class _Choice:
    """Emission of one choice, over `x` with its dilation and padding."""

    def __init__(self, op: Chosen[Atom], dtype: type[dtypes.DType], values: list[Value], scope: Scope) -> None:
        self.op, self.scope, self.window = op, scope, op.window
        self.gathers = op.kind is ChosenKind.GATHER
        self.x_aval = op.x.aval.with_dtype(dtype)
        self.places = op.y.aval.with_dtype(dtype)
        self.reaches = tuple([dilated(n, d) for n, d in zip(op.x.aval.shape, self.window.x_dilation, strict=True)])
        self.around = self.x_aval.with_shape(
            tuple([n + low + high for n, (low, high) in zip(self.reaches, self.window.padding, strict=True)])
        )
        x, self.y, self.values = values
        self.x = self._surrounded(x)
        if self.gathers:
            self.values = self._surrounded(self.values)
        self.nothing = scope.fill(self.places, 0)
        self.every = compared("NE", self.y, self.y, self.places, scope)
        self.target = self.places if self.gathers else self.around

    def sums(self) -> Value:
        total = self.scope.fill(self.target, 0)
        total = self._written_out(total) if math.prod(self.op.sizes) <= _WRITTEN_OUT else self._looped(total)
        return total if self.gathers else self._inside(total)

    def _padded(self, x: Value, low: Ints, high: Ints, interior: Ints, out: ShapedArray) -> Value:
        return self.scope.pad(x, self.scope.fill(ShapedArray((), out.dtype), 0), out, low, high, interior)

    def _surrounded(self, x: Value) -> Value:
        low, high = zip(*self.window.padding, strict=True) if self.window.padding else ((), ())
        if self.around.shape == self.x_aval.shape and not any(low):
            return x
        return self._padded(x, low, high, tuple([d - 1 for d in self.window.x_dilation]), self.around)

    def _inside(self, x: Value) -> Value:
        """The elements of x, without the dilation and padding of `_surrounded`."""
        low, high = [tuple([-pair[side] for pair in self.window.padding]) for side in (0, 1)]
        if any(low) or any(high):
            x = self._padded(x, low, high, (0,) * len(low), self.x_aval.with_shape(self.reaches))
        return self._strided(x, (0,) * len(low), self.reaches, self.window.x_dilation, self.x_aval)

    def _strided(self, x: Value, start: Ints, limit: Ints, strides: Ints, out: ShapedArray) -> Value:
        return sliced(x, start, limit, strides, out, self.scope)

    def _of_places(self, x: Value, values: Value) -> Value:
        """The values of windows at their chosen elements, else 0."""
        scope = self.scope
        chosen = scope.do("or", compared("EQ", x, self.y, self.places, scope), self.every)
        return scope.do("select", chosen, values, self.nothing)

    def _written_out(self, total: Value) -> Value:
        strides = self.window.strides
        for start, limit in cuts(self.op.sizes, self.window, self.places.shape):

            def cut(x: Value, start: Ints = start, limit: Ints = limit) -> Value:
                return self._strided(x, start, limit, strides, self.places)

            part = self._of_places(cut(self.x), cut(self.values) if self.gathers else self.values)
            if not self.gathers:
                after = tuple([n - end for n, end in zip(self.around.shape, limit, strict=True)])
                part = self._padded(part, start, after, tuple([s - 1 for s in strides]), self.around)
            total = self.scope.do("add", total, part)
        return total

    def _looped(self, total: Value) -> Value:
        """The same in a loop over elements of the window; constants are outside, since regions do not share them."""
        scope, sizes, strides = self.scope, self.op.sizes, self.window.strides
        index = ShapedArray((), dtypes.int64)
        number = {n: scope.fill(index, n) for n in {0, 1, math.prod(sizes), *sizes, *self.window.kernel_dilation}}
        zero = scope.fill(ShapedArray((), self.places.dtype), 0)
        ((_, span),) = [next(iter(cuts((1,) * len(sizes), self.window, self.places.shape)))]
        spanned = self.places.with_shape(span)
        none, apart = (0,) * len(sizes), tuple([s - 1 for s in strides])

        def more(state: list[Value]) -> list[Value]:
            return [compared("LT", state[0], number[math.prod(sizes)], index, scope)]

        def step(state: list[Value]) -> list[Value]:
            at, total = state
            starts: list[Value] = []
            rest = at
            for size, hole in reversed(list(zip(sizes, self.window.kernel_dilation, strict=True))):
                place = scope.do("remainder", rest, number[size]) if size > 1 else number[0]
                starts.insert(0, scope.do("multiply", place, number[hole]) if hole > 1 else place)
                rest = scope.do("divide", rest, number[size]) if size > 1 else rest

            def whole(x: Value) -> Value:
                attributes = {"slice_sizes": i64s(span)}
                return scope.op("stablehlo.dynamic_slice", TYPES[spanned], (x, *starts), attributes)

            def cut(x: Value) -> Value:
                return self._strided(whole(x), (0,) * len(sizes), span, strides, self.places)

            part = self._of_places(cut(self.x), cut(self.values) if self.gathers else self.values)
            if self.gathers:
                total = scope.do("add", total, part)
            else:
                part = scope.pad(part, zero, spanned, none, none, apart)
                total = scope.with_part(total, scope.do("add", whole(total), part), starts)
            return [scope.do("add", at, number[1]), total]

        types = [TYPES[index], TYPES[self.target]]
        return scope.builder.ops(
            "stablehlo.while", types, (number[0], total), None, [Region(types, more), Region(types, step)]
        )[1]
