"""Callbacks under batching.

Those that watch or act are called once per lane, in the order of the lanes, with the lane's own values. Those that
compute are called once when all lanes have the same operands, else as their `vmap_method` says.
"""

from __future__ import annotations

import dataclasses

from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.functions.manipulation import movement
from effects.operations.callbacks import Callback, CallbackKind, OnTrees, PerLane
from effects.program.chain import perform
from handlers.vmap.rules import RULES, Batched, Lanes, materialized


@RULES.rule(Callback)
def batch_callback(op: Callback[Batched]) -> Lanes:
    size = op.operands_[0].owner.size
    batched = tuple([x.batched for x in op.operands_])
    values = tuple([x.value for x in op.operands_])
    n_results = len(op.function.results)
    if op.kind is CallbackKind.PURE:
        if not any(batched):
            return perform(op.map(lambda x: x.value)), (False,) * n_results
        if op.vmap_method != "sequential":
            return _at_once(op, size), (True,) * n_results
    elif op.kind is CallbackKind.IO and op.ordered:
        raise ArgumentError(
            f"io_callback: {op.function!r} is ordered, and under vmap the lanes run at the same time, in no order; use "
            "ordered=False (it is then called once per lane), or a loop in place of vmap"
        )
    function = PerLane(op.function, batched, size)
    return perform(Callback(op.kind, function, op.ordered, op.vmap_method, values)), (True,) * n_results


def _at_once(op: Callback[Batched], size: int) -> tuple[Array, ...]:
    """One call with the lanes in front, of which operands that all lanes share have one, unless they are broadcast."""
    assert isinstance(op.function, OnTrees), "nothing else is called at once"
    results = tuple([aval.with_shape((size, *aval.shape)) for aval in op.function.results])
    function = dataclasses.replace(op.function, results=results)
    if op.vmap_method == "broadcast_all":
        values = tuple([materialized(x, size) for x in op.operands_])
    else:
        values = tuple([x.value if x.batched else movement.expand_dims(x.value, axis=0) for x in op.operands_])
    return perform(Callback(op.kind, function, op.ordered, op.vmap_method, values))
