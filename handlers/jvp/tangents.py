"""The tangents that a user's derivative rule is given, whose operations are marked as part of the derivative.

A rule computes the value of its function and the tangent of that, and only the tangents tell the two apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

from effects.arrays.array import Array, Carrier
from effects.arrays.concrete import Concrete
from effects.program.chain import Performed, perform
from effects.program.operation import Operation
from effects.runtime.cpython.extent import inside
from effects.runtime.cpython.source import Rule, current_location
from effects.trees.pytree import tree_map
from effects.types.avals import ShapedArray
from handlers.forward import Forward


@final
class Tangent(Carrier):
    """An array that depends on the tangents of a rule; if not `depends`, another operand beside such arrays."""

    __slots__ = ("depends", "value")
    owner: Tangents

    def __init__(self, owner: Tangents, value: Array, depends: bool) -> None:
        self.owner = owner
        self.value = value
        self.depends = depends

    @property
    def aval(self) -> ShapedArray:
        return self.value.aval

    def known(self) -> Concrete | None:
        return self.value.known()

    def unknown_reason(self) -> str:
        return self.value.unknown_reason()


@final
class Tangents(Forward[Tangent, bool]):
    """Performs operations as they are; the places of those on tangents say that they belong to a derivative rule."""

    augments = True
    loses = True

    def __init__(self, rule: Rule) -> None:
        self.rule: Final = rule

    @property
    def key(self) -> Rule:  # type: ignore[override]  # computed
        return self.rule

    def constant(self, value: Array, /) -> Tangent:
        return Tangent(self, value, False)

    def interpret(self, op: Operation[Tangent], /) -> Performed:
        location, values = current_location.get(), op.map(lambda x: x.value)
        if not any([x.depends for x in op.operands]):
            return perform(values)
        if location is not None and len(location) == 2:
            current_location.set((*location, *self.rule))
        results = perform(values)
        if isinstance(results, tuple):
            return tuple([Tangent(self, x, True) for x in results])
        return Tangent(self, results, True)

    def unpack(self, value: Tangent, /) -> tuple[tuple[Array], bool]:
        return (value.value,), value.depends

    def pack(self, parts: Sequence[Array], static: bool, /) -> Tangent:
        return Tangent(self, parts[0], static)

    def join(self, a: bool, b: bool, /) -> bool:
        return a or b

    def coerce(self, value: Tangent, static: bool, /) -> Tangent:
        return Tangent(self, value.value, static)


def of_tangents[T](rule: Rule, run: Callable[[Sequence[Array | None]], T], tangents: Sequence[Array | None]) -> T:
    """The result of `run`, a user's derivative rule, for these tangents or cotangents."""
    handler = Tangents(rule)

    def value(leaf: Any) -> Any:
        return leaf.value if isinstance(leaf, Tangent) and leaf.owner is handler else leaf

    def marked() -> T:
        result = run([t if t is None else Tangent(handler, t, True) for t in tangents])
        return tree_map(value, result)

    return inside((handler,), marked)
