"""The row of `ShardMap`: what a program over blocks means under every handler.

Forward handlers restage the body over the parts of carriers, partial evaluation splits it, transposition transposes it,
as for a jitted call. In addition, parts need shardings: axes that a handler adds in front of those of the value are not
split. Residuals differ from device to device, so between the known and the unknown part of a program each that is no
operand has an axis in front, split over the mesh axes along which it differs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import compress
from typing import Any

from effects.arrays.array import Array
from effects.arrays.mesh import Names, Sharding
from effects.arrays.promotion import constant_like
from effects.errors import MissingRule
from effects.functions.elementwise import arithmetic
from effects.operations.collectives import AllReduce, AllReduceKind
from effects.operations.movement import Reshape
from effects.operations.sharding import ManualAxes, ShardMap, block_of
from effects.program.chain import perform
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Var
from effects.program.operation import HostEffect
from effects.types.avals import ShapedArray
from handlers.evaluate.rules import RULES as EVALUATE, compiled
from handlers.forward import FORWARD, Forward
from handlers.higher_order.loop_carry import Joined
from handlers.higher_order.restaging import pack_all, restage, unpack_all
from handlers.partial_eval import PARTIAL_EVAL, PartialEval, merge, split
from handlers.sharding.mesh_axes import MeshAxes
from handlers.sharding.varying import UNKNOWN, differs_along
from handlers.transpose.programs import staged_transpose, unless_captured
from handlers.transpose.rules import RULES as TRANSPOSE, Cotangents, is_linear
from handlers.vmap.rules import Vmap

type Shardings = tuple[Sharding, ...]


EVALUATE.rule(ShardMap)(compiled)


@FORWARD.rule(ShardMap)
def forward_shard_map[V: Array](handler: Forward[V, Any], op: ShardMap[V]) -> tuple[Array, ...]:
    inputs = unpack_all(handler, op.operands_)
    in_shardings = _part_shardings(inputs.avals, inputs.counts, [v.aval for v in op.operands_], op.in_cuts)
    blocks = tuple(
        [block_of(a, sharding, "an operand") for a, sharding in zip(inputs.avals, in_shardings, strict=True)]
    )
    with MeshAxes(op.over):
        body = restage(_unnamed(handler, op.over), op.body, Joined(blocks, inputs.statics, inputs.counts))
    out_shardings = _part_shardings(body.jaxpr.out_avals, body.counts, op.body.out_avals, op.out_cuts)
    operand_shardings = (*[op.over.replicated_sharding] * len(body.captured), *in_shardings)
    check_same(
        body.jaxpr,
        op.over,
        operand_shardings,
        out_shardings,
        lambda i: f"{handler!r}: part {i} of the results of {op.label}",
    )
    results = perform(
        ShardMap(body.jaxpr, op.over, op.label, operand_shardings, out_shardings, (*body.captured, *inputs.parts))
    )
    return tuple(pack_all(handler, results, body.statics, body.counts))


def _unnamed[V: Array](handler: Forward[V, Any], manual: ManualAxes) -> Forward[V, Any]:
    """The handler for the body. A `Vmap` whose axis has the name of a mesh axis has no name there."""
    if isinstance(handler, Vmap) and handler.name in manual.axes:
        inside: Any = Vmap(handler.size, directions=handler.directions)
        return inside  # type: ignore[no-any-return]  # a handler of the same carriers
    return handler


def _part_shardings(
    parts: Sequence[ShapedArray], counts: Sequence[int], values: Sequence[ShapedArray], shardings: Shardings
) -> Shardings:
    """The shardings of the parts of carriers, from those of the values."""
    pairs = [
        (value, sharding)
        for value, sharding, count in zip(values, shardings, counts, strict=True)
        for _ in range(count)
    ]
    return tuple([_part_sharding(part, value, sharding) for part, (value, sharding) in zip(parts, pairs, strict=True)])


def _part_sharding(part: ShapedArray, value: ShapedArray, sharding: Sharding) -> Sharding:
    added = part.ndim - value.ndim
    if added < 0 or part.shape[added:] != value.shape:
        return sharding.mesh.sharding()  # it has no axes of the value: the same on all devices, or refused
    return sharding.mesh.sharding(*[()] * added, *sharding.spec) if added else sharding


def check_same(
    body: Jaxpr, manual: ManualAxes, in_shardings: Shardings, out_shardings: Shardings, named: Callable[[int], str]
) -> None:
    """Raise MissingRule for a result that differs along an axis but is not split along it; `named(i)` is its name."""
    for i, name in undeclared_differences(body, manual, in_shardings, out_shardings):
        raise MissingRule(
            f"{named(i)} differs between the devices along {name!r}, but is not split along that axis; "
            "let it be the same on all of them (psum, pmean), or use the handler inside of shard_map"
        )


def undeclared_differences(
    body: Jaxpr, manual: ManualAxes, in_shardings: Shardings, out_shardings: Shardings
) -> list[tuple[int, str]]:
    """The numbers of results that differ along an axis without being split along it, and the axis."""
    if not any([manual.unsplit(sharding) for sharding in out_shardings]):
        return []
    along = differs_along(body, manual, in_shardings)
    return [
        (i, name)
        for i, (sharding, axes) in enumerate(zip(out_shardings, along, strict=True))
        for name in manual.unsplit(sharding)
        if isinstance(axes, frozenset) and name in axes and UNKNOWN not in axes
    ]


@PARTIAL_EVAL.rule(ShardMap)
def partial_eval_shard_map(handler: PartialEval, op: ShardMap[Array]) -> tuple[Array, ...]:
    unknown_in = handler.unknown(op.operands_)
    known_in = tuple([not unknown for unknown in unknown_in])
    manual = op.over
    with MeshAxes(manual):
        parts = split(op.body, unknown_in)
    known_out = tuple([not unknown for unknown in parts.unknown_out])
    n_out = sum(known_out)
    in_shardings, operands = tuple(compress(op.in_cuts, known_in)), tuple(compress(op.operands_, known_in))
    # A residual that is an operand keeps the sharding of the operand.
    position_of: dict[Atom, int] = {var: i for i, var in enumerate(parts.known.inputs)}
    positions = [position_of.get(atom) if type(atom) is Var else None for atom in parts.known.outputs[n_out:]]
    is_residual = tuple([position is None for position in positions])
    residual_shardings: Shardings = ()
    if any(is_residual):
        axes = compress(differs_along(parts.known, manual, in_shardings)[n_out:], is_residual)
        residual_shardings = tuple([manual.mesh.sharding(_in_mesh_order(manual, names)) for names in axes])
    results: tuple[Array, ...] = ()
    if n_out or any(is_residual) or HostEffect.HOST in parts.known.effects:
        known_program = parts.known.cached(
            ("residuals in front", n_out), lambda: _with_residual_axes(parts.known, n_out, is_residual)
        )
        known_shardings = (*compress(op.out_cuts, known_out), *residual_shardings)
        results = perform(ShardMap(known_program, manual, op.label, in_shardings, known_shardings, operands))
    unknown_program = parts.unknown.cached(
        ("residuals in front", is_residual), lambda: _without_residual_axes(parts.unknown, is_residual)
    )
    computed_residuals = zip(results[n_out:], residual_shardings, strict=True)
    residuals = [
        next(computed_residuals) if position is None else (operands[position], in_shardings[position])
        for position in positions
    ]
    unknown_operands = (*[r for r, _ in residuals], *compress(op.operands_, unknown_in))
    unknown_shardings = (*[sharding for _, sharding in residuals], *compress(op.in_cuts, unknown_in))
    out_shardings = tuple(compress(op.out_cuts, parts.unknown_out))
    recorded = handler.record_all(
        ShardMap(unknown_program, manual, op.label, unknown_shardings, out_shardings, unknown_operands)
    )
    return merge(parts.unknown_out, results[:n_out], recorded)


def _in_mesh_order(manual: ManualAxes, axes: Hashable) -> Names:
    assert isinstance(axes, frozenset), "forms are sets of axes"
    return tuple([name for name in manual.axes if name in axes])


def _with_residual_axes(known: Jaxpr, n_out: int, is_residual: tuple[bool, ...]) -> Jaxpr:
    """The known part with an axis in front of each residual that is no operand. Residuals are the outputs after the
    first `n_out`; `is_residual` selects those that are returned.
    """
    residuals = list(compress(known.outputs[n_out:], is_residual))
    fronts = [Var(atom.aval.with_shape((1, *atom.aval.shape))) for atom in residuals]
    eqns = [_reshape(atom, front) for atom, front in zip(residuals, fronts, strict=True)]
    return Jaxpr(known.inputs, (*known.eqns, *eqns), (*known.outputs[:n_out], *fronts))


def _without_residual_axes(unknown: Jaxpr, is_residual: tuple[bool, ...]) -> Jaxpr:
    """The unknown part, whose first inputs have an axis in front where `is_residual` says so."""
    residuals = list(compress(unknown.inputs, is_residual))
    fronts = [Var(var.aval.with_shape((1, *var.aval.shape))) for var in residuals]
    eqns = [_reshape(front, var) for var, front in zip(residuals, fronts, strict=True)]
    next_front = iter(fronts)
    first = [next(next_front) if front else var for var, front in zip(unknown.inputs, is_residual, strict=False)]
    return Jaxpr((*first, *unknown.inputs[len(is_residual) :]), (*eqns, *unknown.eqns), unknown.outputs)


def _reshape(atom: Atom, out: Var) -> Eqn:
    return Eqn(Reshape(out.aval.shape, atom), (out,), None, False)


@TRANSPOSE.rule(ShardMap)
def transpose_shard_map(op: ShardMap[Array], cotangents: Cotangents) -> list[Array | None]:
    """The transposed program. An operand is copied along the axes that do not split it, which transposes to a sum.

    A result that does not differ along an axis has several copies, one of which is returned; each gets an equal share
    of the cotangent.
    """
    linear_in = tuple([is_linear(v) for v in op.operands_])
    known_in = tuple([not linear for linear in linear_in])
    nonzero = tuple([ct is not None for ct in cotangents])
    share: Callable[[int, Array], Array] = lambda i, ct: _share(ct, op.over.unsplit(op.out_cuts[i]), op.over)
    total: Callable[[int, Array], Array] = lambda i, ct: _summed(ct, op.over.unsplit(op.in_cuts[i]))
    key = ("transposed over blocks", op.over, linear_in, nonzero, op.in_cuts, op.out_cuts)
    with MeshAxes(op.over):
        body = unless_captured(op.body, key, lambda: staged_transpose(op.body, linear_in, nonzero, False, share, total))
    operands = (*body.captured, *compress(op.operands_, known_in), *[ct for ct in cotangents if ct is not None])
    in_shardings = (
        *[op.over.replicated_sharding] * len(body.captured),
        *compress(op.in_cuts, known_in),
        *compress(op.out_cuts, nonzero),
    )
    out_shardings = tuple(compress(op.in_cuts, body.present))
    results = iter(perform(ShardMap(body.jaxpr, op.over, op.label, in_shardings, out_shardings, operands)))
    return [next(results) if present else None for present in body.present]


def _share(ct: Array, names: Names, manual: ManualAxes) -> Array:
    copies = manual.mesh.parts(names)
    return ct if copies == 1 else arithmetic.divide(ct, constant_like(copies, ct))


def _summed(ct: Array, names: Names) -> Array:
    return perform(AllReduce(AllReduceKind.SUM, names, ct)) if names else ct
