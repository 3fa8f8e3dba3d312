"""The effect of assignment: the current elements of an array, in programs other than the one that created it.

In the program that created an array its Python object holds the elements, and assigning rebinds them. Programs inside
of transformations or control flow request the array, by `Memory`: their writes are then carried by loops, joined by
conditionals, and given back by derivatives, as a state is. Only arrays that a program requests are threaded through it.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, cast, final
from weakref import WeakKeyDictionary

from effects.arrays.array import Array
from effects.errors import LeakedValueError, MissingRule
from effects.program.chain import Link, Performed, current, installed, perform
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder, Label, Operation
from effects.requests.effect import Effect, Request, Signature, answering
from effects.requests.forms import Form, take_apart
from effects.types.avals import ShapedArray
from handlers.forward import Forward
from handlers.requests.crossing import has_lanes, values_outside
from handlers.requests.handler import EffectHandler
from handlers.requests.link import EffectLink
from handlers.stateful.link import StatefulLink

_NUMBERS: Final = itertools.count()


@final
class Cell:
    """The name of an array that programs assign to, which never changes its type. Cells are ordered by creation."""

    __slots__ = ("__weakref__", "aval", "number")

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval
        self.number = next(_NUMBERS)

    def __lt__(self, other: Cell) -> bool:
        return self.number < other.number

    def __repr__(self) -> str:
        return f"cell {self.number}"


class Memory(Effect):
    """Effect of programs on arrays of enclosing programs: `allocate`, `read` and `write` of a cell."""


@final
class Contents(EffectHandler[dict[Cell, Array]], Memory):
    """The cells that a program has from the program around it: its state."""

    _title = "writable"
    key: Hashable = ()


@final
class MemoryLink(EffectLink):
    """The memory in the chain. The first link of a memory owns its arrays, and knows the other links."""

    handler: Contents

    def __init__(
        self, handler: Contents, label: Label, within: Forward[Any, Any] | None = None, memory: MemoryLink | None = None
    ) -> None:
        super().__init__(handler, label, within)
        self.memory: Final = memory or self
        self.opened = True  # a transformation gets cells one by one
        self.own: WeakKeyDictionary[Cell, Array] = WeakKeyDictionary()
        """The cells of arrays that were created here."""
        self.borrowed: dict[Cell, Array] = {}
        """The values of cells as they came from outside of the transformation."""

    def copied(self, state: Any) -> MemoryLink:
        return MemoryLink(self.handler.copied(state), self.label, memory=self.memory)

    def opened_in(self, within: Forward[Any, Any]) -> MemoryLink:
        return MemoryLink(self.handler.copied({}), self.label, within, self.memory)

    def handle(self, op: Operation[Array], /) -> Performed:
        if op.owned_by(self.memory):
            with installed(self):
                op = op.map(lambda x: x.now())
        return super().handle(op)

    def answer(self, method: str, args: Sequence[Any], kwargs: Mapping[str, Any], /) -> Any:
        cell = args[0]
        match method:
            case "allocate":
                self.own[cell] = args[1]
            case "read":
                return self._read(cell)
            case _:
                self._write(cell, args[1])
        return None

    def signature(self, method: str, form: Form, avals: tuple[ShapedArray, ...], /) -> Signature:
        raise AssertionError("requests are written with theirs")

    def _read(self, cell: Cell) -> Array:
        for known in self.handler.state, self.own:  # own cells are in the state of a program that is being staged
            here = known.get(cell)
            if here is not None:
                return here
        if self.within is None:
            raise LeakedValueError(
                f"an array that can be assigned to, {cell.aval}, is used outside the program that made it; return it "
                "from there"
            )
        with installed(self.within.outer):
            value: Array = perform_on_cell(self.label, "read", cell)
        self.borrowed[cell] = value
        self.handler.state = {**self.handler.state, cell: value}
        return value

    def _write(self, cell: Cell, value: Array) -> None:
        if cell in self.own:
            if cell in self.handler.state:
                self.handler.state = {**self.handler.state, cell: value}
            else:
                self.own[cell] = value
            return
        self._read(cell)
        if self.within is not None and has_lanes(self.within):
            raise MissingRule(
                f"x[…] = … of {cell.aval}, an array outside a vmap, whose lanes run at the same time: no lane is the "
                "last one. Give each lane its own array, xp.copy(x), and return it"
            )
        self.handler.state = {**self.handler.state, cell: value}

    def interpret(self, op: Operation[Array], /) -> Performed:
        if type(op) is not Request or op.label != self.label:
            return self.outer.handle(op)
        args, kwargs = op.form.build(op.operands_)
        value = self.answer(op.method, args, kwargs)
        return () if value is None else (value,)

    def interpret_higher_order(self, op: HigherOrder[Array], /) -> tuple[Array, ...]:
        """The operation performed with the cells that its programs request as operands and results."""
        cells_written, written = _cells_used(op.bodies)
        cells = sorted(cells_written)
        before, values = self.handler.state, {cell: self._read(cell) for cell in cells}
        all_cells = self.handler.state  # with cells from further out
        self.handler.state = values
        try:
            results = StatefulLink.interpret_higher_order(self, op)
            after = self.handler.state
        except BaseException:
            self.handler.state = before
            raise
        self.handler.state = all_cells
        for cell in cells:
            if cell in written:
                self._write(cell, after[cell])
        return results

    def leave(self) -> None:
        super().leave()
        self.own.clear()  # programs that are kept know their cells, and would keep what is in them

    def close(self) -> None:
        """Give back what was written inside of a derivative, without tangents."""
        within = self.within
        if within is None or has_lanes(within):
            return
        state = self.handler.state
        changed = {cell: state[cell] for cell, was in self.borrowed.items() if state[cell] is not was}
        for cell, value in values_outside(changed, self.label, within).items():
            with installed(within.outer):
                perform_on_cell(self.label, "write", cell, value)


def _cells_used(bodies: Sequence[Jaxpr]) -> tuple[set[Cell], set[Cell]]:
    """The cells that programs request and do not allocate; and those of them that they write."""
    allocated: set[Cell] = set()
    cells_written: dict[Cell, bool] = {}
    for request in _requests(bodies):
        (cell, *_), _ = request.form.build(request.operands_)
        if request.method == "allocate":
            allocated.add(cell)
        else:
            cells_written[cell] = cells_written.get(cell, False) or request.method == "write"
    outside = cells_written.keys() - allocated
    return outside, {cell for cell in outside if cells_written[cell]}


def _requests(bodies: Sequence[Jaxpr]) -> Iterator[Request[Any]]:
    for body in bodies:
        if any([label.effect is Memory for label in body.effects if isinstance(label, Label)]):
            for eqn in body.eqns:
                if type(eqn.op) is Request and eqn.op.label.effect is Memory:
                    yield eqn.op
                elif isinstance(eqn.op, HigherOrder):
                    yield from _requests(eqn.op.bodies)


def perform_on_cell(label: Label, method: str, cell: Cell, *values: Array) -> Any:
    """Perform a request for a cell: "read" gives its value, "write" and at first "allocate" set it."""
    innermost: Link = current()
    link = answering(innermost).get(label)
    if link is None:
        raise LeakedValueError(
            f"an array that can be assigned to, {cell.aval}, is used where its writable(f) does not reach: after it "
            "has returned, in another thread, or in Python on the host; return it, or pass its current value, "
            "asarray(x)"
        )
    if link is innermost:
        return link.answer(method, (cell, *values), {})
    operands, form = take_apart(((cell, *values), {}), "an assignment")
    signature = _reading(cell.aval) if method == "read" else _NOTHING
    results = perform(Request(label, method, form, signature, tuple(operands)))
    return results[0] if results else None


def memory_here() -> MemoryLink | None:
    """The memory that new arrays belong to."""
    links = [link for label, link in answering(current()).items() if label.effect is Memory]
    return cast(MemoryLink, links[-1]).memory if links else None


_NOTHING: Final = Signature((), take_apart(None, "nothing")[1])
_LEAF: Final = take_apart(0, "a leaf")[1].tree


def _reading(aval: ShapedArray) -> Signature:
    return Signature((aval,), Form(_LEAF, (None,)))
