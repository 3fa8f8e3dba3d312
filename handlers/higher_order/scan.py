"""The row of `Scan`: what a loop over slices means under every handler.

Forward handlers restage the body with a carry of forms that the loop keeps. Partial evaluation makes two loops: the
first runs forward what is known and stacks the residuals, the second takes their slices; what is the same in every
step is computed once, before either. The transpose is the loop backwards: it carries the cotangents of the carry and
sums those of the constants, of narrow floats in float32.
"""

from __future__ import annotations

from itertools import compress
from typing import Any, NamedTuple

from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.errors import ArgumentError
from effects.functions.creation import creation
from effects.functions.elementwise.arithmetic import add
from effects.operations.loops import Scan
from effects.program.chain import perform
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Atom, Jaxpr, Var, eval_jaxpr
from effects.program.operation import HigherOrder, HostEffect
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.forward import FORWARD, Forward
from handlers.higher_order.loop_carry import Joined, concatenated, fixed_point
from handlers.higher_order.restaging import Unpacked, pack_all, unpack_all
from handlers.partial_eval import PARTIAL_EVAL, PartialEval, Split, merge, split, unknown_carry
from handlers.stage import Stage
from handlers.transpose.programs import unless_captured
from handlers.transpose.rules import RULES as TRANSPOSE, Cotangents, is_linear, transpose_jaxpr


@FORWARD.rule(Scan)
def forward_scan[V: Array](handler: Forward[V, Any], op: Scan[V]) -> tuple[Array, ...]:
    consts = unpack_all(handler, op.consts)
    xs = _swapped(handler, unpack_all(handler, op.xs))
    slices = Joined(tuple([_slice(handler, part, op.length) for part in xs.parts]), xs.statics, xs.counts)
    carry, body = fixed_point(handler, op.body, op.init, lambda carry: concatenated(consts, carry, slices))
    init, operands = carry.parts, (*body.captured, *consts.parts)
    results = perform(op.of(body.jaxpr, operands, init, xs.parts))
    last = pack_all(handler, results[: len(init)], carry.statics, carry.counts)
    stacked = Unpacked(results[len(init) :], body.statics[op.carried :], body.counts[op.carried :])
    return (*last, *pack_all(handler, *_swapped(handler, stacked)))


def _swapped[V: Array](handler: Forward[V, Any], values: Unpacked) -> Unpacked:
    """Carriers of stacked values, with parts that are stacks of the parts of each value; and back."""
    parts: list[Array] = []
    for static, count in zip(values.statics, values.counts, strict=True):
        parts += handler.swapped(values.parts[len(parts) : len(parts) + count], static)
    return values._replace(parts=tuple(parts))


def _slice(handler: object, part: Array, length: int) -> Any:
    aval = part.aval
    if aval.shape[:1] != (length,):
        raise ArgumentError(
            f"{type(handler).__name__}.swapped: a loop of {length} steps needs the parts of stacked carriers to have "
            f"that many slices along axis 0, got {aval}"
        )
    return aval.with_shape(aval.shape[1:])


class Parts(NamedTuple):
    """A scan body split in three: what is the same in every step, what is known, and the unknown rest.

    `once` takes the known constants and gives the residuals that are the same in every step, then what `known` takes
    in place of the known constants. `known` takes the known carry and slices after that, and gives the known carry,
    the known results, then residuals. `unknown` takes the former residuals and the unknown constants, the unknown
    carry, then the latter residuals and the unknown slices. A residual that is a slice of known xs is not stacked
    again: `of_xs` has its position there; None says that `known` gives it.
    """

    once: Jaxpr
    known: Jaxpr
    unknown: Jaxpr
    n_same: int
    of_xs: tuple[int | None, ...]
    carry_unknown: tuple[bool, ...]
    ys_unknown: tuple[bool, ...]


def _parts(op: Scan[Any], consts: tuple[bool, ...], carry: tuple[bool, ...], xs: tuple[bool, ...]) -> Parts:
    """The three parts, for flags of the unknown constants, initial carry and xs."""
    carry = unknown_carry(op.body, consts, carry, xs)
    n_ys = len(op.body.outputs) - op.carried
    parts = split(op.body, (*consts, *carry, *xs), (*carry, *[False] * n_ys))
    n_known = parts.unknown_out.count(False)
    n_residuals = len(parts.known.outputs) - n_known
    n_consts = consts.count(False)
    hoisted = _hoisted(parts.known, n_consts, n_known)
    varies = hoisted.unknown_out[n_known:]
    n_same = varies.count(False)
    n_hoisted = len(hoisted.known.outputs) - n_same

    first_slice = n_hoisted + carry.count(False)
    position: dict[Atom, int] = {var: i for i, var in enumerate(hoisted.unknown.inputs[first_slice:])}
    residuals = hoisted.unknown.outputs[n_known:]
    of_xs = tuple([position.get(atom) for atom in residuals])
    stacked = tuple([atom for atom, at in zip(residuals, of_xs, strict=True) if at is None])
    known = Jaxpr(hoisted.unknown.inputs, hoisted.unknown.eqns, (*hoisted.unknown.outputs[:n_known], *stacked))

    inputs = parts.unknown.inputs
    invariant: list[Var] = []
    varying: list[Var] = []
    for var, flag in zip(inputs[:n_residuals], varies, strict=True):
        (varying if flag else invariant).append(var)
    after_carry = n_residuals + consts.count(True) + carry.count(True)
    order = (*invariant, *inputs[n_residuals:after_carry], *varying, *inputs[after_carry:])
    unknown = parts.unknown if order == inputs else Jaxpr(order, parts.unknown.eqns, parts.unknown.outputs)
    return Parts(
        hoisted.known, dead_code_eliminated(known), unknown, n_same, of_xs, carry, parts.unknown_out[op.carried :]
    )


def _hoisted(body: Jaxpr, n_consts: int, n_kept: int) -> Split:
    """Split `body` by what depends on its first `n_consts` inputs only; its first `n_kept` results stay in the loop.

    A body that calls the host stays whole, since that happens in every step.
    """
    n_inputs, n_results = len(body.inputs), len(body.outputs)
    if HostEffect.HOST in body.effects or not _has_invariants(body, n_consts, n_kept):
        consts = body.inputs[:n_consts]
        return Split(Jaxpr(consts, (), consts), body, (True,) * n_results)
    varying = (*[False] * n_consts, *[True] * (n_inputs - n_consts))
    return split(body, varying, (*[True] * n_kept, *[False] * (n_results - n_kept)))


def _has_invariants(body: Jaxpr, n_consts: int, n_kept: int) -> bool:
    """Return True if some equation, or result after the first `n_kept`, may depend on constants only."""
    varying: set[Atom] = set(body.inputs[n_consts:])
    for eqn in body.eqns:
        if varying.isdisjoint(eqn.op.operands) or isinstance(eqn.op, HigherOrder):
            return True
        varying.update(eqn.outs)
    return not varying.issuperset(body.outputs[n_kept:])


@PARTIAL_EVAL.rule(Scan)
def partial_eval_scan(handler: PartialEval, op: Scan[Array]) -> tuple[Array, ...]:
    unknown = [handler.unknown(group) for group in (op.consts, op.init, op.xs)]
    parts = op.body.cached(("scan parts", op.carried, *unknown), lambda: _parts(op, *unknown))
    (consts, unknown_consts), (xs, unknown_xs) = handler.sorted(op.consts), handler.sorted(op.xs)
    invariant = tuple(eval_jaxpr(parts.once, consts))
    unknown_init = tuple(compress(op.init, parts.carry_unknown))
    init = tuple([v for v, is_unknown in zip(op.init, parts.carry_unknown, strict=True) if not is_unknown])
    results: tuple[Array, ...] = ()
    if parts.known.outputs or HostEffect.HOST in parts.known.effects:
        results = perform(op.of(parts.known, invariant[parts.n_same :], init, xs))
    n_known = len(init) + parts.ys_unknown.count(False)
    stacked = iter(results[n_known:])
    residuals = [next(stacked) if at is None else xs[at] for at in parts.of_xs]
    later_consts = (*invariant[: parts.n_same], *unknown_consts)
    recorded = handler.record_all(op.of(parts.unknown, later_consts, unknown_init, (*residuals, *unknown_xs)))
    return merge((*parts.carry_unknown, *parts.ys_unknown), results[:n_known], recorded)


class Backwards(NamedTuple):
    """The transpose of a scan body: `once` takes what users' rules `captured` and the known constants, and gives what
    `body` takes in their place.

    `body` takes these, then the sums of the cotangents of the constants in `consts` and the cotangents of the carry in
    `carry`, then the known slices and the cotangents of the results; it gives the sums, the cotangents of the carry,
    and those of the slices in `xs`.
    """

    once: Jaxpr
    body: Jaxpr
    consts: tuple[bool, ...]
    carry: tuple[bool, ...]
    xs: tuple[bool, ...]
    captured: tuple[Array, ...]


def _backwards(op: Scan[Any], linear_in: tuple[bool, ...], nonzero: tuple[bool, ...]) -> Backwards:
    """The transpose for the cotangents in `nonzero`, of carry and results."""
    n_consts, after = len(op.consts), len(op.consts) + op.carried
    consts, carry, xs = op.body.in_avals[:n_consts], op.body.in_avals[n_consts:after], op.body.in_avals[after:]
    carried, ys_given = nonzero[: op.carried], nonzero[op.carried :]
    with Stage("a step backwards") as step:
        known_consts = [step.input(aval) for aval, linear in zip(consts, linear_in, strict=False) if not linear]
        cts = [step.input(aval) if present else None for aval, present in zip(carry, carried, strict=True)]
        known_xs = [step.input(aval) for aval, linear in zip(xs, linear_in[after:], strict=True) if not linear]
        ys = zip(op.body.out_avals[op.carried :], ys_given, strict=True)
        cts += [step.input(aval) if present else None for aval, present in ys]
        results = iter(transpose_jaxpr(op.body, linear_in, (*known_consts, *known_xs), cts))
        cotangents = [next(results) if linear else None for linear in linear_in]
        of_consts, following, of_xs = cotangents[:n_consts], cotangents[n_consts:after], cotangents[after:]
        joined = tuple([a or ct is not None for a, ct in zip(carried, following, strict=True)])
        if joined != carried:
            return _backwards(op, linear_in, (*joined, *ys_given))
        n_inputs, n_known = len(step.inputs), len(known_consts)
        sums = [_added(step.input(_sum_type(ct.aval)), ct) for ct in of_consts if ct is not None]
        of_carry = zip(following, carry, carried, strict=True)
        carry_cts = [creation.zeros_of(aval) if ct is None else ct for ct, aval, present in of_carry if present]
        program, captured = step.program([*sums, *carry_cts, *[ct for ct in of_xs if ct is not None]])
    n_known += len(captured)
    n_inputs += len(captured)
    inputs = program.inputs
    order = (*inputs[:n_known], *inputs[n_inputs:], *inputs[n_known:n_inputs])  # the sums are carried
    body = Jaxpr(order, program.eqns, program.outputs)
    hoisted = _hoisted(body, n_known, len(body.outputs))
    present = tuple([ct is not None for ct in cotangents])
    return Backwards(hoisted.known, hoisted.unknown, present[:n_consts], carried, present[after:], tuple(captured))


def _sum_type(aval: ShapedArray) -> ShapedArray:
    """Type in which the cotangents of a constant are added."""
    return aval.with_dtype(dtypes.float32) if aval.dtype in dtypes.NARROW else aval


def _added(total: Array, ct: Array) -> Array:
    return add(total, convert(ct, total.aval.dtype, ct.aval.weak_type))


@TRANSPOSE.rule(Scan)
def transpose_scan(op: Scan[Array], cotangents: Cotangents) -> list[Array | None]:
    # A known initial value of a carry that depends on linear ones has no cotangent; the carry itself is linear.
    linear_in = (*map(is_linear, op.consts), *[True] * op.carried, *map(is_linear, op.xs))
    nonzero = tuple([ct is not None for ct in cotangents])
    key = ("backwards", op.carried, linear_in, nonzero)
    back = unless_captured(op.body, key, lambda: _backwards(op, linear_in, nonzero))
    sums = [creation.zeros_of(_sum_type(v.aval)) for v, present in zip(op.consts, back.consts, strict=True) if present]
    last = zip(op.init, cotangents, back.carry, strict=False)
    cts = [creation.zeros_of(v.aval) if ct is None else ct for v, ct, present in last if present]
    of_ys = [ct for ct in cotangents[op.carried :] if ct is not None]
    known = [v for v in op.xs if not is_linear(v)]
    init = (*sums, *cts)
    invariant = tuple(eval_jaxpr(back.once, [*back.captured, *[v for v in op.consts if not is_linear(v)]]))
    results = iter(
        perform(Scan(back.body, len(init), op.length, not op.reverse, op.unroll, invariant, init, (*known, *of_ys)))
    )
    by_operand = [next(results) if present else None for present in (*back.consts, *back.carry, *back.xs)]
    return [
        None if ct is None or not is_linear(v) else convert(ct, v.aval.dtype, v.aval.weak_type)
        for v, ct in zip(op.operands, by_operand, strict=True)
    ]
