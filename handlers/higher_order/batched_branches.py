"""Conditionals whose choice differs between lanes: every branch runs, and each lane selects its own results.

So do devices that would choose differently before a collective.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import convert
from effects.functions.elementwise import arithmetic, logic
from effects.operations.higher_order import Cond
from effects.program.chain import installed
from effects.program.jaxpr import Atom, eval_jaxpr
from effects.program.operation import HostEffect
from effects.runtime.cpython.recursion import deeper
from effects.types import dtypes
from handlers.host_effects import GuardedCallbacks
from handlers.transformations.derivatives.stop_gradient import stop_gradient
from handlers.vmap.rules import VMAP_SELECTS, Batched, Vmap, materialized


def select_branches(handler: Vmap, op: Cond[Batched]) -> tuple[Array, ...] | None:
    """The results that each lane selects from those of all branches; None if the choice is not batched."""
    if not op.index.batched:
        return None
    index = op.index.value
    with installed(handler), deeper():
        operands = [x if x.batched else x.value for x in op.operands_]
        branches = [run_where(op, i, operands) for i in range(len(op.branches))]
    return tuple([_selected(handler, index, cases) for cases in zip(*branches, strict=True)])


def _selected(handler: Vmap, index: Array, cases: Sequence[Array]) -> Array:
    """The case of each lane; an operand that all branches return is not selected."""
    if all([case is cases[0] for case in cases]):
        return cases[0]
    size = index.aval.shape[0]
    return Batched(handler, select_cases(index, [materialized(handler.lift(case), size) for case in cases]))


def run_where(op: Cond[Any], number: int, operands: Sequence[Array]) -> list[Array]:
    """The results of a branch in all lanes, which has effects only in the lanes that take it.

    In the other lanes the operands are constants of derivatives, since their zero cotangents could meet an infinite
    slope, and the host is not called. An operand that the branch returns unchanged is passed through.
    """
    branch = op.branches[number]
    is_taken = cache(lambda: _is_taken(op.index, number, len(op.branches)))
    read = {atom for eqn in branch.eqns for atom in eqn.op.operands}
    live = [_constant_unless(is_taken, x) if var in read else x for var, x in zip(branch.inputs, operands, strict=True)]
    if HostEffect.HOST in branch.effects:
        with GuardedCallbacks(is_taken()):
            results = eval_jaxpr(branch, live)
    else:
        results = eval_jaxpr(branch, live)
    forwarded: dict[Atom, Array] = dict(zip(branch.inputs, operands, strict=True))
    return [forwarded.get(out, result) for out, result in zip(branch.outputs, results, strict=True)]


def _is_taken(index: Array, number: int, n_branches: int) -> Array:
    if index.dtype is dtypes.bool_:
        return index if number else logic.logical_not(index)
    return logic.equal(_clamped(index, n_branches), number)


def _constant_unless(is_taken: Callable[[], Array], x: Array) -> Array:
    if type(x) is Concrete or not dtypes.is_inexact(x.aval.dtype):
        return x  # no derivative is taken with respect to it
    return logic.where(is_taken(), x, stop_gradient(x))


def _clamped(index: Array, n_branches: int) -> Array:
    if index.dtype is dtypes.bool_:
        return convert(index, dtypes.int32)
    return arithmetic.minimum(arithmetic.maximum(index, 0), n_branches - 1)


def select_cases(index: Array, cases: Sequence[Array]) -> Array:
    """The case that `index` chooses, element by element; `index` broadcasts against the cases from the front."""
    aligned = index.reshape(index.shape + (1,) * (cases[0].ndim - index.ndim))
    if aligned.dtype is dtypes.bool_:
        return logic.where(aligned, cases[1], cases[0])
    clamped = _clamped(aligned, len(cases))
    chosen = cases[0]
    for i, case in enumerate(cases[1:], 1):
        chosen = logic.where(clamped == i, case, chosen)
    return chosen


VMAP_SELECTS[Cond] = select_branches
