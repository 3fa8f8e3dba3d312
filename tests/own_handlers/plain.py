"""A handler that changes nothing, with arrays for carriers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import effects as fx
from effects import Array, Performed
from effects.program.operation import Operation
from handlers import Forward


class Plain(Forward[Array]):
    """A handler of everything, with arrays for carriers."""

    sees_all = True

    def constant(self, value: Array, /) -> Array:
        return value

    def unpack(self, value: Array, /) -> tuple[tuple[Array, ...], Hashable]:
        return (value,), None

    def pack(self, parts: Sequence[Array], static: Hashable, /) -> Array:
        return parts[0]

    def interpret(self, op: Operation[Array], /) -> Performed:
        return fx.perform(op)
