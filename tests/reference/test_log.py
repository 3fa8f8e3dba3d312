"""Example 25: the operations of example 24, watched on their way through the handlers."""

from __future__ import annotations

import io
from typing import Any

import pytest

import effects as fx
from effects import Array, CustomOp, operation, perform
from handlers import Dual, Jvp, Log, grad, linearize, vmap
from lowering import jit
from tests.reference.agreement import close
from tests.reference.multiply_add import square_add

TWO, TEN, ONE = fx.asarray(2.0), fx.asarray(10.0), fx.asarray(1.0)


def test_evaluation(capsys: pytest.CaptureFixture[str]) -> None:
    with Log():
        close(square_add(TWO, TEN) * 2.0, 28.0)
    assert capsys.readouterr().out == (
        "MultiplyAdd float64[] float64[] float64[] -> float64[]\n"
        "mul float64[] float64[] -> float64[]\n"
    )  # fmt: skip


def test_jvp_seen_from_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    with Log("out: "), Jvp() as handler, Log("in:  "):
        result = square_add(handler.dual(TWO, ONE), handler.dual(TEN, ONE))
    assert isinstance(result, Dual)
    close((result.primal, result.tangent), (14.0, 5.0))
    assert capsys.readouterr().out == (
        "in:  MultiplyAdd float64[] float64[] float64[] -> float64[]\n"
        "out:   MultiplyAdd float64[] float64[] float64[] -> float64[]\n"
        "out:   MultiplyAdd float64[] float64[] float64[] -> float64[]\n"
        "out:   MultiplyAdd float64[] float64[] float64[] -> float64[]\n"
    )


def test_staging(capsys: pytest.CaptureFixture[str]) -> None:
    def f(a: Array, b: Array) -> Array:
        with Log("staged: "):
            return square_add(a, b)

    compiled = jit(f)
    with Log():
        close(compiled(TWO, TEN), 14.0)
    assert capsys.readouterr().out == (
        "staged: MultiplyAdd float64[] float64[] float64[] -> float64[]\n"
        "call[label='f'] float64[] float64[] -> float64[]\n"
    )
    with Log():
        close(compiled(TWO, TEN), 14.0)
    assert capsys.readouterr().out == "call[label='f'] float64[] float64[] -> float64[]\n"


def test_linearisation_and_transposition(capsys: pytest.CaptureFixture[str]) -> None:
    with Log():
        _, lin = linearize(square_add, TWO, TEN)
    assert capsys.readouterr().out == "MultiplyAdd float64[] float64[] float64[] -> float64[]\n"
    with Log():
        close(lin(ONE, ONE), 5.0)
    assert capsys.readouterr().out == "MultiplyAdd float64[] float64[] float64[] -> float64[]\n" * 2
    with Log():
        close(grad(square_add)(TWO, TEN), 4.0)
    assert capsys.readouterr().out.splitlines()[1:] == [
        "mul float64[] float64[] -> float64[]",
        "mul float64[] float64[] -> float64[]",
        "add float64[] float64[] -> float64[]",
    ]


def test_batching(capsys: pytest.CaptureFixture[str]) -> None:
    with Log():
        vmap(square_add)(fx.asarray([2.0, 3.0]), fx.asarray([10.0, 20.0]))
    assert capsys.readouterr().out == "MultiplyAdd float64[2] float64[2] float64[2] -> float64[2]\n"


def test_lowering(capsys: pytest.CaptureFixture[str]) -> None:
    @operation
    class Loud[V](CustomOp[V]):
        x: V

        def types(self: Any) -> Any:
            return self.x.aval

        def evaluate(self: Any) -> Any:
            with Log("meaning: "):
                return fx.sin(self.x) * 2.0

    def loud(x: Array) -> Any:
        with Log("written: "):
            return perform(Loud(x))

    jit(loud)(TWO)
    assert capsys.readouterr().out == (
        "written: Loud float64[] -> float64[]\n"
        "meaning: sin float64[] -> float64[]\n"
        "meaning: mul float64[] float64[] -> float64[]\n"
    )


def test_an_operation_that_raises_is_printed() -> None:
    @operation
    class Broken[V](CustomOp[V]):
        x: V

        def evaluate(self: Any) -> Any:
            raise ZeroDivisionError

    file = io.StringIO()
    with pytest.raises(ZeroDivisionError), Log(file=file):
        perform(Broken(fx.sin(TWO)))
    assert file.getvalue() == "sin float64[] -> float64[]\nBroken float64[] -> an error\n"
