"""`key_reuse`: finds keys whose numbers are drawn twice, also in jitted functions, branches and loops."""

from __future__ import annotations

from typing import Final, final

from effects.arrays.array import Array
from effects.program.chain import ROOT, Performed, WithoutCarriers, installed, perform
from effects.program.operation import HigherOrder, Operation
from effects.runtime.cpython.source import Location, current_location, user_location
from handlers.debugging.key_tracking import Number, Value, Walk, is_use


@final
class key_reuse(WithoutCarriers):  # named as the block that it opens
    """A block in which a key may be used only once: drawing its numbers again is a KeyReuseError that names both lines.

    A use of a key is a draw, a split, or folding in a number, a different one each time. `random.clone` returns the
    same key for another use. Jitted functions, branches and loops are checked too: a key from outside a loop must not
    be used in its steps, nor after a loop that used it or one of its elements. Recomputation by checkpoints is not a
    use. Operations pass unchanged. A key that all lanes of a `vmap` share is used once, because its numbers are drawn
    once. It does not find uses of keys that are made in later steps of a `while_loop` or chosen by floats, draws in a
    `while_loop` that runs again with the same key (derivatives do that, too), or uses in functions with custom rules
    (`custom_jvp`) outside jitted ones.

    >>> from effects import random
    >>> with key_reuse():
    ...     first, second = random.split(random.key(0))
    ...     x = random.normal(first) + random.normal(second)
    """

    sees_all = True

    def __init__(self) -> None:
        self._walk: Final = Walk()
        self._unknown: Final[dict[int, tuple[Array, Value]]] = {}

    def interpret(self, op: Operation[Array], /) -> Performed:
        location = current_location.get() or user_location(2)
        values = self._values(op, location) if isinstance(op, HigherOrder) or is_use(op) else None
        performed = perform(op)
        results = performed if isinstance(performed, tuple) else (performed,)
        if any([x.known() is None for x in results]):
            values = values or self._values(op, location)
            for result, value in zip(results, values, strict=False):  # functions with custom rules are not walked
                self._unknown[id(result)] = result, value  # kept alive, so that no other object gets its id
        return performed

    def _values(self, op: Operation[Array], location: Location | None) -> list[Value]:
        with installed(ROOT):
            return self._walk.performed(op, [self._value(x) for x in op.operands], location)

    def _value(self, array: Array) -> Value:
        known = array.known()
        if known is not None:
            return known
        return self._unknown.setdefault(id(array), (array, Number()))[1]
