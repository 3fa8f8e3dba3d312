"""Staging: operations are recorded as equations instead of being computed.

`Recorder` is the common part of staging and partial evaluation: a growing list of equations, the variables of their
values, and the captured values, which came from outside and become inputs. `Stage` records every operation performed in
its extent, also those on known values.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Self, final

from effects.arrays.array import Array, Carrier
from effects.arrays.concrete import Concrete
from effects.program.chain import SHALLOW, Handler, Performed
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Literal, Var
from effects.program.operation import Operation
from effects.runtime.cpython.collector import collector
from effects.runtime.cpython.extent import inside
from effects.runtime.cpython.recursion import levels
from effects.runtime.cpython.source import Location, current_location, user_location
from effects.types.avals import ShapedArray
from handlers.contracts import checked_types
from handlers.higher_order.substitution import substitutes


@final
class Traced(Carrier):
    """A recorded value: an atom of the program that its owner records."""

    __slots__ = ("atom", "aval")
    owner: Recorder
    aval: ShapedArray

    def __init__(self, owner: Recorder, atom: Atom, aval: ShapedArray) -> None:
        self.owner = owner
        self.atom = atom
        self.aval = aval

    def unknown_reason(self) -> str:
        return self.owner.origin(self.atom)

    def provenance(self) -> str:
        return f" ({self.owner.origin(self.atom)})"


type Captured = tuple[Array, Var, int]
"""A value from outside of a program, its variable there, and the number of the first equation that reads it."""


class Recorder(Handler[Traced]):
    """Records operations as equations. `names` gives the names of the inputs for messages, when one is needed."""

    def __init__(self, function: str = "the function", names: Callable[[], Sequence[str]] = tuple) -> None:
        self.function = function
        self.names = names
        self.inputs: list[Var] = []
        self.eqns: list[Eqn] = []
        self.captured: dict[int, Captured] = {}

    def input(self, aval: ShapedArray) -> Traced:
        """A new input of the program."""
        var = Var(aval)
        self.inputs.append(var)
        return Traced(self, var, aval)

    def constant(self, value: Array, /) -> Traced:
        return Traced(self, self.capture(value), value.aval)

    def interpret(self, op: Operation[Traced], /) -> Performed:
        return self.record(op.map(lambda traced: traced.atom))

    def atom(self, value: Array) -> Atom:
        """The atom of `value` in the program."""
        return value.atom if value.owner is self else self.capture(value)  # type: ignore[attr-defined]  # ours is Traced

    def capture(self, value: Array) -> Atom:
        """The variable of a value from outside; for a Python number, a literal.

        Arrays are no literals, however small: when the same function is traced again with another array, such as a
        changed learning rate, the program is equal and only its operand differs.

        Raises LeakedValueError when the handler that `value` belongs to has finished.
        """
        if type(value) is Concrete:
            if not value.aval.shape and value.is_number:
                return Literal(value)
        elif value.assigned:
            return self.atom(value.now())
        elif value.owner is None:
            raise value.without_value()
        elif not value.owner.alive and not substitutes(self.outer, value):
            raise value.leaked(f"in {self.function}")
        captured = self.captured.get(id(value))
        if captured is not None:
            return captured[1]
        var = Var(value.aval)
        self.captured[id(value)] = value, var, len(self.eqns)
        return var

    def record(self, op: Operation[Atom]) -> Performed:
        """Append the equation of `op` and return the values of its results."""
        types = op.types()
        location = current_location.get() if op.placed else None
        if location is None and self.lines and op.placed:
            location = user_location(4)  # frames above: handle, perform, a function
        if type(types) is ShapedArray:
            out = Var(types)
            self.eqns.append(Eqn(op, (out,), location, False))
            return Traced(self, out, types)
        if type(types) is not tuple or not types or not all([type(aval) is ShapedArray for aval in types]):
            checked_types(op)  # type: ignore[arg-type]  # of an operation on atoms as of one on arrays; raises
        outs = tuple([Var(aval) for aval in types])
        self.eqns.append(Eqn(op, outs, location, True))
        return tuple([Traced(self, out, out.aval) for out in outs])

    def record_all(self, op: Operation[Array]) -> tuple[Array, ...]:
        """Append the equation of an operation of several results, whose operands may come from outside."""
        results = self.record(op.written(self))
        assert isinstance(results, tuple), "it has several results"
        return results

    def program(self, outputs: Sequence[Array]) -> tuple[Jaxpr, list[Array]]:
        """The program that computes `outputs`, and the captured values, which are its first inputs."""
        atoms = tuple([self.atom(value) for value in outputs])
        values = [value for value, _, _ in self.captured.values()]
        variables = [var for _, var, _ in self.captured.values()]
        return Jaxpr((*variables, *self.inputs), tuple(self.eqns), atoms), values

    def origin(self, atom: Atom) -> str:
        """The origin of a value of the program, for messages."""
        where = f"{self.function}, which {'is' if self.alive else 'was'} being {self.doing}"
        for name, var in zip(self.names(), self.inputs, strict=False):
            if var is atom:
                return f"argument {name} of {where}"
        for eqn in self.eqns:
            if atom in eqn.outs:
                location = "" if eqn.source is None else f" at {eqn.source}"
                return f"the result of {eqn.op.name}{location} in {where}"
        return f"a value of {where}"

    doing = "staged"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.function})"


@final
class Stage(Recorder):
    """Records every operation that is performed in its extent.

    Nested programs are traced by nested Python calls, and each level raises the recursion limit by the frames it needs.
    """

    sees_all = True
    recorded = lines = True

    def handle(self, op: Operation[Array], /) -> Performed:
        return self.record(op.written(self)) if self.alive else self.handle_after_extent(op)

    _location_before: Location | None = None
    _resting_since: float | None = None

    def __enter__(self) -> Self:
        self._location_before = current_location.get()
        super().__enter__()
        if self.depth <= SHALLOW:  # deeper ones have done so
            levels.enter(self)
        if collector.runs():
            self._resting_since = time.perf_counter()
            collector.pause()
        return self

    def leave(self) -> None:
        super().leave()
        if self._entered:
            current_location.set(
                self._location_before
            )  # an interrupt may have kept an operation in this extent from doing so
        if self._resting_since is not None:
            collector.resume(self._resting_since)
            self._resting_since = None
        levels.leave(self)  # last, since it lowers the recursion limit again


def stage(
    f: Callable[..., Sequence[Array]],
    avals: Sequence[ShapedArray],
    function: str = "the function",
    names: Callable[[], Sequence[str]] = tuple,
) -> tuple[Jaxpr, list[Array]]:
    """The program of `f` on arrays of these types, and the values it closed over, which are its first inputs."""
    recorder = Stage(function, names)
    return inside((recorder,), lambda: recorder.program(f(*[recorder.input(aval) for aval in avals])))


def share_captured(programs: Sequence[tuple[Jaxpr, Sequence[Array]]]) -> tuple[list[Jaxpr], list[Array]]:
    """Programs whose first inputs are the values that each captured, as programs whose first inputs are those of all.

    Returns the programs, and the values that any of them captured.
    """
    union = {id(value): value for _, captured in programs for value in captured}
    shared: list[Jaxpr] = []
    for jaxpr, captured in programs:
        own = {id(value): var for value, var in zip(captured, jaxpr.inputs, strict=False)}
        first = [own.get(key) or Var(value.aval) for key, value in union.items()]
        shared.append(Jaxpr((*first, *jaxpr.inputs[len(captured) :]), jaxpr.eqns, jaxpr.outputs))
    return shared, list(union.values())
