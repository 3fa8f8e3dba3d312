"""Constant folding: what depends only on closed-over arrays is computed once, when the program is traced; what depends
only on numbers when it is compiled.

Calls are inlined before, so that nested jitted functions are folded too; loops stay, and conditionals whose choice is
not a number. Callbacks and requests happen at each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Final

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.operations.elementwise import Binary, Compare, Convert, Select, Unary
from effects.operations.higher_order import Cond
from effects.operations.special import Special
from effects.program.chain import ROOT, Performed, installed, perform
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Literal, Var, eval_jaxpr
from effects.program.operation import Operation
from effects.types.avals import ShapedArray
from handlers.higher_order.inlining import inlined, rewritten
from handlers.transformations.calls.staging import Staged

_ELEMENTWISE: Final = frozenset({Binary, Compare, Convert, Select, Special, Unary})


def folded(staged: Staged) -> Staged:
    """The program with folded constants in place of captured arrays; unchanged if one of these belongs to a handler."""
    if not staged.captured or not all([type(value) is Concrete for value in staged.captured]):
        return staged
    program = inlined(staged.jaxpr, lambda call: True)
    captured, arguments = program.inputs[: len(staged.captured)], program.inputs[len(staged.captured) :]
    early, late, fixed = _by_time(program, captured, arguments)
    late = dead_code_eliminated(Jaxpr((), late, program.outputs)).eqns
    read = [atom for eqn in late for atom in eqn.op.operands]
    residuals = tuple(
        dict.fromkeys([atom for atom in (*read, *program.outputs) if type(atom) is Var and atom in fixed])
    )
    values = _computed(dead_code_eliminated(Jaxpr(captured, early, residuals)), staged.captured)
    return Staged(Jaxpr((*residuals, *arguments), late, program.outputs), values, staged.out_tree)


def _by_time(
    program: Jaxpr, captured: Sequence[Var], arguments: Sequence[Var]
) -> tuple[tuple[Eqn, ...], tuple[Eqn, ...], set[Var]]:
    """The early equations, which need no arguments, the late ones, and the variables that the early ones define.

    Equations on literals alone are in both: to compute them costs less than to store their results.
    """
    early: list[Eqn] = []
    late: list[Eqn] = []
    fixed, varying = set(captured), set(arguments)
    for eqn in program.eqns:
        operands = eqn.op.operands
        if eqn.op.effects or not varying.isdisjoint(operands):
            varying.update(eqn.outs)
            late.append(eqn)
            continue
        early.append(eqn)
        if fixed.isdisjoint(operands):
            late.append(eqn)
        else:
            fixed.update(eqn.outs)
    return tuple(early), tuple(late), fixed


def _computed(program: Jaxpr, operands: Sequence[Array]) -> list[Array]:
    with installed(ROOT):  # no handler takes part in it
        return eval_jaxpr(program, operands)


def with_numbers_folded(jaxpr: Jaxpr) -> Jaxpr:
    """The program with everything computed from numbers alone, and with the branches that numbers choose, folded.

    Densities have many of these, since their parameters mostly are numbers. Dead code is removed: gradients have a lot,
    of the values whose derivatives they are.
    """
    jaxpr = dead_code_eliminated(jaxpr)
    begun = [eqn.op for eqn in jaxpr.eqns for first in eqn.op.operands[:1] if type(first) is Literal]
    if not any([_is_known(op) or _decided(op) is not None for op in begun]):
        return jaxpr
    return rewritten(jaxpr, _decided, _folded)


def _decided(op: Operation[Atom]) -> Jaxpr | None:
    """The branch that a number chooses; None for other operations."""
    if not isinstance(op, Cond) or type(op.index) is not Literal:
        return None
    return op.branches[min(max(int(op.index.value.host), 0), len(op.branches) - 1)]


def _folded(op: Operation[Atom], aval: ShapedArray) -> Literal | None:
    """The result of an operation on numbers alone; None for others."""
    value = _value(op.map(_number)) if _is_known(op) else None
    return Literal(value) if type(value) is Concrete and value.aval is aval else None


def _is_known(op: Operation[Atom]) -> bool:
    return (
        type(op) in _ELEMENTWISE
        and all([type(atom) is Literal for atom in op.operands])
        and not (isinstance(op, Special) and any(op.orders))
    )


def _value(op: Operation[Array]) -> Performed | None:
    value = import_module("handlers.special").of_numbers(op) if isinstance(op, Special) else None
    with installed(ROOT):
        return perform(op) if value is None else value


def _number(atom: Atom) -> Array:
    assert type(atom) is Literal, "all operands are numbers"
    return atom.value
