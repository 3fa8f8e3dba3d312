"""The handler of Taylor mode.

Derivatives of compositions need no rules of their own: every operation's jvp rule gives the derivative of its result
as an expression in its operands, its result, and the operands' derivatives. That expression is performed on series once
more, one order lower.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, final

from effects.arrays.array import Array
from effects.errors import MissingRule
from effects.operations.custom_rules import CustomCall
from effects.operations.higher_order import CallLike
from effects.program.chain import Performed, installed, perform
from effects.program.jaxpr import eval_jaxpr
from effects.program.operation import HigherOrder, Operation
from effects.runtime.cpython.recursion import deeper
from effects.types import dtypes
from handlers.forward import Forward
from handlers.jvp.rules import RULES as JVP, Dual, Jvp, Tangent
from handlers.taylor.rules import DIRECT
from handlers.taylor.series import Series

type Presence = tuple[bool, ...]
"""For each derivative, from the first to the order of the handler, False if it is zero."""


@final
class Jet(Forward[Series, Presence]):
    """Derivatives up to `order` along a curve: x(0), x′(0), … ↦ f(x(t)), its derivatives at t = 0.

    >>> import effects as fx
    >>> with Jet(2) as handler:
    ...     t = handler.curve([fx.asarray(0.0), fx.asarray(1.0), None])
    ...     y = fx.exp(2.0 * t)
    ...     derivatives = [y.value(k) for k in range(3)]
    >>> derivatives
    [Array(1., float64), Array(2., float64), Array(4., float64)]
    """

    augments = True
    loses = True

    def __init__(self, order: int) -> None:
        self.order: Final = order
        self._rules: Final = Jvp()  # never installed: the owner of what jvp rules are given
        self._within: dict[Hashable, tuple[Operation[Series], Performed]] | None = None
        """While an operation is interpreted, the results of operations performed by its rule, which may depend on each
        other (sin on cos, cos on sin).
        """

    @property
    def key(self) -> Hashable:  # type: ignore[override]  # computed from the order
        return self.order

    def fresh(self) -> Jet:
        return Jet(self.order)

    def constant(self, value: Array, /) -> Series:
        return self.curve([value])

    def curve(self, derivatives: Sequence[Tangent]) -> Series:
        """The carrier with these derivatives, the value first; None, and all further derivatives, are zero."""
        value = derivatives[0]
        assert value is not None, "a curve has a value"
        return Series(self, value.aval, list(derivatives), None)

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
        if self._within is not None and isinstance(op, CallLike):  # in a jvp rule, where operands are not complete
            with installed(self), deeper():
                return tuple(eval_jaxpr(op.body, op.operands))
        if isinstance(op, CustomCall) and op.definition.rules & {"jvp", "vjp"}:
            results = self.interpret(op)
            assert isinstance(results, tuple)
            return results
        return super().interpret_higher_order(op)

    def _complete(self, result: Array) -> Array:
        """A result with all its derivatives computed; the value alone if they are zero."""
        if not isinstance(result, Series) or result.owner is not self:
            return result
        coefficients = [result.coefficient(k) for k in range(self.order + 1)]
        return result.value() if all([c is None for c in coefficients[1:]]) else self.curve(coefficients)

    def _shared(self, op: Operation[Series], within: dict[Hashable, tuple[Operation[Series], Performed]]) -> Performed:
        """The result of `op`, shared by equal operations on the same operands."""
        operands = op.operands
        if isinstance(op, CustomCall):  # the caller learns the structure of its results by running it
            return self._performed(op)
        key = (type(op), op.params, tuple([id(v.known_coefficients[0] if v.constant else v) for v in operands]))
        if key not in within:
            within[key] = op, self._performed(op)
        return within[key][1]

    def _performed(self, op: Operation[Series]) -> Performed:
        if all([v.constant for v in op.operands]):
            return perform(op.map(Series.value))
        rule = DIRECT.get(getattr(op, "kind", type(op)))
        if rule is not None:
            return rule(op)
        value: Performed = perform(op.map(Series.value))
        derivative = _Derivative(self, op)
        if not isinstance(value, tuple):
            return self._varying(value, lambda: derivative()[0])
        return tuple([self._varying(v, lambda i=i: derivative()[i]) for i, v in enumerate(value)])  # type: ignore[misc]  # bound now

    def _varying(self, value: Array, derivative: Callable[[], Series | None]) -> Array:
        """The series of a result, from its value and its derivative."""
        if not dtypes.is_inexact(value.aval.dtype):
            return value

        def rest(k: int) -> Tangent:
            series = derivative()
            return None if series is None else series.coefficient(k - 1)

        return Series(self, value.aval, [value], rest)

    def dual(self, value: Series) -> Dual:
        """The operand for a jvp rule."""
        varies = not value.constant and dtypes.is_inexact(value.aval.dtype)
        return Dual(self._rules, value, value.derivative if varies else None)

    def unpack(self, value: Series, /) -> tuple[tuple[Array, ...], Presence]:
        coefficients = [value.coefficient(k) for k in range(1, self.order + 1)]
        return (value.value(), *[c for c in coefficients if c is not None]), tuple(
            [c is not None for c in coefficients]
        )

    def pack(self, parts: Sequence[Array], static: Presence, /) -> Series:
        coefficients = iter(parts[1:])
        return self.curve([parts[0], *[next(coefficients) if present else None for present in static]])

    def join(self, a: Presence, b: Presence, /) -> Presence:
        return tuple([x or y for x, y in zip(a, b, strict=True)])

    def coerce(self, value: Series, static: Presence, /) -> Series:
        return self.curve([value.value(k) if present else None for k, present in enumerate((True, *static))])


@final
class _Derivative:
    """The derivatives of the results of an operation by its jvp rule, computed at the first call."""

    def __init__(self, handler: Jet, op: Operation[Series]) -> None:
        self._handler: Final = handler
        self._op: Final = op
        self._lifted: list[Series | None] | None = None
        self._running = False

    def __call__(self) -> list[Series | None]:
        if self._lifted is None:
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
            self._lifted = [None if t is None else handler.lift(t) for t in tangents]
        return self._lifted


def _by_definition(op: CustomCall[Dual]) -> tuple[Sequence[Array], Sequence[Tangent]]:
    """The custom derivative rule of a function."""
    definition = op.definition
    if "jvp" not in definition.rules:
        raise MissingRule(
            f"{definition.name} has a rule for reverse mode only, and jet is forward mode; "
            "give it a jvp rule too (defjvp)"
        )
    return definition.jvp([x.primal for x in op.operands_], [x.tangent for x in op.operands_])
