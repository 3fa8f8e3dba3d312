"""Choices that another one makes again: of where(p, f(where(p, x, a)), y) the inner one is x where it counts.

Functions that guard their arguments, and even more their derivatives, are full of these.
"""

from __future__ import annotations

from typing import Final

from effects.operations.custom_rules import CustomCall
from effects.operations.elementwise import Binary, Clamp, Compare, Convert, Select, Unary
from effects.operations.movement import Bitcast
from effects.program.jaxpr import Atom, Eqn, Jaxpr
from effects.program.operation import Operation

type _Masks = frozenset[tuple[Atom, bool]]
"""Masks, and what each of them is, wherever an element counts."""

_ELEMENTWISE: Final = frozenset({Binary, Clamp, Compare, Convert, Select, Unary})
_EVERYWHERE: Final[_Masks] = frozenset()


def with_choices_made_once(jaxpr: Jaxpr) -> Jaxpr:
    """The program without the choices whose every reader makes the same choice again."""
    masks = [eqn.op.pred for eqn in jaxpr.eqns if isinstance(eqn.op, Select)]
    if len(set(masks)) == len(masks):
        return jaxpr
    counts: dict[Atom, _Masks] = dict.fromkeys(jaxpr.outputs, _EVERYWHERE)
    chosen: dict[Atom, Atom] = {}
    for eqn in reversed(jaxpr.eqns):
        op = eqn.op
        if not _is_elementwise(op):
            counts.update(dict.fromkeys(op.operands, _EVERYWHERE))
            continue
        out, *others = eqn.outs
        reads = _reads(op, out.aval.shape, _EVERYWHERE if others else counts.get(out, _EVERYWHERE))
        if len(reads) == 1 and isinstance(op, Select):
            ((chosen[out], _),) = reads
        for atom, where in reads:
            counts[atom] = counts.get(atom, where) & where

    def read(atom: Atom) -> Atom:
        while atom in chosen:
            atom = chosen[atom]
        return atom

    left = [eqn for eqn in jaxpr.eqns if chosen.keys().isdisjoint(eqn.outs)]
    eqns = [Eqn(eqn.op.map(read), eqn.outs, eqn.place, eqn.multiple) for eqn in left]
    return Jaxpr(jaxpr.inputs, tuple(eqns), jaxpr.outputs)


def _is_elementwise(op: Operation[Atom]) -> bool:
    if isinstance(op, CustomCall) and op.body is not None:
        return all([_is_simple(eqn.op) for eqn in op.body.eqns])
    return _is_simple(op)


def _is_simple(op: Operation[Atom]) -> bool:
    if isinstance(op, Bitcast):
        return bool(op.dtype.itemsize == op.x.aval.dtype.itemsize)
    return type(op) in _ELEMENTWISE


def _reads(op: Operation[Atom], shape: tuple[int, ...], where: _Masks) -> list[tuple[Atom, _Masks]]:
    """The operands that are read for a result of this shape that counts `where`, and where each of them counts.

    Masks are broadcast as what they choose from, so that an element counts where those do that are computed of it.
    """
    if not isinstance(op, Select):
        return [(atom, where) for atom in op.operands]
    cases = (op.x, True), (op.y, False)
    for case, holds in cases:
        if (op.pred, holds) in where and case.aval.shape == shape:
            return [(case, where)]
    return [(op.pred, where), *[(case, where | {(op.pred, holds)}) for case, holds in cases]]
