"""The handler of forward-mode derivatives, its carrier and its rule table.

A `Dual` is a primal value and its tangent. A missing tangent is None, never an array of zeros; a result without tangent
is no carrier at all, so that what does not depend on the inputs costs nothing. Rules give (primal, tangent or None).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

from effects.arrays.array import Array, Carrier
from effects.arrays.concrete import Concrete
from effects.functions.creation import creation
from effects.program.chain import Performed, current, perform
from effects.program.custom import CustomOp
from effects.program.operation import Operation
from effects.runtime.cpython.source import current_location
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.contracts import checked_jvp
from handlers.forward import Forward
from handlers.jvp.tangents import of_tangents
from handlers.rule_table import RuleTable

type Tangent = Array | None
type Pair = tuple[Array, Tangent] | tuple[tuple[Array, ...], tuple[Tangent, ...]]


@final
class Dual(Carrier):
    """primal + tangent · ε; the tangent None where the value does not vary."""

    __slots__ = ("primal", "tangent")
    owner: Jvp

    def __init__(self, owner: Jvp, primal: Array, tangent: Tangent) -> None:
        self.owner = owner
        self.primal = primal
        self.tangent = tangent

    @property
    def aval(self) -> ShapedArray:
        return self.primal.aval

    @property
    def device(self) -> str:
        return self.primal.device

    def known(self) -> Concrete | None:
        return self.primal.known()

    def unknown_reason(self) -> str:
        return self.primal.unknown_reason()


def value_of(op: Operation[Array]) -> Any:
    """The primal result of a rule: `op` is its operation on primals, or another one of the same value.

    It belongs to the program; what the rule performs after it belongs to the derivative, and places are marked so from
    then on.
    """
    value = perform(op)
    location = current_location.get()
    if location is not None and len(location) == 2:
        current_location.set((*location, op.name))  # until Jvp is done with the operation
    return value


def linear(op: Operation[Dual]) -> Pair:
    """Rule of operations that are linear in all inexact operands together: the same operation on the tangents."""
    value = value_of(op.map(lambda dual: dual.primal))
    if all([dual.tangent is None for dual in op.operands]):
        return value, None
    tangent: Any = perform(op.map(_along))
    return value, tangent


def _along(dual: Dual) -> Array:
    if dual.tangent is not None:
        return dual.tangent
    return creation.zeros_like(dual.primal) if dtypes.is_inexact(dual.aval.dtype) else dual.primal


def _jvp_custom(op: CustomOp[Dual]) -> Pair:
    def run(tangents: Sequence[Tangent]) -> object:
        remaining_tangents = iter(tangents)
        return op.map(lambda dual: Dual(dual.owner, dual.primal, next(remaining_tangents))).jvp()

    tangents = [dual.tangent for dual in op.operands]
    return checked_jvp(op, of_tangents((op.name,), run, tangents) if current().lines else op.jvp())


RULES: Final = RuleTable[Callable[[Any], Pair]]("Jvp", _jvp_custom)


@final
class Jvp(Forward[Dual, bool]):
    """Forward-mode derivatives: every operation is performed on primals, and its derivative on tangents.

    (x, ẋ) ↦ (f(x), ∂f(x)·ẋ)
    """

    augments = True
    loses = True
    key = ()

    def __init__(self, function: str = "") -> None:
        self.function: Final = function
        """Name of the user's function, for messages."""

    def __repr__(self) -> str:
        return f"Jvp({self.function})" if self.function else "Jvp"

    def constant(self, value: Array, /) -> Dual:
        return Dual(self, value, None)

    def interpret(self, op: Operation[Dual], /) -> Performed:
        primal, tangent = RULES[type(op)](op)
        if type(primal) is tuple:
            assert isinstance(tangent, tuple)
            return tuple([self.dual(p, t) for p, t in zip(primal, tangent, strict=True)])
        return primal if tangent is None else Dual(self, primal, tangent)  # type: ignore[arg-type]  # one result here

    def dual(self, primal: Array, tangent: Tangent) -> Array:
        """The carrier of a result; the primal itself when there is no tangent."""
        return primal if tangent is None else Dual(self, primal, tangent)

    def unpack(self, value: Dual, /) -> tuple[tuple[Array, ...], bool]:
        if value.tangent is None:
            return (value.primal,), False
        return (value.primal, value.tangent), True

    def pack(self, parts: Sequence[Array], static: bool, /) -> Dual:
        return Dual(self, parts[0], parts[1] if static else None)

    def join(self, a: bool, b: bool, /) -> bool:
        return a or b

    def coerce(self, value: Dual, static: bool, /) -> Dual:
        if static and value.tangent is None:
            return Dual(self, value.primal, creation.zeros_like(value.primal))
        return value
