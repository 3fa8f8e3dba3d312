"""Sorting by StableHLO's operation, whose region compares two elements.

XLA is an order of magnitude faster if it compares one array and moves at most one other. So with one key each operand
is sorted with it by itself; XLA drops unread results. Floats are compared as integers of the same order, in which both
zeros are equal, and all NaN. A single key on CPUs is compared as a float: XLA recognises that comparison, for which NaN
is greater than all numbers, and needs no memory for integers. Complex numbers with NaN come after those without.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from effects.operations.sorting import Order, Sort
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import Value, boolean, i64
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.patterns import counted, pattern_of
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope

type Typed = tuple[Value, ShapedArray]

_CALLED: Final = (dtypes.bool_, dtypes.complex128)
"""Dtypes of moved arrays for which XLA calls the comparison, in which NaN is neither greater nor less."""


@RULES.rule(Sort)
def lower_sort(op: Sort[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    xs = [(scope[x], x.aval) for x in op.xs]
    shape = outs[0].aval.shape
    if shape[op.axis] < 2 or 0 in shape:
        return [x for x, _ in xs]
    keys = _keys(xs[: op.num_keys], scope, xs[op.num_keys :])
    if len(keys) > 1:
        return sorted_by(keys, xs, op.axis, op.descending, scope)[len(keys) :]
    if keys[0][0] is not xs[0][0]:
        return [sorted_by(keys, [x], op.axis, op.descending, scope)[1] for x in xs]
    pairs = [sorted_by(keys, [x], op.axis, op.descending, scope) for x in xs[1:]]
    first = pairs[0] if pairs else sorted_by(keys, [], op.axis, op.descending, scope)
    return [first[0], *[pair[1] for pair in pairs]]


def sorted_by(keys: list[Typed], others: list[Typed], axis: int, descending: bool, scope: Scope) -> list[Value]:
    """Keys in lexicographic order, and the other arrays moved with them."""
    everything = [*keys, *others]
    elements = [TYPES[ShapedArray((), aval.dtype)] for _, aval in everything]
    direction = "GT" if descending else "LT"

    pairs = [element for element in elements for _ in range(2)]
    region = Region(pairs, lambda pairs: [_lexicographic(pairs, keys, direction, scope)])
    attributes = {"dimension": i64(axis), "is_stable": boolean(True)}
    values, types = [x for x, _ in everything], [TYPES[aval] for _, aval in everything]
    return scope.builder.ops("stablehlo.sort", types, values, attributes, (region,))


def in_order(keys: list[Typed], places: ShapedArray, axis: int, descending: bool, scope: Scope) -> Value:
    """The positions of the elements in order."""
    count = scope.iota(places, axis)
    return sorted_by(keys, [(count, places)], axis, descending, scope)[-1]


def _lexicographic(pairs: list[Value], keys: list[Typed], direction: str, scope: Scope) -> Value:
    scalars = [ShapedArray((), aval.dtype) for _, aval in keys]
    last = len(keys) - 1
    decided = compared(direction, pairs[2 * last], pairs[2 * last + 1], scalars[last], scope)
    for i in range(last - 1, -1, -1):
        a, b = pairs[2 * i : 2 * i + 2]
        tied = scope.do("and", compared("EQ", a, b, scalars[i], scope), decided)
        decided = scope.do("or", compared(direction, a, b, scalars[i], scope), tied)
    return decided


def _keys(xs: list[Typed], scope: Scope, others: Sequence[Typed] = ()) -> list[Typed]:
    """Arrays that are compared in place of `xs`, the most significant first, if `others` are moved with them."""
    dtype = xs[0][1].dtype
    known = issubclass(dtype, dtypes.Floating) and dtype not in FLOAT8 and scope.functions.tuned
    known = known and not any([aval.dtype in _CALLED for _, aval in others])
    return xs if known and len(xs) == 1 else [key for x, aval in xs for key in keys_of(x, aval, scope)]


def keys_of(x: Value, aval: ShapedArray, scope: Scope) -> Iterator[Typed]:
    """Arrays of integers in the order of the elements, the most significant first."""
    dtype = aval.dtype
    if issubclass(dtype, dtypes.Complex):
        part = aval.with_dtype(dtypes.real_of(dtype))
        halves = [scope.op(f"stablehlo.{half}", TYPES[part], (x,)) for half in ("real", "imag")]
        flags = aval.with_dtype(dtypes.uint8)
        for half in halves:
            yield scope.convert(compared("NE", half, half, part, scope), flags), flags
        for half in halves:
            yield from keys_of(half, part, scope)
    elif issubclass(dtype, dtypes.Floating):
        if dtype in FLOAT8:
            aval = aval.with_dtype(dtypes.float32)
            x = scope.convert(x, aval)
        yield counted(canonical(x, aval, scope), aval, scope), pattern_of(aval)
    elif dtype is dtypes.bool_:
        numbers = aval.with_dtype(dtypes.uint8)
        yield scope.convert(x, numbers), numbers
    else:
        yield x, aval


def canonical(x: Value, aval: ShapedArray, scope: Scope) -> Value:
    """The floats `x` with one zero and one NaN."""
    zero, nan = scope.fill(aval, 0), scope.fill(aval, math.nan)
    x = scope.do("select", compared("EQ", x, zero, aval, scope), zero, x)
    return scope.do("select", compared("NE", x, x, aval, scope), nan, x)


@RULES.rule(Order)
def lower_order(op: Order[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    if out.shape[op.axis] < 2 or 0 in out.shape:
        return scope.fill(out, 0)
    keys = _keys([(scope[x], x.aval) for x in op.keys], scope)
    return in_order(keys, out, op.axis, op.descending, scope)
