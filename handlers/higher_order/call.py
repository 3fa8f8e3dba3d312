"""The rows of `Call` and `Checkpoint`: what a jitted call means under every handler.

Forward handlers call the restaged body. Partial evaluation makes two calls, of the known and of the unknown part, after
inlining calls in the body that share their program with no other; a checkpoint is split by its policy
(`checkpoint.py`). Transposition calls the transposed body. Evaluation gives it to the compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from effects.arrays.array import Array
from effects.operations.checkpoint import Checkpoint
from effects.operations.higher_order import Call, CallLike
from effects.program.chain import perform
from effects.program.operation import HostEffect
from handlers.forward import FORWARD, Forward
from handlers.higher_order.inlining import with_single_calls_inlined
from handlers.higher_order.restaging import pack_all, restage, unpack_all
from handlers.partial_eval import PARTIAL_EVAL, PartialEval, Split, merge, split
from handlers.transpose.programs import transposed
from handlers.transpose.rules import RULES as TRANSPOSE, Cotangents, is_linear


@FORWARD.rule(Call, Checkpoint)
def forward_call[V: Array](handler: Forward[V, Any], op: CallLike[V]) -> tuple[Array, ...]:
    inputs = unpack_all(handler, op.operands_)
    body = restage(handler, op.body, inputs)
    results = perform(op.of(body.jaxpr, (*body.captured, *inputs.parts)))
    return tuple(pack_all(handler, results, body.statics, body.counts))


@PARTIAL_EVAL.rule(Call)
def partial_eval_call(handler: PartialEval, op: Call[Array]) -> tuple[Array, ...]:
    # A residual of n nested calls would be a result of each call around it: n²/2 results in all.
    body = op.body.cached("single calls inlined", lambda: with_single_calls_inlined(op.body))
    return in_two_calls(handler, op, split(body, handler.unknown(op.operands_)), op)


def in_two_calls(
    handler: PartialEval, op: CallLike[Array], parts: Split, template: CallLike[Array], read_again: Sequence[int] = ()
) -> tuple[Array, ...]:
    """Call the known part, and record a call like `template` of the unknown part.

    The recorded call takes the residuals, the known operands at the positions `read_again`, then the unknown operands.
    """
    known_in, unknown_in = handler.sorted(op.operands_)
    needed = parts.known.outputs or HostEffect.HOST in parts.known.effects
    results = perform(op.of(parts.known, known_in)) if needed else ()
    n_known = parts.unknown_out.count(False)
    operands = (*results[n_known:], *[known_in[position] for position in read_again], *unknown_in)
    return merge(parts.unknown_out, results[:n_known], handler.record_all(template.of(parts.unknown, operands)))


@TRANSPOSE.rule(Call, Checkpoint)
def transpose_call(op: CallLike[Array], cotangents: Cotangents) -> list[Array | None]:
    body = transposed(
        op.body, tuple([is_linear(v) for v in op.operands_]), tuple([ct is not None for ct in cotangents])
    )
    known = [v for v in op.operands_ if not is_linear(v)]
    nonzero = [ct for ct in cotangents if ct is not None]
    results = iter(perform(op.of(body.jaxpr, (*body.captured, *known, *nonzero))))
    return [next(results) if present else None for present in body.present]
