"""`key_reuse`: finds keys whose numbers are drawn twice, also in jitted functions, branches and loops.

Values are numbered: two of a program are the same where they were computed in the same way from the same ones. A use is
a cipher under a key for a range of counters, which is what a draw, `split` and `fold_in` are; two uses of a key at
different places whose counters meet give the same numbers. What is carried by a loop counts as another value in every
step, unless it is handed on as it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Final, NamedTuple, final

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.errors import KeyReuseError
from effects.operations.checkpoint import CLONED, Name
from effects.operations.creation import Iota
from effects.operations.elementwise import Binary, BinaryKind
from effects.operations.higher_order import Cond
from effects.operations.loops import Scan, While
from effects.operations.movement import Broadcast, Reshape
from effects.operations.philox import Philox
from effects.program.chain import Handler, Performed, perform
from effects.program.jaxpr import Jaxpr, Literal
from effects.program.operation import HigherOrder, Operation
from effects.runtime.source import Place, Source, located, user_place

_MANY: Final = 10_000
"""Of an array of more keys, uses are not told apart."""


class _Use(NamedTuple):
    """Counters from `first` on, before `end`."""

    first: int
    end: int
    place: Place | None


type _Uses = dict[tuple[str, Hashable], list[_Use]]
type _Spare = dict[tuple[str, Hashable], int]
"""How often a key may be used again, as it was cloned before it was used."""


@final
class _Fresh:
    """A value that is like no other."""

    __slots__ = ()


@final
class key_reuse(Handler[Array]):  # it is written as the block that it opens
    """A block in which a key may be used once: KeyReuseError where its numbers are drawn again, naming both lines.

    Using a key is drawing with it, splitting it, or folding a number into it, another one each time. `random.clone`
    gives the same key to be used again. Jitted functions, branches and loops are looked into: a key from outside of a
    loop must not be used in its steps. Operations pass on untouched. What is differentiated with checkpoints draws
    again on the way back: then the block belongs into the function.

    >>> from effects import random
    >>> with key_reuse():
    ...     first, second = random.split(random.key(0))
    ...     x = random.normal(first) + random.normal(second)
    """

    sees_all = True

    def __init__(self) -> None:
        self._uses: Final[_Uses] = {}
        self._spare: Final[_Spare] = {}
        self._unknown: Final[dict[int, Array]] = {}

    def constant(self, value: Array, /) -> Array:
        return value

    def interpret(self, op: Operation[Array], /) -> Performed:
        place = located.get() or user_place(2)
        if (drawn := _draw(op)) is not None:
            self._used(*drawn, place)
        elif isinstance(op, Name) and op.label == CLONED:
            for key in self._numbers(op.x):
                for cipher in _CIPHERS:
                    if self._uses.pop((cipher, key), None) is None:
                        self._spare[cipher, key] = self._spare.get((cipher, key), 0) + 1
        elif isinstance(op, HigherOrder):
            _Walk(self._uses, self._spare).through(op, [self._number(x) for x in op.operands], place)
        return perform(op)

    def _used(self, cipher: str, key: Array, counter: Array, place: Place | None) -> None:
        known = counter.known()
        if known is None:
            return
        counters = known.host
        if counters.size:
            for number in self._numbers(key):
                _use(
                    self._uses, self._spare, (cipher, number), _Use(int(counters.min()), int(counters.max()) + 1, place)
                )

    def _numbers(self, key: Array) -> Iterable[Hashable]:
        """A number for each key of an array."""
        known = key.known()
        if known is None or known.aval.size > _MANY:
            return [self._number(key)]
        return [("key", int(k)) for k in np.unique(known.host)]

    def _number(self, value: Array) -> Hashable:
        known = value.known()
        if known is not None:
            return _number_of(known)
        self._unknown[id(value)] = value  # which keeps it, so that no other one has its id
        return ("unknown", id(value))


def _draw[V](op: Operation[V]) -> tuple[str, V, V] | None:
    """The cipher that an operation is, its key and its counter; None if it is another operation."""
    if isinstance(op, Philox):
        return "philox", op.key, op.low
    return ("threefry", op.x, op.y) if isinstance(op, Binary) and op.kind is BinaryKind.THREEFRY else None


_CIPHERS: Final = ("philox", "threefry")


def _number_of(value: Concrete) -> Hashable:
    if value.aval.size == 1 and value.aval.dtype.dtype == np.uint64:
        return ("key", int(value.host.reshape(())))
    return ("value", value.aval, value.host.tobytes()) if value.aval.size <= _MANY else ("value", id(value))


def _use(uses: _Uses, spare: _Spare, key: tuple[str, Hashable], use: _Use) -> None:
    """Take down a use of a key by a cipher; KeyReuseError where it meets another, unless there is one to spare."""
    earlier = uses.setdefault(key, [])
    for other in list(earlier):
        if other.first < use.end and use.first < other.end:
            if spare.get(key):
                spare[key] -= 1
                earlier.clear()
                break
            raise KeyReuseError(_said(key[1], other.place, use.place))
    earlier.append(use)


def _said(key: Hashable, first: Place | None, second: Place | None) -> str:
    name = f"the key {key[1]:#018x}" if isinstance(key, tuple) and key[0] == "key" else "a key"
    lines = [str(Source(*place)) if place else "an unknown line" for place in (first, second)]
    where = f"at {lines[0]} and at {lines[1]}" if lines[0] != lines[1] else f"twice at {lines[0]}"
    return f"key_reuse: {name} is used {where}; split it, and use each of the keys that this gives once"


@final
class _Walk:
    """Goes through programs with the numbers of their values."""

    def __init__(self, uses: _Uses, spare: _Spare) -> None:
        self._uses = uses
        self._spare = spare

    def through(self, op: HigherOrder[Any], given: Sequence[Hashable], place: Place | None) -> None:
        """The programs that an operation holds, on operands of these numbers."""
        if isinstance(op, Cond):
            kept = {key: list(uses) for key, uses in self._uses.items()}
            for branch in op.branches:
                walk = _Walk({key: list(uses) for key, uses in kept.items()}, dict(self._spare))
                walk.program(branch, given[1:], place)
                for key, uses in walk._uses.items():
                    known = self._uses.setdefault(key, [])
                    known += [use for use in uses if use not in known]
        elif isinstance(op, Scan | While):
            self._loop(op, given, place)
        else:
            for body in op.bodies:
                if len(body.inputs) == len(given):
                    self.program(body, given, place)

    def _loop(self, op: Scan[Any] | While[Any], given: Sequence[Hashable], place: Place | None) -> None:
        """Two steps, in which what is not handed on is another value: what both use is used in each."""
        if isinstance(op, Scan):
            body, consts, carried, steps = op.body, len(op.consts), op.carried, op.length
        else:
            given = given[len(op.condition_consts) :]
            body, consts, carried, steps = op.body, len(op.body_consts), len(op.init), 2
        same = {consts + i for i in range(carried) if body.outputs[i] is body.inputs[consts + i]} | set(range(consts))
        for _ in range(min(steps, 2)):
            numbers = [n if i in same else _Fresh() for i, n in enumerate(given)]
            self.program(body, numbers, place)

    def program(self, body: Jaxpr, given: Sequence[Hashable], place: Place | None) -> list[Hashable]:
        numbers: dict[Any, Hashable] = dict(zip(body.inputs, given, strict=True))
        counters: dict[Any, tuple[int, int]] = {}

        def number(atom: Any) -> Hashable:
            return _number_of(atom.value) if isinstance(atom, Literal) else numbers[atom]

        for eqn in body.eqns:
            op: Any = eqn.op
            where = eqn.place or place
            operands = [number(v) for v in op.operands]
            if (drawn := _draw(op)) is not None:
                cipher, _, counter = drawn
                span = _literal(counter) if isinstance(counter, Literal) else counters.get(counter)
                if span is not None:
                    _use(self._uses, self._spare, (cipher, operands[0]), _Use(*span, where))
            elif isinstance(op, HigherOrder):
                self.through(op, operands, where)
            elif isinstance(op, Iota):
                counters[eqn.outs[0]] = (0, op.shape[op.axis])
            elif isinstance(op, Reshape | Broadcast) and op.x in counters:
                counters[eqn.outs[0]] = counters[op.x]
            again = isinstance(op, HigherOrder) or bool(op.effects) or (isinstance(op, Name) and op.label == CLONED)
            key: Hashable = _Fresh() if again else (type(op), op.params, *operands)
            for i, out in enumerate(eqn.outs):
                numbers[out] = (key, i)
        return [number(v) for v in body.outputs]


def _literal(counter: Literal) -> tuple[int, int]:
    value = int(counter.value.host.reshape(()))
    return value, value + 1
