"""Programs over blocks under a handler without carriers.

A handler of operations sees the operations of each device. Its state must be the same on all devices at the end, and so
must the sent values; only callbacks are ordered on each device by itself. The handler of an effect treats the devices
as the lanes of one `vmap` over all of them, in the order of the mesh: each begins with the state that `into_lanes`
gives it, and `from_lanes` gets the states at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import effects as fx
from effects.arrays.array import Array
from effects.arrays.mesh import Sharding
from effects.errors import MissingRule
from effects.operations.sharding import ShardMap
from effects.program.chain import installed, perform
from effects.program.jaxpr import eval_jaxpr
from effects.requests.forms import Form, take_apart, types_of
from handlers.host_effects import OrderedCallbacks
from handlers.requests.link import IN_PLACE, EffectLink
from handlers.sharding.mesh_axes import MeshAxes
from handlers.sharding.rules import check_same
from handlers.stage import stage
from handlers.stateful.link import STAGED, StatefulLink
from handlers.stateful.restaging import restage, results_received


@STAGED.rule(ShardMap)
def staged_shard_map(link: StatefulLink, op: ShardMap[Array]) -> tuple[Array, ...]:
    if isinstance(link, EffectLink):
        return _on_devices(link, op)
    if isinstance(link.handler, OrderedCallbacks):
        return _in_order(link, op)
    with MeshAxes(op.over):
        body = restage(link, op.body)
    state = link.handler.state_taken_apart()[0]
    replicated = op.over.replicated_sharding
    in_shardings = (*[replicated] * (len(body.captured) + len(state)), *op.in_cuts)
    out_shardings = (*[replicated] * body.n_state, *op.out_cuts, *[replicated] * body.n_sent)

    def named(i: int) -> str:
        return f"{link!r}: " + ("its state" if i < body.n_state else "what it sends")

    check_same(body.jaxpr, op.over, in_shardings, out_shardings, named)
    operands = (*body.captured, *state, *op.operands_)
    return results_received(
        link, body, perform(ShardMap(body.jaxpr, op.over, op.label, in_shardings, out_shardings, operands))
    )


@IN_PLACE.rule(ShardMap)
def refuse_choices(link: EffectLink, op: ShardMap[Array]) -> tuple[Array, ...]:
    if link.label not in op.body.effects:
        return perform(op)
    raise MissingRule(
        f"{link!r}: a choice in shard_map, where devices would go on with several results each; choose outside of it"
    )


def _in_order(link: StatefulLink, op: ShardMap[Array]) -> tuple[Array, ...]:
    """Each device calls in the order of the program; what follows does so when all have called."""
    (token,) = link.handler.state_taken_apart()[0]
    with MeshAxes(op.over):
        body = restage(link, op.body)
    n = len(body.captured)

    def run(*args: Array) -> list[Array]:
        last, *results = eval_jaxpr(body.jaxpr, args)
        return [_with_front(last), *results]

    program = body.jaxpr.cached("tokens in front", lambda: stage(run, body.jaxpr.in_avals, op.label)[0])
    in_shardings = (*[op.over.replicated_sharding] * (n + 1), *op.in_cuts)
    operands = (*body.captured, token, *op.operands_)
    tokens, *results = perform(
        ShardMap(program, op.over, op.label, in_shardings, (op.over.split_sharding, *op.out_cuts), operands)
    )
    return results_received(link, body, [fx.max(tokens), *results])


def _on_devices(link: EffectLink, op: ShardMap[Array]) -> tuple[Array, ...]:
    manual, size = op.over, op.over.number
    states, form = take_apart(link.answer("into_lanes", (size,), {}), f"the state of {link!r}")
    n = len(states)
    ends: list[tuple[Form, int, tuple[tuple[str, int], ...]]] = []

    def run(*args: Array) -> list[Array]:
        with link.copied(form.build([fx.reshape(a, a.shape[1:]) for a in args[:n]])) as inner:
            results = eval_jaxpr(op.body, args[n:])
        state, state_form = inner.handler.state_taken_apart()
        sent = inner.handler.sent
        ends.append((state_form, len(state), tuple([(name, len(values)) for name, values in sent.items()])))
        return [*map(_with_front, (*state, *[v for values in sent.values() for v in values])), *results]

    blocks = [aval.with_shape((1, *aval.shape[1:])) for aval in types_of(states)]
    with MeshAxes(manual):
        body, captured = stage(run, (*blocks, *op.body.in_avals), repr(link))
    (state_form, n_state, sends), n_first = ends[0], len(body.outputs) - len(op.out_cuts)
    operand_shardings: tuple[Sharding, ...] = (
        *[manual.replicated_sharding] * len(captured),
        *[manual.split_sharding] * n,
        *op.in_cuts,
    )
    out_shardings = (*[manual.split_sharding] * n_first, *op.out_cuts)
    results = perform(
        ShardMap(body, manual, op.label, operand_shardings, out_shardings, (*captured, *states, *op.operands_))
    )
    link.answer("from_lanes", (size, state_form.build(results[:n_state])), {})
    _send(link, sends, results[n_state:n_first])
    return results[n_first:]


def _send(link: EffectLink, sends: Sequence[tuple[str, int]], arrays: Sequence[Array]) -> None:
    remaining = iter(arrays)
    values: dict[str, Any] = {name: tuple([next(remaining) for _ in range(count)]) for name, count in sends}
    if values:
        with installed(link.outer):
            link.answer("from_sent", (values,), {})


def _with_front(x: Array) -> Array:
    return fx.reshape(x, (1, *x.shape))
