"""Constant folding: equations that depend only on closed-over arrays are computed once, when the program is traced.

Calls are inlined before, so that nested jitted functions are folded too; loops and conditionals stay. Callbacks and
requests happen at each call, as ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.program.chain import ROOT, installed
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Eqn, Jaxpr, Var, eval_jaxpr
from handlers.higher_order.inlining import inlined
from handlers.transformations.calls.staging import Staged


def folded(staged: Staged) -> Staged:
    """The program that takes the folded constants in place of the captured arrays; unchanged where some of these belong
    to a handler.
    """
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
    """The equations that can be computed early, those that are late, and the variables that early ones fix.

    Those of literals alone are in both: they cost less than what they give takes in memory.
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
    with installed(ROOT):  # whoever is being traced or transformed has no part in it
        return eval_jaxpr(program, operands)
