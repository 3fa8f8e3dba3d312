"""Taylor mode: the handler of derivatives of any order along a curve, and its carrier.

A `Series` is the value of a curve at 0 and its derivatives there up to the order of the handler. Derivatives of
compositions need no rules of their own: every operation's jvp rule gives the derivative of its result as an expression
in its operands, its result, and their derivatives. That expression is performed on series once more, one order lower.
Series are filled in as they are asked for, so a result may occur in its own derivative: exp′ = exp · x′ is solved from
the bottom up. Products and quotients, of which there are many, are done by Leibniz's rule.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import comb
from typing import Any, Final, final

from effects import dtypes
from effects.array import Array, Carrier
from effects.avals import ShapedArray
from effects.chain import Performed, installed, perform
from effects.concrete import Concrete
from effects.depth import deeper
from effects.errors import MissingRule
from effects.functions import arithmetic, creation
from effects.functions.elementwise import negative
from effects.jaxpr import eval_jaxpr
from effects.operation import HigherOrder, Kind, Operation, Single
from effects.operations import (
    REARRANGING,
    Binary,
    BinaryKind,
    Call,
    Checkpoint,
    DotGeneral,
    ReduceKind,
    UnaryKind,
)
from effects.operations.custom_rules import CustomCall
from effects.promotion import constant_like
from handlers.forward import Forward
from handlers.jvp.elementwise import add_tangents, spread
from handlers.jvp.rules import RULES as JVP
from handlers.jvp.rules import Dual, Jvp, Tangent

type Presence = tuple[bool, ...]
"""For each derivative, from the first to that of the handler's order, whether it is there; the others are zero."""

type Rest = Callable[[int], Tangent]
"""A derivative of a series by its number, from those below it."""


@final
class Series(Carrier):
    """x(0), x′(0), x″(0), …: each is worked out when it is first asked for; None where it is zero.

    `rest` gives the derivatives that follow the `found` ones; None: they are all zero.
    """

    __slots__ = ("_derivative", "_rest", "aval", "found")
    owner: Jet
    aval: ShapedArray

    def __init__(self, owner: Jet, aval: ShapedArray, found: list[Tangent], rest: Rest | None) -> None:
        self.owner = owner
        self.aval = aval
        self.found = found
        self._rest = rest
        self._derivative: Series | None = None

    @property
    def constant(self) -> bool:
        """Whether it is known that the value does not vary."""
        return self._rest is None and not any([c is not None for c in self.found[1:]])

    def coefficient(self, k: int) -> Tangent:
        """The k-th derivative."""
        found = self.found
        while len(found) <= k:
            if self._rest is None:
                return None
            found.append(self._rest(len(found)))
        return found[k]

    def value(self, k: int = 0) -> Array:
        """The k-th derivative as an array, be it of zeros."""
        found = self.coefficient(k)
        return creation.zeros(self.aval.shape, dtype=self.aval.dtype) if found is None else found

    @property
    def derivative(self) -> Series:
        """The series of the derivative: the same one without its first entry."""
        if self._derivative is None:
            self._derivative = Series(self.owner, self.aval, [], lambda k: self.coefficient(k + 1))
        return self._derivative

    def known(self) -> Concrete | None:
        return self.value().known()

    def unknown_reason(self) -> str:
        return self.value().unknown_reason()


@final
class Jet(Forward[Series, Presence]):
    """Derivatives up to `order` along a curve: x(t) ↦ f(x(t)), each as its derivatives at t = 0."""

    def __init__(self, order: int) -> None:
        self.order: Final = order
        self._rules: Final = Jvp()  # never installed: the owner of what jvp rules are given
        self._within: dict[Hashable, tuple[Operation[Series], Performed]] | None = None
        """While an operation is interpreted: the results of those performed on its behalf, which may ask for each
        other (sin for cos, cos for sin)."""

    @property
    def key(self) -> Hashable:  # type: ignore[override]  # computed from the order
        return self.order

    def fresh(self) -> Jet:
        return Jet(self.order)

    def constant(self, value: Array, /) -> Series:
        return Series(self, value.aval, [value], None)

    def interpret(self, op: Operation[Series], /) -> Performed:
        if self._within is not None:
            return self._shared(op, self._within)
        self._within = {}
        try:
            results = self._shared(op, self._within)
            return tuple(map(self._complete, results)) if isinstance(results, tuple) else self._complete(results)
        finally:
            self._within = None

    def interpret_higher_order(self, op: HigherOrder[Series], /) -> tuple[Array, ...]:
        if self._within is not None and isinstance(op, Call | Checkpoint):  # in a jvp rule: operands are not complete
            with installed(self), deeper():
                return tuple(eval_jaxpr(op.body, op.operands))
        if isinstance(op, CustomCall) and op.definition.rules & {"jvp", "vjp"}:
            results = self.interpret(op)
            assert isinstance(results, tuple)
            return results
        return super().interpret_higher_order(op)

    def _complete(self, result: Array) -> Array:
        """A result with all its derivatives; the value alone when they are zero."""
        if not isinstance(result, Series) or result.owner is not self:
            return result
        found = [result.coefficient(k) for k in range(self.order + 1)]
        return result.value() if all([c is None for c in found[1:]]) else Series(self, result.aval, found, None)

    def _shared(self, op: Operation[Series], within: dict[Hashable, tuple[Operation[Series], Performed]]) -> Performed:
        """The result of `op`: that of the same operation on the same operands, if there was one."""
        operands = op.operands
        if isinstance(op, CustomCall):  # who calls one learns the structure of its results from running it
            return self._performed(op)
        key = (type(op), op.params, tuple([id(v.found[0] if v.constant else v) for v in operands]))
        if key not in within:
            within[key] = op, self._performed(op)
        return within[key][1]

    def _performed(self, op: Operation[Series]) -> Performed:
        if all([v.constant for v in op.operands]):
            return perform(op.map(Series.value))
        rule = _DIRECT.get(getattr(op, "kind", type(op)))
        if rule is not None:
            return rule(self, op)
        value: Performed = perform(op.map(Series.value))
        derivative = _Derivative(self, op)
        if not isinstance(value, tuple):
            return self._varying(value, lambda: derivative()[0])
        return tuple([self._varying(v, lambda i=i: derivative()[i]) for i, v in enumerate(value)])  # type: ignore[misc]  # bound now

    def _varying(self, value: Array, derivative: Callable[[], Series | None]) -> Array:
        """The series of a result by its value and its derivative."""
        if not dtypes.is_inexact(value.aval.dtype):
            return value

        def rest(k: int) -> Tangent:
            found = derivative()
            return None if found is None else found.coefficient(k - 1)

        return Series(self, value.aval, [value], rest)

    def dual(self, value: Series) -> Dual:
        """What a jvp rule gets of an operand."""
        varies = not value.constant and dtypes.is_inexact(value.aval.dtype)
        return Dual(self._rules, value, value.derivative if varies else None)

    def unpack(self, value: Series, /) -> tuple[tuple[Array, ...], Presence]:
        found = [value.coefficient(k) for k in range(1, self.order + 1)]
        return (value.value(), *[c for c in found if c is not None]), tuple([c is not None for c in found])

    def pack(self, parts: Sequence[Array], static: Presence, /) -> Series:
        given = iter(parts[1:])
        return Series(self, parts[0].aval, [parts[0], *[next(given) if there else None for there in static]], None)

    def join(self, a: Presence, b: Presence, /) -> Presence:
        return tuple([x or y for x, y in zip(a, b, strict=True)])

    def coerce(self, value: Series, static: Presence, /) -> Series:
        found = [value.value(k) if there else None for k, there in enumerate((True, *static))]
        return Series(self, value.aval, found, None)


@final
class _Derivative:
    """The derivatives of the results of an operation, by its jvp rule: worked out on the first call."""

    def __init__(self, handler: Jet, op: Operation[Series]) -> None:
        self._handler: Final = handler
        self._op: Final = op
        self._found: list[Series | None] | None = None
        self._running = False

    def __call__(self) -> list[Series | None]:
        if self._found is None:
            handler = self._handler
            if self._running:
                raise MissingRule(
                    f"jet: the jvp rule of {self._op.name} puts its own result into a conditional or a loop, "
                    "which needs all derivatives of its operands beforehand"
                )
            self._running = True
            op: Any = self._op.map(handler.dual)
            with installed(handler):
                _, tangent = _by_definition(op) if isinstance(op, CustomCall) else JVP[type(op)](op)
            tangents = tangent if isinstance(tangent, Sequence) else (tangent,)
            self._found = [None if t is None else handler.lift(t) for t in tangents]
        return self._found


def _by_definition(op: CustomCall[Dual]) -> tuple[Sequence[Array], Sequence[Tangent]]:
    """The derivative rule that a function brings."""
    definition = op.definition
    if "jvp" not in definition.rules:
        raise MissingRule(
            f"{definition.name} has a rule for reverse mode only, and jet is forward mode; give it a jvp rule too (defjvp)"
        )
    return definition.jvp([x.primal for x in op.operands_], [x.tangent for x in op.operands_])


def _series(handler: Jet, value: Array, rest: Rest) -> Series:
    return Series(handler, value.aval, [value], rest)


def _linear(handler: Jet, op: Single[Series]) -> Series:
    """An operation that is linear in all its operands together: performed on each derivative."""

    def derivative(k: int) -> Tangent:
        if all([v.coefficient(k) is None for v in op.operands]):
            return None
        return perform(op.map(lambda v: v.value(k)))

    return _series(handler, perform(op.map(Series.value)), derivative)


def _sum(handler: Jet, op: Binary[Series]) -> Series:
    """x + y or x - y: what is zero is not added."""
    x, y = op.x, op.y
    value = perform(op.map(Series.value))

    def derivative(k: int) -> Tangent:
        a, b = x.coefficient(k), y.coefficient(k)
        if b is None or op.kind is BinaryKind.ADD:
            total = add_tangents(a, b)
        else:
            total = negative(b) if a is None else arithmetic.subtract(a, b)
        return None if total is None else spread(total, value)

    return _series(handler, value, derivative)


def _times(number: int, x: Array) -> Array:
    return x if number == 1 else arithmetic.multiply(constant_like(number, x), x)


def _product(handler: Jet, op: Binary[Series] | DotGeneral[Series]) -> Series:
    """(x·y)⁽ᵏ⁾ = Σⱼ C(k, j) x⁽ʲ⁾·y⁽ᵏ⁻ʲ⁾."""

    def derivative(k: int) -> Tangent:
        total: Tangent = None
        for j in range(k + 1):
            a, b = op.x.coefficient(j), op.y.coefficient(k - j)
            if a is not None and b is not None:
                parts = iter((a, b))
                term = perform(op.map(lambda _: next(parts)))  # noqa: B023  # used at once
                total = add_tangents(total, _times(comb(k, j), term))
        return total

    return _series(handler, perform(op.map(Series.value)), derivative)


def _quotient(handler: Jet, op: Binary[Series]) -> Series:
    """z = x/y: z⁽ᵏ⁾ = (x⁽ᵏ⁾ - Σⱼ C(k, j) y⁽ʲ⁾·z⁽ᵏ⁻ʲ⁾) / y for j from 1."""
    x, y = op.x, op.y
    divisor = y.value()

    def derivative(k: int) -> Tangent:
        total = x.coefficient(k)
        for j in range(1, k + 1):
            a, b = y.coefficient(j), z.coefficient(k - j)
            if a is not None and b is not None:
                term = _times(comb(k, j), arithmetic.multiply(a, b))
                total = negative(term) if total is None else arithmetic.subtract(total, term)
        return None if total is None else spread(arithmetic.divide(total, divisor), z.value())

    z = _series(handler, perform(op.map(Series.value)), derivative)
    return z


_DIRECT: Final[dict[Kind | type, Callable[[Jet, Any], Series]]] = {
    **dict.fromkeys(REARRANGING, _linear),
    **dict.fromkeys((UnaryKind.NEG, UnaryKind.CONJ, UnaryKind.REAL, UnaryKind.IMAG, BinaryKind.COMPLEX), _linear),
    ReduceKind.SUM: _linear,
    BinaryKind.ADD: _sum,
    BinaryKind.SUB: _sum,
    BinaryKind.MUL: _product,
    BinaryKind.DIV: _quotient,
    DotGeneral: _product,
}
"""Rules that say all derivatives at once; all other operations go by their jvp rules."""
