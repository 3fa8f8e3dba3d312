"""Partial evaluation: operations that depend only on known values are computed now, the others are recorded.

An unknown value is a `Traced` of this handler. An operation none of whose operands is unknown passes outward and is
computed there; any other is recorded, its known operands captured as residuals. Higher-order operations are split in a
known and an unknown part by their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, final

from effects.arguments import counted, entries, flag
from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.program.chain import INNERMOST, Performed
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Literal, Var
from effects.program.operation import HigherOrder, Operation
from effects.runtime.cpython.source import current_location
from handlers.rule_table import RuleTable
from handlers.stage import Recorder, Stage, Traced

PARTIAL_EVAL: Final = RuleTable[Callable[[Any, Any], tuple[Array, ...]]]("partial evaluation")
"""Rules that split each higher-order operation; the rows register them."""


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
            token = INNERMOST.set(self.outer)
            results = PARTIAL_EVAL[type(op)](self, op)
            INNERMOST.reset(token)  # after an error `perform` does it
            return results
        return self.record(op.written(self))

    def unknown(self, values: Sequence[Array]) -> tuple[bool, ...]:
        """For each value, True if it is unknown."""
        return tuple([value.owner is self for value in values])

    def sorted(self, values: Sequence[Array]) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        """The known values and the unknown ones."""
        unknown = tuple([value for value in values if value.owner is self])
        return tuple([value for value in values if value.owner is not self]), unknown


class Split(NamedTuple):
    """A program in two: `known` takes the known inputs and gives the known outputs, then residuals; `unknown` takes the
    residuals, then the unknown inputs, and gives the outputs marked in `unknown_out`."""

    known: Jaxpr
    unknown: Jaxpr
    unknown_out: tuple[bool, ...]


def split(jaxpr: Jaxpr, unknown_in: tuple[bool, ...], force_unknown: tuple[bool, ...] | None = None) -> Split:
    """Split `jaxpr` by which of its inputs are unknown; outputs marked in `force_unknown` are made unknown."""
    return jaxpr.cached(("split", unknown_in, force_unknown), lambda: _split(jaxpr, unknown_in, force_unknown))


def unknown_outputs(jaxpr: Jaxpr, unknown_in: tuple[bool, ...]) -> tuple[bool, ...]:
    """For each output, True if it is unknown when these inputs are: `split(...).unknown_out`, at less cost.

    The program is split only if a higher-order operation has an unknown operand.
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


def unknown_carry(
    body: Jaxpr, before: tuple[bool, ...], carry: tuple[bool, ...], after: tuple[bool, ...] = ()
) -> tuple[bool, ...]:
    """For each value of a loop's carry, True if it is unknown in some step; `carry` says so for the first step.

    `before` and `after` say so for the other inputs of `body`, whose first outputs are the next carry.
    """
    while True:
        after_step = unknown_outputs(body, (*before, *carry, *after))
        joined = tuple([a or b for a, b in zip(carry, after_step, strict=False)])
        if joined == carry:
            return carry
        carry = joined


def _with_names(eqn: Eqn, names: Mapping[Atom, Atom]) -> Eqn:
    return Eqn(eqn.op.map(lambda atom: names.get(atom, atom)), eqn.outs, eqn.place, eqn.multiple)


class _Sorted(NamedTuple):
    """The equations of the known and of the unknown part of a program.

    `unknowns` are the variables of the unknown part, `renamed` maps results of split equations to their new variables,
    and `in_known` residuals to their variables in the known part where these differ.
    """

    known: tuple[Eqn, ...]
    unknown: tuple[Eqn, ...]
    unknowns: set[Var]
    renamed: dict[Atom, Atom]
    in_known: dict[Var, Atom]


def _sorted(jaxpr: Jaxpr, unknown_in: tuple[bool, ...]) -> _Sorted:
    """The equations by part; a higher-order one with an unknown operand is split into one of each."""
    unknowns = {var for var, is_unknown in zip(jaxpr.inputs, unknown_in, strict=True) if is_unknown}
    renamed: dict[Atom, Atom] = {}
    values: dict[Var, Traced] = {}

    def value(atom: Atom) -> Array:
        if type(atom) is Literal:
            return atom.value
        if atom not in values:
            side = unknown if atom in unknowns else known
            values[atom] = traced = Traced(side, atom, atom.aval)
            if side is known:
                unknown.captured[id(traced)] = (traced, atom, 0)  # a residual is the same variable in both parts
        return values[atom]

    with Stage("the known part") as known, PartialEval("the unknown part") as unknown:
        for written in jaxpr.eqns:
            eqn = _with_names(written, renamed) if renamed else written
            if unknowns.isdisjoint(eqn.op.operands):
                known.eqns.append(eqn)
            elif isinstance(eqn.op, HigherOrder):
                current_location.set(eqn.place)
                n_recorded = len(unknown.eqns)
                results = unknown.handle(eqn.op.map(value))
                unknowns.update([out for new in unknown.eqns[n_recorded:] for out in new.outs])
                sides = [unknown if result.owner is unknown else known for result in results]
                renamed.update([(out, side.atom(r)) for out, side, r in zip(eqn.outs, sides, results, strict=True)])
            else:
                unknown.eqns.append(eqn)
                unknowns.update(eqn.outs)
        in_known = {var: known.atom(value) for value, var, _ in unknown.captured.values()}
    assert not known.captured, "a closed program captures nothing"
    return _Sorted(tuple(known.eqns), tuple(unknown.eqns), unknowns, renamed, in_known)


def _split(jaxpr: Jaxpr, unknown_in: tuple[bool, ...], force_unknown: tuple[bool, ...] | None) -> Split:
    eqns = _sorted(jaxpr, unknown_in)
    outputs = [eqns.renamed.get(atom, atom) for atom in jaxpr.outputs]
    forced = force_unknown or (False,) * len(outputs)
    unknown_out = tuple([atom in eqns.unknowns or force for atom, force in zip(outputs, forced, strict=True)])
    last = tuple([atom for atom, is_unknown in zip(outputs, unknown_out, strict=True) if is_unknown])
    later = dead_code_eliminated(Jaxpr((), eqns.unknown, last)).eqns
    read = (*[atom for eqn in later for atom in eqn.op.operands], *last)
    residuals = dict.fromkeys([atom for atom in read if type(atom) is Var and atom not in eqns.unknowns])
    known_outputs = [atom for atom, is_unknown in zip(outputs, unknown_out, strict=True) if not is_unknown]
    now = (*known_outputs, *[eqns.in_known.get(var, var) for var in residuals])
    known_inputs = tuple([var for var, is_unknown in zip(jaxpr.inputs, unknown_in, strict=True) if not is_unknown])
    unknown_inputs = [var for var, is_unknown in zip(jaxpr.inputs, unknown_in, strict=True) if is_unknown]
    known = dead_code_eliminated(Jaxpr(known_inputs, eqns.known, now))
    if not known.eqns and not known.outputs and all(unknown_in):
        return Split(known, jaxpr, unknown_out)  # unchanged, with what is cached with it and with its programs
    return Split(known, Jaxpr((*residuals, *unknown_inputs), later, last), unknown_out)


def partial_eval_jaxpr(jaxpr: Jaxpr, unknown_in: Sequence[bool]) -> Split:
    """Split a program by which of its inputs are unknown.

    The known part returns the known outputs, then the residuals; the unknown part takes the residuals, then the unknown
    inputs. Raises ArgumentError when `unknown_in` does not have one entry per input.

    >>> import effects as fx
    >>> from handlers import make_jaxpr
    >>> partial_eval_jaxpr(make_jaxpr(lambda x, y: fx.sin(x) * y)(1.0, 2.0), [False, True]).known
    { lambda a:float64[] . let b:float64[] = sin a in ( b ) }
    """
    if not isinstance(jaxpr, Jaxpr):
        raise ArgumentError(f"partial_eval_jaxpr takes a Jaxpr (of make_jaxpr), got {type(jaxpr).__name__}")
    unknown_in = [flag("partial_eval_jaxpr", "an entry of unknown_in", u) for u in entries(unknown_in)]
    if len(unknown_in) != len(jaxpr.inputs):
        raise ArgumentError(
            f"partial_eval_jaxpr: unknown_in has {counted(len(unknown_in), 'entry', 'entries')} but the program takes "
            f"{len(jaxpr.inputs)}"
        )
    return split(jaxpr, tuple(unknown_in))


def merge[T](mask: Sequence[bool], where_false: Sequence[T], where_true: Sequence[T]) -> tuple[T, ...]:
    """Two sequences merged by `mask`: the next value of `where_true` or of `where_false` at each position."""
    falses, trues = iter(where_false), iter(where_true)
    return tuple([next(trues) if flag else next(falses) for flag in mask])
