"""The checks themselves: a wrong rule, planted in a handler's column, is caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from effects.operations.elementwise import Binary, Unary
from effects.operations.loops import Scan
from effects.operations.reduction import Reduce
from handlers.jvp.rules import RULES as JVP
from handlers.transpose.rules import RULES as TRANSPOSE
from handlers.vmap.rules import RULES as VMAP
from tests.compositions.closure import CHECKS, call, composed
from tests.compositions.programs import PROGRAMS
from tests.compositions.programs_control_flow import EVERY_MODE


def check(name: str, transformation: str) -> None:
    program = PROGRAMS[name] if name in PROGRAMS else EVERY_MODE[name].program
    CHECKS[transformation](program, call(composed((transformation,), program)))


def wrong_sign(rule: Callable[..., Any]) -> Callable[..., Any]:
    def jvp_unary(op: Unary[Any]) -> Any:
        primal, tangent = rule(op)
        return primal, -tangent

    return jvp_unary


def twice(rule: Callable[..., Any]) -> Callable[..., Any]:
    def transpose_binary(op: Binary[Any], cotangent: Any) -> Any:
        return [None if ct is None else ct * 2.0 for ct in rule(op, cotangent)]

    return transpose_binary


def wrong_lanes(rule: Callable[..., Any]) -> Callable[..., Any]:
    def batch_reduce(op: Reduce[Any]) -> Any:
        value, batched = rule(op)
        return value[::-1], batched

    return batch_reduce


@pytest.mark.parametrize(
    ("column", "operation", "plant", "program", "transformation"),
    [
        (JVP, Unary, wrong_sign, "elementwise", "jvp"),
        (JVP, Unary, wrong_sign, "elementwise", "linearize"),
        (TRANSPOSE, Binary, twice, "elementwise", "grad"),
        (VMAP, Reduce, wrong_lanes, "reductions", "vmap"),
        (TRANSPOSE, Scan, twice, "logistic map", "grad"),
        (TRANSPOSE, Scan, twice, "logistic map", "vjp"),
    ],
)
def test_a_wrong_rule_is_caught(
    column: Any,
    operation: type[Any],
    plant: Callable[[Callable[..., Any]], Callable[..., Any]],
    program: str,
    transformation: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check(program, transformation)
    monkeypatch.setitem(column, operation, plant(column[operation]))
    with pytest.raises(AssertionError):
        check(program, transformation)
