"""Removal of repeated choices: in where(p, f(where(p, x, a)), y) the inner choice can be replaced by x.

Functions that guard their arguments, and even more their derivatives, have many of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from typing import Final

from effects.operations.custom_rules import CustomCall
from effects.operations.elementwise import Binary, BinaryKind, Clamp, Compare, Convert, Select, Unary
from effects.operations.movement import Bitcast
from effects.operations.special import Special, SpecialKind
from effects.program.jaxpr import Atom, Eqn, Jaxpr
from effects.program.operation import Operation
from effects.types.dtypes import Floating

type _Masks = frozenset[tuple[Atom, bool]]
"""Masks with known values wherever an element counts, that is, influences an output."""

_ELEMENTWISE: Final = frozenset({Binary, Clamp, Compare, Convert, Select, Unary})
_DIVISIONS: Final = frozenset({BinaryKind.DIV, BinaryKind.FLOOR_DIV, BinaryKind.GCD, BinaryKind.REM})
_LOGARITHMS: Final = frozenset({SpecialKind.XLOGY, SpecialKind.XLOG1PY})
_EVERYWHERE: Final[_Masks] = frozenset()
_MOST: Final = 16
"""Number of masks that are remembered for an element, so that the time is linear in the size of a program."""


def with_choices_made_once(jaxpr: Jaxpr) -> Jaxpr:
    """The program without choices whose readers all make the same choice again."""
    uses = Counter([eqn.op.pred for eqn in jaxpr.eqns if isinstance(eqn.op, Select)])
    repeated = {mask for mask, count in uses.items() if count > 1}
    if not repeated:
        return jaxpr
    counts: dict[Atom, _Masks] = dict.fromkeys(jaxpr.outputs, _EVERYWHERE)
    chosen: dict[Atom, Atom] = {}
    for eqn in reversed(jaxpr.eqns):
        op = eqn.op
        if not _is_elementwise(op):
            counts.update(dict.fromkeys(op.operands, _EVERYWHERE))
            continue
        out, *others = eqn.outs
        reads = _reads(op, out.aval.shape, _EVERYWHERE if others else counts.get(out, _EVERYWHERE), repeated)
        if len(reads) == 1 and isinstance(op, Select):
            ((chosen[out], _),) = reads
        for atom, where in reads:
            counts[atom] = counts.get(atom, where) & where

    def read(atom: Atom) -> Atom:
        return chosen.get(atom, atom)

    eqns: list[Eqn] = []
    for eqn in jaxpr.eqns:
        if eqn.outs[:1] and eqn.outs[0] in chosen:
            chosen[eqn.outs[0]] = read(chosen[eqn.outs[0]])
        else:
            eqns.append(Eqn(eqn.op.map(read), eqn.outs, eqn.place, eqn.multiple))
    return Jaxpr(jaxpr.inputs, tuple(eqns), jaxpr.outputs)


def _is_elementwise(op: Operation[Atom]) -> bool:
    if isinstance(op, CustomCall) and op.body is not None:
        return all([_is_simple(eqn.op) for eqn in op.body.eqns])
    return _is_simple(op)


def _is_simple(op: Operation[Atom]) -> bool:
    """Return True if elements that do not count may have any value: not as divisors, nor where they make loops long."""
    if isinstance(op, Bitcast):
        return bool(op.dtype.itemsize == op.x.aval.dtype.itemsize)
    if isinstance(op, Special):
        return op.kind in _LOGARITHMS and not any(op.orders)
    if isinstance(op, Binary) and op.kind in _DIVISIONS:
        return issubclass(op.x.aval.dtype, Floating)
    return type(op) in _ELEMENTWISE


def _reads(
    op: Operation[Atom], shape: tuple[int, ...], where: _Masks, repeated: Set[Atom]
) -> list[tuple[Atom, _Masks]]:
    """The operands of an operation, and the masks where each counts, if the result, of this shape, counts `where`.

    An operand's element counts if an element computed from it does: masks are broadcast like the operands.
    """
    if not isinstance(op, Select):
        return [(atom, where) for atom in op.operands]
    cases = (op.x, True), (op.y, False)
    for case, holds in cases:
        if (op.pred, holds) in where and case.aval.shape == shape:
            return [(case, where)]
    more = op.pred in repeated and len(where) < _MOST
    return [(op.pred, where), *[(case, where | {(op.pred, holds)} if more else where) for case, holds in cases]]
