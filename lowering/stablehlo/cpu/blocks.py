"""Loops over blocks of lines of an array, so that intermediate arrays are small and lie in a cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import Value, i64s
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.scope import TYPES, Scope


def in_one_memory(scope: Scope) -> bool:
    """Return True if the program runs on one CPU, where lines may be computed one after the other."""
    return scope.functions.tuned and scope.functions.layout is None


def by_lines(
    x: Value,
    aval: ShapedArray,
    together: int,
    outs: Sequence[ShapedArray],
    compute: Callable[[Value, ShapedArray, Scope], Sequence[Value]],
    scope: Scope,
) -> list[Value]:
    """The results of `compute` for all lines, which are along the first axis, with at least `together` of them. The
    last block ends with the array, and so may overlap the one before.
    """
    lines = aval.shape[0]
    index = ShapedArray((), dtypes.int32 if lines + together < 2**31 else dtypes.int64)
    zero, part = scope.fill(index, 0), aval.with_shape((together, *aval.shape[1:]))

    def starts(out: ShapedArray, start: Value) -> list[Value]:
        return [start, *[zero] * (out.ndim - 1)]

    def step(start: Value, filled: Sequence[Value], within: Scope) -> list[Value]:
        sizes = {"slice_sizes": i64s(part.shape)}
        block = within.op("stablehlo.dynamic_slice", TYPES[part], (x, *starts(part, start)), sizes)
        return [
            within.with_part(array, value, starts(out, start))
            for array, value, out in zip(filled, compute(block, part, within), outs, strict=True)
        ]

    return counted_up(index, together, lines, [(scope.fill(out, 0), out) for out in outs], step, scope)


def by_elements(
    xs: Sequence[tuple[Value, ShapedArray]],
    together: int,
    out: ShapedArray,
    compute: Callable[[Sequence[Value], Scope], Value],
    scope: Scope,
) -> Value:
    """The result of `compute`, an elementwise function, for all elements, of which there are at least `together`."""
    index = ShapedArray((), dtypes.int64)
    line = out.with_shape((out.size,))
    flat = [scope.reshape(x, aval.with_shape((out.size,))) if aval.shape else x for x, aval in xs]

    def step(start: Value, filled: Sequence[Value], within: Scope) -> list[Value]:
        sizes = {"slice_sizes": i64s((together,))}
        parts = [
            within.op("stablehlo.dynamic_slice", TYPES[aval.with_shape((together,))], (x, start), sizes)
            if aval.shape
            else x
            for x, (_, aval) in zip(flat, xs, strict=True)
        ]
        return [within.with_part(filled[0], compute(parts, within), [start])]

    alike = [x for x, (_, aval) in zip(flat, xs, strict=True) if aval.shape and aval.dtype is out.dtype]
    start = alike[0] if alike else scope.fill(line, 0)  # copying takes no kernel, and all is overwritten
    (result,) = counted_up(index, together, out.size, [(start, line)], step, scope)
    return scope.reshape(result, out)


def counted_up(
    index: ShapedArray,
    stride: int,
    end: int,
    state: Sequence[tuple[Value, ShapedArray]],
    step: Callable[[Value, Sequence[Value], Scope], list[Value]],
    scope: Scope,
) -> list[Value]:
    """`state` after a `step` at 0, `stride`, … below `end`.

    A step emits into its own scope, since regions share no constants.
    """
    zero, after, limit = [scope.fill(index, number) for number in (0, stride, end)]
    types = [TYPES[index], *[TYPES[aval] for _, aval in state]]

    def more(values: list[Value]) -> list[Value]:
        return [compared("LT", values[0], limit, index, scope)]

    def once(values: list[Value]) -> list[Value]:
        at, *before = values
        following = step(at, before, Scope(scope.builder, scope.functions))
        return [scope.do("add", at, after), *following]

    init = (zero, *[value for value, _ in state])
    return scope.builder.ops("stablehlo.while", types, init, None, [Region(types, more), Region(types, once)])[1:]
