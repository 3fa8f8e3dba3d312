"""The handler of batching, its carrier and its rule table.

A `Batched` holds its lanes along axis 0 of `value`; other positions of the batch axis are moved there where values
enter, and back where they leave. A result that is the same in every lane is no carrier at all. Rules give (value,
whether it is batched).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, final

from effects.arguments import elements, flag, function_name, natural, one_name
from effects.arrays.array import Array, Carrier
from effects.errors import EffaxError
from effects.functions.manipulation import movement
from effects.operations.custom_rules import CustomCall
from effects.program.chain import Performed, perform
from effects.program.custom import CustomOp
from effects.program.operation import HigherOrder, HostEffect, NamedAxis, Operation
from effects.runtime.caches import memoised
from effects.types.avals import ShapedArray
from handlers.contracts import checked_batch
from handlers.forward import FORWARD, Forward
from handlers.rule_table import RuleTable
from handlers.transformations.calls.arguments import argument_names

type Lanes = tuple[Array, bool] | tuple[tuple[Array, ...], tuple[bool, ...]]


@memoised
def _lane(aval: ShapedArray) -> ShapedArray:
    return aval.with_shape(aval.shape[1:])


@final
class Batched(Carrier):
    """One value per lane, along axis 0 of `value`; with `batched` false, `value` in every lane."""

    __slots__ = ("aval", "batched", "value")
    owner: Vmap
    aval: ShapedArray

    def __init__(self, owner: Vmap, value: Array, batched: bool = True) -> None:
        self.owner = owner
        self.value = value
        self.batched = batched
        self.aval = _lane(value.aval) if batched else value.aval

    @property
    def device(self) -> str:
        return self.value.device

    def unknown_reason(self) -> str:
        handler = self.owner
        batch = f"a batch of {handler.size} values under vmap, one per lane"
        f, args, kwargs = handler.call
        if f is None:
            return batch
        for argument, name in zip(handler.arguments, argument_names(f, args, kwargs), strict=False):
            if argument is self:
                return f"argument {name} of {function_name(f)}, {batch}"
        return f"{batch}, computed in {function_name(f)}"

    def provenance(self) -> str:
        return f" ({self.unknown_reason()}{(values := elements(self.value.known())) and f': {values}'})"


def _batch_custom(op: CustomOp[Batched], size: int | None = None) -> Lanes:
    return checked_batch(op, op.batch(), size_of(op) if size is None else size)


RULES: Final = RuleTable[Callable[[Any], Lanes]]("Vmap", _batch_custom)

VMAP_SELECTS: Final[dict[type[HigherOrder[Any]], Callable[[Vmap, Any], tuple[Array, ...] | None]]] = {}
"""Rules for higher-order operations whose predicate is batched, None where it is not; rows register theirs."""


@final
class Whole:
    """A rule of operations on lanes that are one operation on whole arrays, which the function `of` gives.

    The handler passes that one outward without changing the current chain; `of` performs further operations by
    `outside`.
    """

    __slots__ = ("of",)

    def __init__(self, operation: Callable[[Any], Operation[Array]]) -> None:
        self.of = operation

    def __call__(self, op: Operation[Batched]) -> Lanes:
        return perform(self.of(op)), True  # type: ignore[return-value]  # one result


value: Final = attrgetter("value")
on_last_axes: Final = Whole(lambda op: op.map(value))
"""Rule of operations on the last axes, or on each element: lanes are one more axis in front."""


def outside(x: Batched, op: Operation[Array]) -> Array:
    """The result of `op` outside of the handler of `x`."""
    return x.owner.outer.handle(op)  # type: ignore[return-value]  # of an operation of one result


@final
class Vmap(Forward[Batched, bool]):
    """Batching: an operation on lanes is one operation on arrays with an axis more.

    `size` is the number of lanes, and `name` what collectives call the axis, if anything. It sees collectives of its
    name and host effects even where no operand is batched, unless the lanes are `directions` in which one computation
    is differentiated.
    """

    sees_all = True

    arguments: Sequence[object] = ()
    call: tuple[Callable[..., object] | None, Sequence[object], Mapping[str, object]] = (None, (), {})
    """The mapped function, its positional and its keyword arguments, for messages; `arguments` are their leaves."""

    def __init__(self, size: int, name: Hashable = None, *, directions: bool = False) -> None:
        self.size = natural("Vmap", "size", size)
        self.name = name
        self.directions = flag("Vmap", "directions", directions)
        if name is not None:
            self.axes = {one_name("Vmap", "name", name): self.size}

    @property
    def key(self) -> Hashable:  # type: ignore[override]  # computed from the fields
        return self.size, self.name, self.directions

    def __repr__(self) -> str:
        f = self.call[0]
        return "Vmap" if f is None else f"Vmap({function_name(f)})"

    def fresh(self) -> Vmap:
        return Vmap(self.size, self.name, directions=self.directions)

    def sees(self, op: Operation[Array], /) -> bool:
        if self.directions:
            return False
        effects = op.effects
        if not effects:
            return type(op) is CustomCall and op.body is None  # a function that is not staged may do anything
        return HostEffect.HOST in effects or NamedAxis(self.name) in effects

    def constant(self, value: Array, /) -> Batched:
        return Batched(self, value, False)

    def handle(self, op: Operation[Array], /) -> Performed:
        rule = RULES.get(type(op))
        if type(rule) is Whole and self.alive and op.owned_by(self):
            try:
                return Batched(self, self.outer.handle(rule.of(op.lifted(self, self.constant))))  # type: ignore[arg-type]  # one result
            except EffaxError as error:
                raise self._error_on_carriers(op, error) from error.__cause__
        return super().handle(op)

    def interpret(self, op: Operation[Batched], /) -> Performed:
        rule = RULES[type(op)]
        value, batched = _batch_custom(op, self.size) if rule is _batch_custom else rule(op)  # type: ignore[arg-type]  # of one
        if type(value) is tuple:
            assert isinstance(batched, tuple)
            return tuple([Batched(self, v) if b else v for v, b in zip(value, batched, strict=True)])
        return Batched(self, value) if batched else value  # type: ignore[arg-type]  # one result here

    def interpret_higher_order(self, op: HigherOrder[Batched], /) -> tuple[Array, ...]:
        generic = FORWARD[type(op)]  # imports the rows, too
        select = VMAP_SELECTS.get(type(op))
        selected = None if select is None else select(self, op)
        return generic(self, op) if selected is None else selected

    def unpack(self, value: Batched, /) -> tuple[tuple[Array, ...], bool]:
        return (value.value,), value.batched

    def pack(self, parts: Sequence[Array], static: bool, /) -> Batched:
        # Rules rely on one batched operand at least: a value that is the same in every lane is no carrier.
        return Batched(self, parts[0]) if static else parts[0]  # type: ignore[return-value]  # `lift` makes it one

    def join(self, a: bool, b: bool, /) -> bool:
        return a or b

    def swapped(self, parts: Sequence[Array], static: bool, /) -> Sequence[Array]:
        return [movement.moveaxis(part, 0, 1) for part in parts] if static else parts

    def coerce(self, value: Batched, static: bool, /) -> Batched:
        return Batched(self, materialized(value, self.size)) if static and not value.batched else value


def materialized(value: Batched, size: int) -> Array:
    """The lanes of `value` along axis 0, repeated if it is not batched."""
    if value.batched:
        return value.value
    return movement.broadcast_to(value.value, (size, *value.value.aval.shape))


def size_of(op: Operation[Batched]) -> int:
    """The number of lanes, read from a batched operand."""
    return next(v.value.aval.shape[0] for v in op.operands if v.batched)
