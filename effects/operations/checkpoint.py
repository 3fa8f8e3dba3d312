"""Operations that say what a derivative may keep of a program: `Checkpoint` bounds it, `Name` marks a value in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from effects.operations.higher_order import CallLike
from effects.program.jaxpr import Atom, Jaxpr
from effects.program.operation import Operation, Single, operation
from effects.types.avals import ShapedArray, Typed

type Policy = Callable[[Operation[Atom]], bool]
"""Predicate of operations within a checkpoint: True if their results may be saved for the backward pass."""


@operation
class Checkpoint[V](CallLike[V]):
    """The outputs of the program `body` on `operands`, of which a derivative saves only what `policy` allows.

    The backward pass recomputes the other values that it needs from the operands. `label` is the program's name.
    `recomputes` is True if the body repeats earlier work, which the compiler may not merge with it if `prevent_cse`.
    """

    name = "checkpoint"
    body: Jaxpr
    policy: Policy
    label: str
    prevent_cse: bool
    recomputes: bool
    operands_: tuple[V, ...]

    def of[W](self, body: Jaxpr, operands: tuple[W, ...], recomputes: bool = False) -> Checkpoint[W]:
        again = self.recomputes or recomputes
        return Checkpoint(body, self.policy, self.label, self.prevent_cse, again, operands)

    def describe(self) -> str:
        policy = getattr(self.policy, "__name__", None) or repr(self.policy)
        recomputes = " recomputes" if self.recomputes else ""
        return f"checkpoint[label={self.label!r} policy={policy}{recomputes}]"


CLONED: Final = "clone"
"""Name of keys that may be used again."""


@operation
class Name[V](Single[V]):
    """`x` itself, called `label` where a policy decides what is saved."""

    name = "name"
    label: str
    x: V

    def types(self: Name[Typed]) -> ShapedArray:
        return self.x.aval
