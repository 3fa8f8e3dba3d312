"""Partial evaluation: what depends only on known values is computed now, the rest is written down.

An unknown value is a `Traced` of this handler. An operation none of whose operands is unknown passes outward and is
computed there; any other is recorded, its known operands captured as residuals. Higher-order operations are split in a
known and an unknown part by their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, final

from effects.array import Array
from effects.chain import Performed, _chain
from effects.errors import ArgumentError
from effects.jaxpr import Jaxpr, Var, dead_code_eliminated, eval_jaxpr
from effects.operation import HigherOrder, Operation
from handlers.column import Column
from handlers.stage import Recorder, Stage

PARTIAL_EVAL: Final = Column[Callable[[Any, Any], tuple[Array, ...]]]("partial evaluation")
"""How each higher-order operation is split; the rows register their rules."""


@final
class PartialEval(Recorder):
    """Records the operations that have an unknown operand, and lets the others pass."""

    doing = "partially evaluated (its value is not known while a derivative is being taken)"

    def handle(self, op: Operation[Array], /) -> Performed:
        if not op.owned_by(self):
            return self.outer.handle(op)
        if not self.alive:
            return self.handle_after_extent(op)
        if isinstance(op, HigherOrder):
            token = _chain.set(self.outer)
            try:
                return PARTIAL_EVAL[type(op)](self, op)
            finally:
                _chain.reset(token)
        return self.record(op.written(self))


class Split(NamedTuple):
    """A program in two: `known` takes the known inputs and gives the known outputs, then residuals; `unknown` takes the
    residuals, then the unknown inputs, and gives the outputs marked in `unknown_out`."""

    known: Jaxpr
    unknown: Jaxpr
    unknown_out: tuple[bool, ...]


def split(jaxpr: Jaxpr, unknown_in: tuple[bool, ...], force_unknown: tuple[bool, ...] | None = None) -> Split:
    """Split `jaxpr` by which of its inputs are unknown; outputs in `force_unknown` are made unknown ones."""
    return jaxpr.cached(("split", unknown_in, force_unknown), lambda: _split(jaxpr, unknown_in, force_unknown))


def unknown_outputs(jaxpr: Jaxpr, unknown_in: tuple[bool, ...]) -> tuple[bool, ...]:
    """Which outputs are unknown when these inputs are: `split(...).unknown_out`, at less cost where that can be seen.

    An operation of one result, and any that touches nothing unknown, can be judged without being split.
    """
    return jaxpr.cached(("unknown outputs", unknown_in), lambda: _unknown_outputs(jaxpr, unknown_in))


def _unknown_outputs(jaxpr: Jaxpr, unknown_in: tuple[bool, ...]) -> tuple[bool, ...]:
    unknown = {var for var, is_unknown in zip(jaxpr.inputs, unknown_in, strict=True) if is_unknown}
    for eqn in jaxpr.eqns:
        if any([atom in unknown for atom in eqn.op.operands if type(atom) is Var]):
            if isinstance(eqn.op, HigherOrder):
                return split(jaxpr, unknown_in).unknown_out
            unknown.update(eqn.outs)
    return tuple([atom in unknown for atom in jaxpr.outputs])


def _split(jaxpr: Jaxpr, unknown_in: tuple[bool, ...], force_unknown: tuple[bool, ...] | None) -> Split:
    with Stage("the known part") as known:
        with PartialEval("the unknown part") as unknown:
            args = [
                (unknown if is_unknown else known).input(aval)
                for aval, is_unknown in zip(jaxpr.in_avals, unknown_in, strict=True)
            ]
            outputs = eval_jaxpr(jaxpr, args)
        forced = force_unknown or (False,) * len(outputs)
        unknown_out = tuple([out.owner is unknown or force for out, force in zip(outputs, forced, strict=True)])
        later, residuals = unknown.finish([o for o, u in zip(outputs, unknown_out, strict=True) if u])
        now, captured = known.finish([*[o for o, u in zip(outputs, unknown_out, strict=True) if not u], *residuals])
    assert not captured, "a closed program captures nothing"
    return Split(dead_code_eliminated(now).interned(), dead_code_eliminated(later).interned(), unknown_out)


def partial_eval_jaxpr(jaxpr: Jaxpr, unknown_in: Sequence[bool]) -> Split:
    """Split a program by which of its inputs are unknown.

    The known part gives the known outputs, then the residuals; the unknown part takes the residuals, then the unknown
    inputs. Raises ArgumentError when `unknown_in` has not one entry per input.
    """
    if not isinstance(jaxpr, Jaxpr):
        raise ArgumentError(f"partial_eval_jaxpr takes a Jaxpr (of make_jaxpr), got {type(jaxpr).__name__}")
    if len(unknown_in) != len(jaxpr.inputs):
        raise ArgumentError(
            f"partial_eval_jaxpr: unknown_in has {len(unknown_in)} entries but the program takes {len(jaxpr.inputs)}"
        )
    return split(jaxpr, tuple(map(bool, unknown_in)))


def merge[T](mask: Sequence[bool], where_false: Sequence[T], where_true: Sequence[T]) -> tuple[T, ...]:
    """Two sequences as one: at each place of `mask` the next of one of them."""
    falses, trues = iter(where_false), iter(where_true)
    return tuple([next(trues) if flag else next(falses) for flag in mask])
