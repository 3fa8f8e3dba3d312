"""Loop carries: the parts that a step changes, and those that it returns unchanged.

A value that a step returns unchanged is no part of the carry: it is a constant of the loop, and its own result. So it
stays the same under every handler: one for all lanes, without a tangent, known.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

from effects.arrays.array import Array
from effects.program.jaxpr import Jaxpr


class Program(NamedTuple):
    """A program of a loop, and the constants that are its first inputs."""

    jaxpr: Jaxpr
    consts: tuple[Array, ...]


class Carry(NamedTuple):
    """The initial values of a carry, and flags of those that the steps change."""

    init: tuple[Array, ...]
    changes: tuple[bool, ...]

    @classmethod
    def of(cls, step: Jaxpr, captured: Sequence[Array], init: Sequence[Array]) -> Carry:
        """The carry of a step, a program of captured values, the carry and the rest."""
        inputs = step.inputs[len(captured) : len(captured) + len(init)]
        changes = tuple([output is not var for output, var in zip(step.outputs, inputs, strict=False)])
        return cls(tuple(init), changes if any(changes) else (True,) * len(changes))  # a loop needs a carry

    def changing(self) -> tuple[Array, ...]:
        """The initial values that the steps change."""
        return self.init if all(self.changes) else tuple(compress(self.init, self.changes))

    def step(self, step: Jaxpr, captured: Sequence[Array]) -> Program:
        """The step with only the changing values as its carry."""
        if all(self.changes):
            return Program(step, tuple(captured))
        n = len(self.init)
        outputs = (*compress(step.outputs[:n], self.changes), *step.outputs[n:])
        return self.reading(Jaxpr(step.inputs, step.eqns, outputs), captured)

    def reading(self, program: Jaxpr, captured: Sequence[Array]) -> Program:
        """The program with unchanged values of the carry among its constants, if it reads them."""
        if all(self.changes):
            return Program(program.shared(), tuple(captured))
        n, end = len(captured), len(captured) + len(self.init)
        read = {*program.outputs, *[atom for eqn in program.eqns for atom in eqn.op.operands]}
        each = list(zip(program.inputs[n:end], self.init, self.changes, strict=True))
        constants = [(var, value) for var, value, changes in each if not changes and var in read]
        carry = [var for var, _, changes in each if changes]
        inputs = (*program.inputs[:n], *[var for var, _ in constants], *carry, *program.inputs[end:])
        closed = Jaxpr(inputs, program.eqns, program.outputs).shared()
        return Program(closed, (*captured, *[value for _, value in constants]))

    def whole(self, results: Sequence[Array]) -> Sequence[Array]:
        """The whole last carry and the other results, from those of the loop."""
        if all(self.changes):
            return results
        values = iter(results)
        last = [next(values) if changes else value for value, changes in zip(self.init, self.changes, strict=True)]
        return [*last, *values]
