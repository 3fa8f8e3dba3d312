"""The row of `ShardMap`: what a program over blocks means under every handler.

Forward handlers restage the body over the parts of carriers, partial evaluation splits it, transposition transposes it,
as for a jitted call. What is more is how the parts are cut. Parts have the axes of the value behind those that the
handler adds, which are not cut; residuals differ from device to device, so between the two parts of a program each that
is no operand has an axis in front, cut over the axes of the mesh that it differs along. The compiler runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import compress
from typing import Any

from effects.arrays.array import Array
from effects.arrays.concrete import backend
from effects.arrays.mesh import Names, Sharding
from effects.arrays.promotion import constant_like
from effects.errors import MissingRule
from effects.functions import arithmetic, movement
from effects.operations.collectives import AllReduce, AllReduceKind
from effects.operations.sharding import Blocks, ShardMap, block_of
from effects.program.chain import Performed, perform
from effects.program.jaxpr import Atom, Jaxpr, Var, eval_jaxpr
from effects.program.operation import HostEffect
from effects.types.avals import ShapedArray
from handlers.evaluate.rules import RULES as EVALUATE, refuse_foreign
from handlers.forward import FORWARD, Forward
from handlers.higher_order.carrying import Joined
from handlers.higher_order.restaging import pack_all, restage, unpack_all
from handlers.partial_eval import PARTIAL_EVAL, PartialEval, merge, split
from handlers.sharding.differing import UNSAID, followed
from handlers.sharding.named import MeshAxes
from handlers.stage import stage
from handlers.transpose.rules import RULES as TRANSPOSE, Cotangents, Transposed, is_linear, transposed, unless_captured
from handlers.vmap.rules import Vmap

type Cuts = tuple[Sharding, ...]


@EVALUATE.rule(ShardMap)
def evaluate_shard_map(op: ShardMap[Array]) -> Performed:
    refuse_foreign(op)
    return backend().execute(op)


@FORWARD.rule(ShardMap)
def forward_shard_map[V: Array](handler: Forward[V, Any], op: ShardMap[V]) -> tuple[Array, ...]:
    inputs = unpack_all(handler, op.operands_)
    in_cuts = _of_parts(inputs.avals, inputs.counts, [v.aval for v in op.operands_], op.in_cuts)
    blocks = tuple([block_of(a, cut, "an operand") for a, cut in zip(inputs.avals, in_cuts, strict=True)])
    with MeshAxes(op.over):
        body = restage(_unnamed(handler, op.over), op.body, Joined(blocks, inputs.statics, inputs.counts))
    out_cuts = _of_parts(body.jaxpr.out_avals, body.counts, op.body.out_avals, op.out_cuts)
    cuts = (*[op.over.whole] * len(body.captured), *in_cuts)
    check_same(body.jaxpr, op.over, cuts, out_cuts, lambda i: f"{handler!r}: part {i} of the results of {op.label}")
    results = perform(ShardMap(body.jaxpr, op.over, op.label, cuts, out_cuts, (*body.captured, *inputs.parts)))
    return tuple(pack_all(handler, results, body.statics, body.counts))


def _unnamed[V: Array](handler: Forward[V, Any], over: Blocks) -> Forward[V, Any]:
    """The handler inside; an axis of its own that is called as one of the blocks has no name there."""
    if isinstance(handler, Vmap) and handler.name in over.axes:
        inside: Any = Vmap(handler.size, directions=handler.directions)
        return inside  # type: ignore[no-any-return]  # a handler of the same carriers
    return handler


def _of_parts(parts: Sequence[ShapedArray], counts: Sequence[int], values: Sequence[ShapedArray], cuts: Cuts) -> Cuts:
    """How the parts of carriers of values that are cut like this are cut."""
    of = [(value, cut) for value, cut, count in zip(values, cuts, counts, strict=True) for _ in range(count)]
    return tuple([_of_part(part, value, cut) for part, (value, cut) in zip(parts, of, strict=True)])


def _of_part(part: ShapedArray, value: ShapedArray, cut: Sharding) -> Sharding:
    added = part.ndim - value.ndim
    if added < 0 or part.shape[added:] != value.shape:
        return cut.mesh.sharding()  # no axis of it is one of the value's: the same everywhere, or refused
    return cut.mesh.sharding(*[()] * added, *cut.spec) if added else cut


def check_same(body: Jaxpr, over: Blocks, in_cuts: Cuts, out_cuts: Cuts, named: Callable[[int], str]) -> None:
    """Raise MissingRule for a result that is not cut along an axis that it differs along; `named(i)` says which."""
    for i, name in differing(body, over, in_cuts, out_cuts):
        raise MissingRule(
            f"{named(i)} differs between the devices along {name!r}, and is not cut along that axis; "
            "let it be the same on all of them (psum, pmean), or use the handler inside of shard_map"
        )


def differing(body: Jaxpr, over: Blocks, in_cuts: Cuts, out_cuts: Cuts) -> list[tuple[int, str]]:
    """The results that differ along an axis which does not cut them, and the axis."""
    if not any([over.uncut(cut) for cut in out_cuts]):
        return []
    along = followed(body, over, in_cuts).statics
    return [
        (i, name)
        for i, (cut, axes) in enumerate(zip(out_cuts, along, strict=True))
        for name in over.uncut(cut)
        if isinstance(axes, frozenset) and name in axes and UNSAID not in axes
    ]


@PARTIAL_EVAL.rule(ShardMap)
def partial_eval_shard_map(handler: PartialEval, op: ShardMap[Array]) -> tuple[Array, ...]:
    unknown_in = tuple([v.owner is handler for v in op.operands_])
    known_in = tuple([not unknown for unknown in unknown_in])
    over = op.over
    with MeshAxes(over):
        parts = split(op.body, unknown_in)
    known_out = tuple([not unknown for unknown in parts.unknown_out])
    n_out = sum(known_out)
    in_cuts, operands = tuple(compress(op.in_cuts, known_in)), tuple(compress(op.operands_, known_in))
    # A residual that is an operand is that operand, cut as it is.
    place: dict[Atom, int] = {var: i for i, var in enumerate(parts.known.inputs)}
    places = [place.get(atom) if type(atom) is Var else None for atom in parts.known.outputs[n_out:]]
    kept = tuple([at is None for at in places])
    made_cuts: Cuts = ()
    if any(kept):
        along = compress(followed(parts.known, over, in_cuts).statics[n_out:], kept)
        made_cuts = tuple([over.mesh.sharding(_in_order(over, axes)) for axes in along])
    given: tuple[Array, ...] = ()
    if n_out or any(kept) or HostEffect.HOST in parts.known.effects:
        first = parts.known.cached(("residuals in front", n_out), lambda: _giving(parts.known, n_out, kept))
        cuts = (*compress(op.out_cuts, known_out), *made_cuts)
        given = perform(ShardMap(first, over, op.label, in_cuts, cuts, operands))
    second = parts.unknown.cached(("residuals in front", kept), lambda: _taking(parts.unknown, kept))
    made = zip(given[n_out:], made_cuts, strict=True)
    residuals = [next(made) if at is None else (operands[at], in_cuts[at]) for at in places]
    atoms = tuple([handler.atom(v) for v in (*[r for r, _ in residuals], *compress(op.operands_, unknown_in))])
    later_cuts = (*[cut for _, cut in residuals], *compress(op.in_cuts, unknown_in))
    out_cuts = tuple(compress(op.out_cuts, parts.unknown_out))
    recorded = handler.record(ShardMap(second, over, op.label, later_cuts, out_cuts, atoms))
    assert isinstance(recorded, tuple), "it has several results"
    return merge(parts.unknown_out, given[:n_out], recorded)


def _in_order(over: Blocks, axes: Hashable) -> Names:
    assert isinstance(axes, frozenset), "forms are sets of axes"
    return tuple([name for name in over.axes if name in axes])


def _giving(known: Jaxpr, n_out: int, kept: tuple[bool, ...]) -> Jaxpr:
    """The program with an axis in front of the outputs after the first `n_out` that are `kept`, without the others."""

    def run(*args: Array) -> list[Array]:
        outs = eval_jaxpr(known, args)
        return [*outs[:n_out], *[movement.reshape(r, (1, *r.shape)) for r in compress(outs[n_out:], kept)]]

    return stage(run, known.in_avals, "the known part")[0]


def _taking(unknown: Jaxpr, kept: tuple[bool, ...]) -> Jaxpr:
    """The program with an axis in front of each of its first inputs that is `kept`."""
    n = len(kept)

    def run(*args: Array) -> list[Array]:
        first = [movement.reshape(r, r.shape[1:]) if front else r for r, front in zip(args, kept, strict=False)]
        return eval_jaxpr(unknown, [*first, *args[n:]])

    first = [aval.with_shape((1, *aval.shape)) if front else aval for aval, front in zip(unknown.in_avals, kept)]
    return stage(run, (*first, *unknown.in_avals[n:]), "the unknown part")[0]


@TRANSPOSE.rule(ShardMap)
def transpose_shard_map(op: ShardMap[Array], cotangents: Cotangents) -> list[Array | None]:
    """Cutting copies a value to the devices along the axes that do not cut it, which transposes to a sum over them.

    Of a result that is the same along an axis one copy is taken; which, nobody says, so each has its share.
    """
    linear_in = tuple([is_linear(v) for v in op.operands_])
    known_in = tuple([not linear for linear in linear_in])
    given = tuple([ct is not None for ct in cotangents])
    known_cuts, given_cuts = tuple(compress(op.in_cuts, known_in)), tuple(compress(op.out_cuts, given))
    linear_cuts = tuple(compress(op.in_cuts, linear_in))
    key = ("transposed over blocks", op.over, linear_in, given, op.in_cuts, op.out_cuts)
    with MeshAxes(op.over):
        body = unless_captured(
            op.body, key, lambda: _transposed(op, linear_in, given, len(known_cuts), given_cuts, linear_cuts)
        )
    operands = (*body.captured, *compress(op.operands_, known_in), *[ct for ct in cotangents if ct is not None])
    in_cuts = (*[op.over.whole] * len(body.captured), *known_cuts, *given_cuts)
    out_cuts = tuple(compress(op.in_cuts, body.present))
    results = iter(perform(ShardMap(body.jaxpr, op.over, op.label, in_cuts, out_cuts, operands)))
    return [next(results) if there else None for there in body.present]


def _transposed(
    op: ShardMap[Array],
    linear_in: tuple[bool, ...],
    given: tuple[bool, ...],
    n_known: int,
    given_cuts: Cuts,
    linear_cuts: Cuts,
) -> Transposed:
    back = transposed(op.body, linear_in, given)
    first = len(back.captured) + n_known
    cuts = tuple(compress(linear_cuts, compress(back.present, linear_in)))

    def run(*args: Array) -> list[Array]:
        shares = [_share(ct, op.over.uncut(cut), op.over) for ct, cut in zip(args[first:], given_cuts, strict=True)]
        found = eval_jaxpr(back.jaxpr, [*args[:first], *shares])
        return [_summed(ct, op.over.uncut(cut)) for ct, cut in zip(found, cuts, strict=True)]

    return Transposed(stage(run, back.jaxpr.in_avals, "the transpose")[0], back.present, back.captured)


def _share(ct: Array, names: Names, over: Blocks) -> Array:
    copies = over.mesh.parts(names)
    return ct if copies == 1 else arithmetic.divide(ct, constant_like(copies, ct))


def _summed(ct: Array, names: Names) -> Array:
    return perform(AllReduce(AllReduceKind.SUM, names, ct)) if names else ct
