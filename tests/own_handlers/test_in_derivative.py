"""What handlers are told of an operation: whether it is of the program or of a derivative."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

import effects as fx
from effects import Array, CustomOp, Operation, Performed, ShapedArray, operation, perform
from effects.operations import Sort
from effects.program.operation import HigherOrder
from effects.types.avals import Typed
from handlers import OperationHandler, checkpoint, custom_jvp, custom_vjp, grad, jvp, scan, vmap
from handlers.jvp.rules import Dual, Pair
from lowering import jit
from tests.cases import CASES
from tests.cases.case import Case

NOTES: list[tuple[str, bool]] = []
NUMBERS = itertools.count()
X = fx.asarray([0.3, 0.7])


class Noting(OperationHandler):
    number: int
    """Another one each time, so that programs are not shared, in which nothing would be noted again."""

    def interpret(self, op: Operation[Array], /) -> Performed:
        NOTES.append((op.name, self.in_derivative))
        return perform(op)


def notes(f: Callable[..., object], *args: object) -> list[tuple[str, bool]]:
    """The operations that `f` performs, and whether they are of a derivative."""
    NOTES.clear()
    with Noting(next(NUMBERS)):
        f(*args)
    return [*NOTES]


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.smooth and not isinstance(c.op, HigherOrder)], ids=lambda case: case.name
)
def test_of_a_rule_one_operation_is_of_the_program(case: Case) -> None:
    def on_smooth(*xs: Array) -> tuple[Array, ...]:
        values = dict(zip(case.smooth, xs, strict=True))
        return case.all_on(*[values.get(i, x) for i, x in enumerate(case.operands)])

    xs = tuple([case.operands[i] for i in case.smooth])
    performed = [name for name, of_derivative in notes(lambda: jvp(on_smooth, xs, xs)) if not of_derivative]
    zeros = ["broadcast"] if performed[-1:] == ["broadcast"] and case.op.name != "broadcast" else []
    positions = ["iota"] if isinstance(case.op, Sort) else []
    assert performed == [*positions, case.op.name, *zeros]


@operation
class Doubled[V](CustomOp[V]):
    """2x."""

    x: V

    def types(self: Doubled[Typed]) -> ShapedArray:
        return self.x.aval

    def evaluate(self: Doubled[Array]) -> Array:
        return 2.0 * self.x

    def jvp(self: Doubled[Dual]) -> Pair:
        return perform(Doubled(self.x.primal)), None if self.x.tangent is None else 2.0 * self.x.tangent


@custom_jvp
def by_forward_rule(x: Array) -> Array:
    return fx.sin(x)


by_forward_rule.defjvp(lambda primals, tangents: (by_forward_rule(primals[0]), fx.cos(primals[0]) * tangents[0]))


@custom_vjp
def by_backward_rule(x: Array) -> Array:
    return fx.sin(x)


by_backward_rule.defvjp(lambda x: (fx.sin(x), x), lambda x, ct: (jit(lambda ct: fx.cos(x) * ct)(ct),))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("f", "program"),
    [
        (fx.sin, ["sin"]),
        (lambda x: fx.sin(fx.cos(x)), ["cos", "sin"]),
        (jit(fx.sin), ["sin"]),
        (checkpoint(fx.sin), ["sin"]),
        (by_forward_rule, ["cos", "sin"]),
        (by_backward_rule, ["cos", "sin"]),
        (lambda x: scan(lambda c, _: (fx.sin(c), None), x, length=3)[0], ["sin"]),
    ],
)
def test_operations_of_the_program(f: Callable[[Array], Array], program: list[str], compiled: bool) -> None:
    """Products with slopes are of derivatives; what functions with rules do without tangents is of the program."""
    gradient = jit(grad(f)) if compiled else grad(f)
    performed = notes(gradient, fx.asarray(0.5))
    assert {name for name, of_derivative in performed if not of_derivative} - {"broadcast"} == {*program}
    assert "mul" in {name for name, of_derivative in performed if of_derivative}
    assert not any([of_derivative for name, of_derivative in notes(jit(f) if compiled else f, fx.asarray(0.5))])


def test_lanes_keep_what_an_operation_is_of() -> None:
    of_rule = dict(notes(vmap(grad(lambda x: fx.sin(x))), X))
    assert of_rule["sin"] is False
    assert of_rule["cos"] is True


def test_operations_of_ones_own() -> None:
    performed = notes(lambda: jvp(lambda x: perform(Doubled(x)), (X,), (X,)))
    assert performed == [("Doubled", False), ("mul", True)]
