"""Expressions that mypy checks, run at sizes that stand for the dimensions in the types of their parts."""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import cached_property
from typing import Final, NamedTuple

from mypy.nodes import (
    ARG_NAMED,
    ARG_POS,
    GDEF,
    CallExpr,
    ComparisonExpr,
    EllipsisExpr,
    Expression,
    FloatExpr,
    IndexExpr,
    IntExpr,
    LambdaExpr,
    ListExpr,
    MemberExpr,
    NameExpr,
    OpExpr,
    ReturnStmt,
    SliceExpr,
    StrExpr,
    TupleExpr,
    UnaryExpr,
)
from mypy.types import Type

from effects.check.dims import Bound, NotSaid
from effects.check.meanings import Maker, Meaning
from effects.check.staging import Outcome, check
from effects.mypy_plugin.modules import Module, bounded
from effects.mypy_plugin.shapes import Reader, sized, text

_CONSTANTS: Final = {"True", "False", "None"}


class Answer(NamedTuple):
    """Outcome of a call: the shapes of its results by names, and the problem."""

    shapes: object
    outcome: Outcome


class Call:
    """An expression as a function of the parts whose shapes mypy knows."""

    def __init__(
        self, expression: Expression, reader: Reader, type_of: Callable[[Expression], Type | None], module: Module
    ) -> None:
        self.name, self.line = "expression", expression.line
        self.parameters: dict[str, Meaning] = {}
        self.local: list[str] = []
        """Names of variables in it."""
        self._reader, self._type_of, self._module = reader, type_of, module
        self._globals: dict[str, str] = {}
        self._results: list[tuple[object, Bound]] = []
        body = self._written(expression, frozenset(), True)
        self._text = f"lambda {', '.join(self.parameters)}: {body}"
        self.key = f"{self._text} {self._globals} {[text(one) for one in self.parameters.values()]}"

    def arguments(self, maker: Maker) -> tuple[list[object], dict[str, object]]:
        """Values of its parts."""
        return [one.make(maker) for one in self.parameters.values()], {}

    def gives(self, result: object, bound: Bound) -> None:
        """Notes the shapes of a result."""
        self._results.append((result, bound))

    @cached_property
    def run(self) -> Callable[..., object]:
        """The function, of these parts."""
        function: Callable[..., object] = eval(self._text, dict(self._module.names))
        return function

    @property
    def code(self) -> types.CodeType:
        """Its code."""
        assert isinstance(self.run, types.FunctionType)
        return self.run.__code__

    def answer(self) -> Answer:
        """Outcome at two sets of sizes."""
        with bounded():
            outcome = check(self, frozenset())
        if len(self._results) != 2:
            return Answer(None, outcome)
        (one, bound), (two, other_bound) = self._results
        return Answer(sized(one, two, bound, other_bound), outcome)

    def _written(self, e: Expression, own: frozenset[str], full: bool = False) -> str:
        """The expression in Python, with names in place of what has shapes; `own` are those of lambdas around it."""
        if not full and (name := self._part(e, own)) is not None:
            return name

        def write(inner: Expression) -> str:
            return self._written(inner, own)

        match e:
            case IntExpr() | StrExpr() | FloatExpr():
                return repr(e.value)
            case EllipsisExpr():
                return "..."
            case NameExpr(name=name) if name in own or name in _CONSTANTS:
                return name
            case NameExpr(name=name) if e.kind == GDEF and (origin := self._module.origin(name)) is not None:
                self._globals[name] = origin
                return name
            case MemberExpr():
                return f"{write(e.expr)}.{e.name}"
            case IndexExpr():
                return f"{write(e.base)}[{write(e.index)}]"
            case SliceExpr():
                parts = (e.begin_index, e.end_index, e.stride)
                return f"slice({', '.join(['None' if one is None else write(one) for one in parts])})"
            case TupleExpr():
                return f"({''.join([f'{write(item)}, ' for item in e.items])})"
            case ListExpr():
                return f"[{', '.join(map(write, e.items))}]"
            case OpExpr():
                return f"({write(e.left)} {e.op} {write(e.right)})"
            case UnaryExpr():
                return f"({e.op} {write(e.expr)})"
            case ComparisonExpr(operators=[operator], operands=[left, right]):
                return f"({write(left)} {operator} {write(right)})"
            case CallExpr() if all([kind in (ARG_POS, ARG_NAMED) for kind in e.arg_kinds]):
                args = [f"{name}={write(a)}" if name else write(a) for name, a in zip(e.arg_names, e.args)]
                return f"{write(e.callee)}({', '.join(args)})"
            case LambdaExpr() if all([kind == ARG_POS for kind in e.arg_kinds]):
                names = [name for name in e.arg_names if name is not None]
                (returned,) = e.body.body
                assert isinstance(returned, ReturnStmt) and returned.expr is not None
                return f"(lambda {', '.join(names)}: {self._written(returned.expr, own.union(names))})"
        raise NotSaid(f"a {type(e).__name__}")

    def _part(self, e: Expression, own: frozenset[str]) -> str | None:
        """A name for an expression whose shapes are known; in a lambda, for a variable around it."""
        if isinstance(e, LambdaExpr) or (own and (not isinstance(e, NameExpr) or e.name in own)):
            return None
        t = self._type_of(e)
        if t is None:
            return None
        try:
            one = self._reader.meaning(t)
        except NotSaid:
            return None
        if not one.arrays:
            return None
        if isinstance(e, NameExpr):
            self.local.append(e.name)
        name = f"_{len(self.parameters)}"
        self.parameters[name] = one
        return name
