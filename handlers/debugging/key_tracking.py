"""Search for uses of random keys: a walk through operations and programs that tracks what is known of their values.

Keys are computed where they depend on known integers only. Other values are numbered: two of them are equal if they
were computed by equal operations from equal values. A use is a cipher under a key for a range of counters, which is
what a draw, `split` and `fold_in` are; two uses of a key whose counters meet give the same numbers. A `scan` is walked
step by step. A `while_loop` is walked for two steps: the first on its initial carry, the second on a carry whose values
are new numbers unless a step passes them on unchanged. Only values that keys depend on are tracked.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Final, final

import numpy as np

from effects.arrays.concrete import Concrete, concrete
from effects.errors import EffaxError, KeyReuseError
from effects.operations.checkpoint import CLONED, Checkpoint, Name
from effects.operations.creation import Iota
from effects.operations.elementwise import Binary, BinaryKind
from effects.operations.higher_order import Cond
from effects.operations.indexing import Slice
from effects.operations.loops import Scan, While
from effects.operations.movement import Broadcast, Reshape
from effects.operations.philox import Philox
from effects.program.chain import perform
from effects.program.jaxpr import Eqn, Jaxpr, Literal
from effects.program.operation import HigherOrder, Operation
from effects.runtime.cpython.source import Location
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.debugging.key_uses import KeyUses, Use, reuse_message

_MOST_TRACKED: Final = 10_000
"""Arrays with more keys are one value, and loops with more steps are not walked step by step."""


@final
class Number:
    """An unknown value: the operation it was computed by, and the operands; one without these equals no other."""

    __slots__ = ("origin",)

    def __init__(self, origin: tuple[Any, ...] = ()) -> None:
        self.origin = origin


type Value = Concrete | Number
type _Key = tuple[str, Hashable]


def is_use(op: Operation[Any]) -> bool:
    return _draw(op) is not None or _is_clone(op)


def _is_clone(op: Operation[Any]) -> bool:
    return isinstance(op, Name) and op.label == CLONED


def _draw(op: Operation[Any]) -> str | None:
    """The cipher operation, whose operands are a key and a counter; None for other operations."""
    if isinstance(op, Philox):
        return "philox"
    return "threefry" if isinstance(op, Binary) and op.kind is BinaryKind.THREEFRY else None


_CIPHERS: Final = ("philox", "threefry")


def _spans(counter: Value) -> list[tuple[int, int]]:
    """The ranges of counters; empty if they are not known."""
    if isinstance(counter, Concrete):
        if counter.aval.size == 1:
            one = int(counter.host.item())
            return [(one, one + 1)]
        counters = np.unique(counter.host)
        runs = np.split(counters, np.flatnonzero(np.diff(counters) != 1) + 1) if counters.size else []
        return [(int(run[0]), int(run[-1]) + 1) for run in runs]
    while counter.origin[:1] in ((Reshape,), (Broadcast,)) and isinstance(counter.origin[-1], Number):
        counter = counter.origin[-1]
    if counter.origin[:1] != (Iota,):
        return []
    shape, _, axis = counter.origin[1]
    return [(0, shape[axis])]


def _uses_keys(body: Jaxpr) -> bool:
    return body.cached("uses keys", lambda: any([_holds_use(eqn.op) for eqn in body.eqns]))


def _holds_use(op: Operation[Any]) -> bool:
    return is_use(op) or (isinstance(op, HigherOrder) and any([_uses_keys(body) for body in op.bodies]))


def _counts(aval: ShapedArray) -> bool:
    """Return True if values of this type are tracked: integers and bools, not too many."""
    return aval.size <= _MOST_TRACKED and (issubclass(aval.dtype, dtypes.Integer) or aval.dtype is dtypes.bool_)


def _relevant(body: Jaxpr) -> list[tuple[Eqn, bool]]:
    """The equations that use keys, and those that keys and integer results depend on; whether their results matter."""

    def derive() -> list[tuple[int, bool]]:  # by position, since equal programs share what is derived from them
        needed = {atom for atom in body.outputs if _counts(atom.aval)}
        relevant: list[tuple[int, bool]] = []
        for i in range(len(body.eqns) - 1, -1, -1):
            eqn = body.eqns[i]
            matters = any([out in needed for out in eqn.outs])
            if matters or _holds_use(eqn.op):
                needed.update(eqn.op.operands)
                relevant.append((i, matters))
        return relevant[::-1]

    return [(body.eqns[i], matters) for i, matters in body.cached(("what keys depend on",), derive)]


@final
class Walk:
    """Walks operations and programs with what is known of their values."""

    def __init__(self) -> None:
        self._uses: dict[_Key, KeyUses] = {}
        self._spare: dict[_Key, int] = {}
        """Number of further uses that each key may have, since it was cloned before it was used."""
        self._numbers: Final[dict[tuple[Any, ...], Number]] = {}
        self._steps = 0
        self._loop = 0
        self._loops = 0

    def performed(self, op: Operation[Any], values: Sequence[Value], location: Location | None) -> list[Value]:
        """Results of an operation on these values, outside of any loop."""
        self._steps = self._loop = 0
        return self._one(op, values, [x.aval for x in op.operands], location)

    def _one(
        self, op: Operation[Any], values: Sequence[Value], avals: Sequence[ShapedArray], location: Location | None
    ) -> list[Value]:
        if isinstance(op, HigherOrder):
            return self._through(op, values, location)
        if (cipher := _draw(op)) is not None:
            self._drawn(cipher, values[0], avals[0], values[1], location)
        elif _is_clone(op):
            return [self._cloned(values[0])]
        return self._computed_or_numbered(op, values)

    def _drawn(self, cipher: str, key: Value, aval: ShapedArray, counter: Value, location: Location | None) -> None:
        if isinstance(key, Concrete) and isinstance(counter, Concrete) and key.aval.size > 1:
            shape = np.broadcast_shapes(key.aval.shape, counter.aval.shape)
            if math.prod(shape) <= _MOST_TRACKED:  # if an element occurs twice, it is drawn twice
                pairs = [np.broadcast_to(x.host, shape).ravel().tolist() for x in (key, counter)]
                drawn = list(zip(*pairs, strict=True))
                if self._steps or self._loop:  # lanes may share a carry
                    drawn = list(dict.fromkeys(drawn))
                for k, i in drawn:
                    self._used((cipher, k), Use(i, i + 1, location, self._loop))
                return
        for k in dict.fromkeys(self._keys(key, aval)):
            for first, end in _spans(counter):
                self._used((cipher, k), Use(first, end, location, self._loop))

    def _used(self, key: _Key, use: Use) -> None:
        """Record a use of a key by a cipher; KeyReuseError where it overlaps another one, unless the key was cloned."""
        earlier = self._uses.get(key)
        if earlier is None:
            earlier = self._uses[key] = KeyUses({}, [])
        for other in earlier.overlapping(use):
            if use.loop != other.loop and use.loop and other.loop and use.location == other.location:
                continue  # the same loop again, for a derivative
            if not self._spare.get(key):
                raise KeyReuseError(reuse_message(key[1], other.location, use.location))
            self._spare[key] -= 1
            earlier = self._uses[key] = KeyUses({}, [])
            break
        earlier.add(use)

    def _cloned(self, value: Value) -> Value:
        if not isinstance(value, Concrete):
            return Number()
        for k in dict.fromkeys(self._keys(value, value.aval)):
            for cipher in _CIPHERS:
                if self._uses.pop((cipher, k), None) is None:
                    self._spare[cipher, k] = self._spare.get((cipher, k), 0) + 1
        return value

    def _keys(self, value: Value, aval: ShapedArray) -> list[Hashable]:
        """The keys of an array, each by its bits or its number."""
        if aval.size > _MOST_TRACKED:
            return [self._number(value)]
        if isinstance(value, Concrete):
            words: list[Hashable] = value.host.ravel().tolist()
            return words
        while value.origin[:1] == (Reshape,) and isinstance(value.origin[-1], Number):
            value = value.origin[-1]
        return [self._number(value if aval.size == 1 else self._row(value, i)) for i in range(aval.size)]

    def _numbered(self, *origin: Any) -> Number:
        return self._numbers.get(origin) or self._numbers.setdefault(origin, Number(origin))

    def _number(self, value: Value) -> Hashable:
        if isinstance(value, Number):
            return value
        return (value.aval, value.host.tobytes()) if value.aval.size <= _MOST_TRACKED else Number()

    def _row(self, value: Value, i: int) -> Value:
        """Element i along the first axis."""
        if isinstance(value, Number):
            return self._numbered("row", i, value)
        return concrete(np.asarray(value.host[i]), value.aval.with_shape(value.aval.shape[1:]))

    def _computed_or_numbered(self, op: Operation[Any], values: Sequence[Value]) -> list[Value]:
        avals = op.types()
        several = isinstance(avals, tuple)
        types: tuple[ShapedArray, ...] = avals if isinstance(avals, tuple) else (avals,)
        if op.effects:
            return [Number() for _ in types]
        known = [x for x in values if isinstance(x, Concrete) and _counts(x.aval)]
        if len(known) == len(values) and all([_counts(aval) for aval in types]):
            operands = iter(known)
            try:
                results: Any = perform(op.map(lambda _: next(operands)))
            except EffaxError:  # in a branch that is not taken
                return [Number() for _ in types]
            return list(results) if several else [results]
        if isinstance(op, Reshape) and op.shape == () and isinstance(values[0], Number):
            origin = values[0].origin
            if origin[:1] == (Slice,) and len(origin[1][0]) == 1:
                return [self._row(origin[-1], origin[1][0][0])]
        numbers = [self._number(x) for x in values]
        return [self._numbered(type(op), op.params, i, *numbers) for i in range(len(types))]

    def _through(self, op: HigherOrder[Any], values: Sequence[Value], location: Location | None) -> list[Value]:
        """The results of a higher-order operation, whose programs are walked."""
        fresh: list[Value] = [Number() for _ in op.types()]
        if isinstance(op, Checkpoint) and op.recomputes:
            return fresh
        if isinstance(op, Cond):
            return self._branches(op, values, location)
        if isinstance(op, Scan | While) and not any([_uses_keys(body) for body in op.bodies]):
            return fresh
        if isinstance(op, Scan):
            return self._scan(op, values, location)
        if isinstance(op, While):
            return self._while(op, values, location)
        for body in op.bodies:
            if len(body.inputs) == len(values):
                results = self._program(body, values, location)
                fresh = results if len(results) == len(fresh) else fresh
        return fresh

    def _branches(self, op: Cond[Any], values: Sequence[Value], location: Location | None) -> list[Value]:
        index = values[0]
        if isinstance(index, Concrete):
            number = min(max(int(index.host), 0), len(op.branches) - 1)
            return self._program(op.branches[number], values[1:], location)
        before, spare = self._uses, self._spare
        merged = {key: used.copy() for key, used in before.items()}
        for branch in op.branches:
            self._uses, self._spare = {key: used.copy() for key, used in before.items()}, dict(spare)
            self._program(branch, values[1:], location)
            for key, used in self._uses.items():
                merged.setdefault(key, KeyUses({}, [])).merge(used)
        self._uses, self._spare = merged, spare
        return [Number() for _ in op.types()]

    def _scan(self, op: Scan[Any], values: Sequence[Value], location: Location | None) -> list[Value]:
        """The results of a scan, walked step by step; of too many steps two are walked, as for a `while_loop`."""
        consts, end = len(op.consts), len(op.consts) + op.carried
        carry, xs = list(values[consts:end]), values[end:]
        one_by_one = self._steps + op.length <= _MOST_TRACKED
        results: list[list[Value]] = []
        for step in range(op.length if one_by_one else 2):
            i = op.length - 1 - step if op.reverse else step
            self._steps += 1
            rows = [self._row(x, i) if one_by_one else Number() for x in xs]
            given_on = self._program(op.body, [*values[:consts], *carry, *rows], location)
            results.append(given_on[op.carried :])
            carry = given_on[: op.carried] if one_by_one else self._another(op.body, consts, carry)
        if not one_by_one:
            return [Number() for _ in op.types()]
        stacked = [self._stacked(list(column), aval) for column, aval in zip(zip(*results), op.types()[op.carried :])]
        return [*carry, *(stacked or [Number() for _ in op.types()[op.carried :]])]

    def _another(self, body: Jaxpr, consts: int, carry: list[Value]) -> list[Value]:
        """The carry of any later step: values that a step does not pass on unchanged are new numbers."""
        return [x if body.outputs[i] is body.inputs[consts + i] else Number() for i, x in enumerate(carry)]

    def _stacked(self, rows: list[Value], aval: ShapedArray) -> Value:
        known = [row.host for row in rows if isinstance(row, Concrete)]
        if len(known) < len(rows) or aval.size > _MOST_TRACKED:
            return Number()
        return concrete(np.stack(known), aval)

    def _while(self, op: While[Any], values: Sequence[Value], location: Location | None) -> list[Value]:
        consts, values = len(op.body_consts), values[len(op.condition_consts) :]
        carry, outside = list(values[consts:]), self._loop
        self._loops += 1
        self._loop = outside or self._loops
        for _ in range(2):
            self._program(op.body, [*values[:consts], *carry], location)
            carry = self._another(op.body, consts, carry)
        self._loop = outside
        return [Number() for _ in carry]

    def _program(self, body: Jaxpr, inputs: Sequence[Value], location: Location | None) -> list[Value]:
        values: dict[Any, Value] = dict(zip(body.inputs, inputs, strict=True))

        def read(atom: Any) -> Value:
            return atom.value if isinstance(atom, Literal) else values[atom]

        for eqn, matters in _relevant(body):
            operands, where = [read(v) for v in eqn.op.operands], eqn.place or location
            avals = [v.aval for v in eqn.op.operands]
            if not matters and (cipher := _draw(eqn.op)) is not None:
                self._drawn(cipher, operands[0], avals[0], operands[1], where)
            else:
                values.update(zip(eqn.outs, self._one(eqn.op, operands, avals, where), strict=True))
        return [read(v) if isinstance(v, Literal) or v in values else Number() for v in body.outputs]
