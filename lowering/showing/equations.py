"""A program for display: its first equations, with names, costs and the user's lines, and those of bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, final

from effects.operations.higher_order import Call, Cond
from effects.operations.loops import Scan, While
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Literal, Var
from effects.program.operation import HigherOrder
from effects.program.printing import names
from lowering.showing.costs import Cost, Line, Measured, Measuring

MOST: Final = 1000
"""Number of equations of a program that are shown, those of programs within it included."""
MOST_VALUES: Final = 16
"""Number of operands, arguments or results that are shown in a row."""
_DEEPEST: Final = 8
"""Number of levels of programs within programs that are shown."""
_LONGEST: Final = 160


@dataclass(frozen=True, slots=True)
class Value:
    """An operand or a result: its name, or a literal as it is written, and its type."""

    name: str
    type: str
    literal: bool


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation: `outs = operation operands`.

    `live` is the number of bytes alive while it runs, `rule` the derivative rule that it comes from.

    `within` names the bodies around it, from the outermost, except those of calls.
    """

    number: int
    outs: tuple[Value, ...]
    operation: str
    operands: tuple[Value, ...]
    line: Line
    function: str
    rule: str
    within: tuple[str, ...]
    level: int
    cost: Cost
    live: int
    bodies: tuple[tuple[str, Program], ...]

    def __str__(self) -> str:
        outs = " ".join([out.name for out in self.outs[:MOST_VALUES]])
        operands = [value.name for value in self.operands[:MOST_VALUES]]
        more = len(self.operands) - len(operands)
        return " ".join([*[f"{outs} ="] * bool(outs), self.operation, *operands, *[f"… {more} more"] * bool(more)])


@dataclass(frozen=True, slots=True)
class Program:
    """A program and its costs. `left_out` is the number of equations, also of its bodies, beyond `equations`."""

    inputs: tuple[Value, ...]
    equations: tuple[Equation, ...]
    outputs: tuple[Value, ...]
    left_out: int
    measured: Measured

    @property
    def peak(self) -> Equation | None:
        """The innermost equation with the most memory in use, if it is shown."""
        highest = max(self.walk(), key=lambda equation: (equation.live, equation.level), default=None)
        return None if highest is None or highest.live < self.measured.peak else highest

    def walk(self) -> Iterator[Equation]:
        """All shown equations, each followed by those of its bodies."""
        for equation in self.equations:
            yield equation
            for _, body in equation.bodies:
                yield from body.walk()


def program(jaxpr: Jaxpr) -> Program:
    """The program as it is shown, in time linear in its length."""
    return _Reader().program(jaxpr, (), 0, None)


@final
class _Reader:
    """Names the variables of a program and of its bodies, without repetition, and counts the shown equations."""

    def __init__(self) -> None:
        self._measuring = Measuring()
        self._names = names()
        self._by_var: dict[Var, str] = {}
        self._read = 0

    def program(self, jaxpr: Jaxpr, within: tuple[str, ...], level: int, outside_bodies: int | None) -> Program:
        """The program for display; `outside_bodies` is the number of bytes alive outside of it."""
        measured = self._measuring.measured(jaxpr)
        inputs = tuple([self._new(var) for var in jaxpr.inputs])
        more, equations = 0 if outside_bodies is None else outside_bodies - measured.inputs, list[Equation]()
        for at, eqn in enumerate(islice(jaxpr.eqns, MOST)):
            if self._read >= MOST or level > _DEEPEST:
                break
            costs = measured.costs[at], measured.live[at] + more, measured.outside_bodies[at] + more
            equations.append(self._equation(eqn, within, level, *costs))
        left_out = measured.cost.equations - sum([equation.cost.equations for equation in equations])
        outputs = tuple([self._value(atom) for atom in jaxpr.outputs])
        return Program(inputs, tuple(equations), outputs, left_out, measured)

    def _equation(
        self, eqn: Eqn, within: tuple[str, ...], level: int, cost: Cost, live: int, outside_bodies: int
    ) -> Equation:
        self._read += 1
        number, op, source = self._read, eqn.op, eqn.source
        operands = tuple([self._value(atom) for atom in op.operands])
        bodies = []
        if isinstance(op, HigherOrder):
            for role, body in zip(_roles(op), op.bodies, strict=True):
                inside = within if isinstance(op, Call) else (*within, role)
                bodies.append((role, self.program(body, inside, level + 1, outside_bodies)))
        rule = ""
        if source is not None and (source.differentiated or source.backward):
            rule = "backward" if source.backward else "derivative"
            rule += f" of {source.differentiated}" if source.differentiated else ""
        described = op.describe()
        return Equation(
            number,
            tuple([self._new(var) for var in eqn.outs]),
            described if len(described) <= _LONGEST else f"{described[:_LONGEST]}…",
            operands,
            self._measuring.line(eqn),
            "" if source is None else source.code.co_name,
            rule,
            within,
            level,
            cost,
            live,
            tuple(bodies),
        )

    def _new(self, var: Var) -> Value:
        self._by_var[var] = next(self._names)
        return self._value(var)

    def _value(self, atom: Atom) -> Value:
        if isinstance(atom, Literal):
            return Value(str(atom.value.host.item()), str(atom.aval), True)
        return Value(self._by_var.get(atom, "…"), str(atom.aval), False)


def _roles(op: HigherOrder[Atom]) -> list[str]:
    """Names of the bodies of an operation."""
    name = op.display_name
    if isinstance(op, Scan):
        return [f"{name} × {op.length:,}"]
    if isinstance(op, While):
        return [f"{name}: condition", f"{name}: step"]
    if isinstance(op, Cond):
        return [f"{name}: branch {at}" for at in range(len(op.branches))]
    label = str(getattr(op, "label", getattr(op, "definition", "")))
    called = f"{name} {label}" if label and label not in name else name
    return [called] if len(op.bodies) == 1 else [f"{called}: program {at}" for at in range(len(op.bodies))]
