"""Marked tests run their programs by StableHLO's interpreter, unless it lacks the words; the others run them by XLA."""

from __future__ import annotations

import numpy as np
import pytest

import effects as fx
from handlers import grad, scan
from lowering import jit, lower, pjrt
from lowering.pjrt import Executable, compiling
from lowering.pjrt.mesh import Placement
from lowering.pjrt.options import Options, compile_options
from tests.interpretation import Interpreted


def program(x: fx.Array) -> fx.Array:
    return fx.sum(scan(lambda c, y: (fx.sin(c) * y, fx.erf(c)), x[0], x)[1])


def run_by(monkeypatch: pytest.MonkeyPatch, x: fx.Array) -> list[bool]:
    """For each program that is compiled whether the interpreter runs it, where results are right."""
    by_interpreter: list[bool] = []
    compile_here = pjrt.compile_module

    def observed(*args: object) -> Executable:
        executable = compile_here(*args)  # type: ignore[arg-type]  # as they are given
        by_interpreter.append(isinstance(executable.raw, Interpreted))
        return executable

    monkeypatch.setattr(pjrt, "compile_module", observed)
    fresh = float(np.random.default_rng().random())  # so that it is compiled here
    expected = grad(lambda x: program(x) * fresh)(x)
    np.testing.assert_allclose(jit(grad(lambda x: program(x) * fresh))(x), expected, 1e-12)
    return by_interpreter


@pytest.mark.interpreted
def test_marked_tests_are_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(run_by(monkeypatch, fx.asarray([0.5, 2.0, -1.0]))) == {True}


def test_others_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(run_by(monkeypatch, fx.asarray([0.5, 2.0, -1.0]))) == {False}


@pytest.mark.unoptimised
def test_those_that_go_without_optimisations(monkeypatch: pytest.MonkeyPatch) -> None:
    levels: list[object] = []

    def observed(placement: Placement, options: Options = (), n_outputs: int = 0) -> object:
        levels.append(dict(options).get("xla_backend_optimization_level"))
        return compile_options(placement, options, n_outputs)

    monkeypatch.setattr(compiling, "compile_options", observed)
    assert set(run_by(monkeypatch, fx.asarray([0.5, 2.0, -1.0]))) == {False}
    assert set(levels) == {0}


@pytest.mark.interpreted
def test_what_the_interpreter_does_not_know_is_compiled() -> None:
    z = fx.asarray([1 + 2j, 3j])
    np.testing.assert_allclose(jit(lambda z: z * 2)(z), np.asarray(z) * 2)
    np.testing.assert_allclose(jit(fx.linalg.cholesky)(fx.eye(3) * 4), 2 * np.eye(3))


@pytest.mark.interpreted
def test_what_xla_says_of_a_program_is_asked_of_it() -> None:
    compiled = lower(jit(program), fx.asarray([1.0])).compile()
    assert compiled.as_text().startswith("HloModule program")
    assert compiled.memory_analysis().outputs == 8
