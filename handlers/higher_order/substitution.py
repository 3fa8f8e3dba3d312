"""`Substitution`: operands in place of the values that a function closes over.

A function with rules of its own is run for operands that stand for what it closed over where it was called: parts of
carriers, or the inputs of a program that was staged long ago. The function cannot be given other closed-over values;
what it performs can be given other operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from effects.arrays.array import Array
from effects.program.chain import Handler, Link, Performed, WithoutCarriers
from effects.program.operation import Operation


@final
class Substitution(WithoutCarriers):
    """Replaces the values that a function closes over by operands, in every operation on these values."""

    sees_all = True

    def __init__(self, values: Sequence[Array], operands: Sequence[Array]) -> None:
        self.table = {id(value): operand for value, operand in zip(values, operands, strict=True)}

    def replace(self, value: Array) -> Array:
        """The operand that stands for `value`, or `value` itself."""
        return self.table.get(id(value), value)

    def handle(self, op: Operation[Array], /) -> Performed:
        return self.outer.handle(op.map(self.replace))


def substitutes(link: Link, value: Array) -> bool:
    """Return True if `value` is replaced by a handler of the chain that ends in `link`."""
    while isinstance(link, Handler):
        if isinstance(link, Substitution) and id(value) in link.table:
            return True
        link = link.outer
    return False
