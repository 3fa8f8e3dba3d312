"""The row of users' operations that hold programs: each means its `expand`, and keeps the rules that it brings.

Without a rule it is what it expands to, under every handler. With one it is a function with rules of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from typing import Any, cast, final

from effects.arrays.array import Array
from effects.errors import ArgumentError, MissingRule
from effects.operations.custom_rules import CustomCall, Rule, Sparse
from effects.program.chain import installed
from effects.program.custom import CustomHigherOrder, CustomOp
from effects.types.avals import ShapedArray
from handlers.contracts import checked_batch, checked_evaluate, checked_jvp, checked_transpose
from handlers.forward import FORWARD, Forward
from handlers.higher_order.custom_definitions import Stageable
from handlers.jvp.rules import Dual, Jvp
from handlers.partial_eval import PARTIAL_EVAL, PartialEval
from handlers.requests.link import IN_PLACE
from handlers.stateful.link import STAGED
from handlers.transpose.rules import LINEAR, RULES as TRANSPOSE, Cotangents
from handlers.vmap.rules import Batched, Vmap

_RULES: tuple[Rule, ...] = ("jvp", "transpose", "batch")


@final
class Expanded(Stageable):
    """Definition of a user's operation that expands to others: the expansion, and the operation's own rules."""

    def __init__(self, op: CustomHigherOrder[Any]) -> None:
        self.op = op.map(lambda _: None)
        self.avals: tuple[ShapedArray, ...] = tuple([x.aval for x in op.operands])
        self.name = op.name
        self.rules = _rules_of(op)
        if "transpose" in self.rules:
            self.linear = _linear(op)

    @property
    def key(self) -> Hashable:
        return type(self.op), self.op.params, self.avals

    def _on[V](self, operands: Sequence[V]) -> CustomHigherOrder[V]:
        following = iter(operands)
        return cast("CustomHigherOrder[V]", self.op.map(lambda _: next(following)))

    def call(self, operands: Sequence[Array], /) -> list[Array]:
        return list(expanded(self._on(operands)))

    def jvp(self, primals: Sequence[Array], tangents: Sequence[Array | None], /) -> tuple[list[Array], Sparse]:
        owner = Jvp(self.name)
        op: Any = self._on([Dual(owner, x, t) for x, t in zip(primals, tangents, strict=True)])
        values, rates = checked_jvp(op, op.jvp())
        assert isinstance(values, tuple) and isinstance(rates, tuple), "it has several results"
        return list(values), list(rates)

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array], /) -> tuple[list[Array], list[bool]]:
        owner = Vmap(size)
        op: Any = self._on([Batched(owner, x, flag) for x, flag in zip(operands, batched, strict=True)])
        values, flags = checked_batch(op, op.batch(), size)
        assert isinstance(values, tuple) and isinstance(flags, tuple), "it has several results"
        return list(values), list(flags)

    def transpose(self, operands: Sequence[Array | None], cotangents: Sequence[Array | None], /) -> Sparse:
        op: Any = self._on([LINEAR[aval] if x is None else x for x, aval in zip(operands, self.avals, strict=True)])
        return checked_transpose(op, op.transpose(tuple(cotangents)), [x is None for x in operands])


def expanded(op: CustomHigherOrder[Any]) -> tuple[Array, ...]:
    """The results of what an operation expands to."""
    results = checked_evaluate(cast("CustomOp[Array]", op), op.evaluate())
    assert isinstance(results, tuple), "it has several results"
    return results


def _linear(op: CustomHigherOrder[Any]) -> tuple[bool, ...]:
    """Flags of the operands in which an operation with a transposition rule is linear, by the fields it names."""
    numbers = itertools.count()
    places: Any = op.map(lambda _: next(numbers))
    for name in op.linear:
        if not hasattr(places, name):
            raise ArgumentError(f"{op.name}.linear names the operand {name!r}, and {op.name} has no such field")
    of_fields = [getattr(places, name) for name in op.linear]
    linear = {i for field in of_fields for i in (field if isinstance(field, tuple) else (field,))}
    if not linear and type(op).jvp is CustomOp.jvp:
        raise MissingRule(
            f"{op.name} has a transposition rule, and its derivative is not known: say in which operands it is linear, "
            f'linear = ("x",), or write the method `jvp(self)` of {op.name}'
        )
    return tuple([i in linear for i in range(len(op.operands))])


def _rules_of(op: CustomHigherOrder[Any]) -> frozenset[Rule]:
    """The rules that the class of an operation brings."""
    return frozenset([rule for rule in _RULES if getattr(type(op), rule) is not getattr(CustomOp, rule)])


@FORWARD.rule(CustomHigherOrder)
@STAGED.rule(CustomHigherOrder)
@IN_PLACE.rule(CustomHigherOrder)
def forward_expanded(handler: Forward[Any, Any], op: CustomHigherOrder[Any]) -> tuple[Array, ...]:
    if _rules_of(op):
        return handler.interpret_higher_order(CustomCall(Expanded(op), None, op.operands))
    with installed(handler):
        return expanded(op)


@PARTIAL_EVAL.rule(CustomHigherOrder)
def partial_eval_expanded(handler: PartialEval, op: CustomHigherOrder[Array]) -> tuple[Array, ...]:
    return handler.record_all(op)


@TRANSPOSE.rule(CustomHigherOrder)
def transpose_expanded(op: CustomHigherOrder[Array], cotangents: Cotangents) -> Sequence[Array | None]:
    definition = Expanded(op)
    body, captured, _ = definition.staged(definition.avals)
    return TRANSPOSE[CustomCall](CustomCall(definition, body, (*captured, *op.operands)), cotangents)
