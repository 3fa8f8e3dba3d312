"""`jit(f, fold=True)`: what is computed of closed-over arrays alone is computed once, and nothing else changes; what is
computed of numbers alone is a number in every compiled program.
"""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import pytest
import scipy.special as sp

import effects as fx
from effects import ArgumentError
from handlers import cond, debug_print, grad, scan, vmap
from lowering import jit, lower, trace

DATA: Final = fx.asarray(np.linspace(0.5, 2.0, 1000))


def loss(w: Any) -> Any:
    centred = jit(lambda x: fx.log(x) - fx.mean(x))(DATA)
    return w * fx.sum(centred**2) + fx.sum(fx.tanh(fx.sum(centred) * w) * fx.ones(3))


def test_the_program_has_what_was_computed_of_the_data() -> None:
    program = trace(jit(loss, fold=True), 1.0).jaxpr
    assert [aval.shape for aval in program.in_avals] == [(), (), ()]
    assert not {"log", "reduce_mean"} & {str(eqn.op) for eqn in program.eqns}
    assert len(program.eqns) < len(trace(jit(loss), 1.0).jaxpr.eqns)


def test_results_are_those_of_the_function_in_every_order() -> None:
    folded, w = jit(loss, fold=True), fx.asarray([0.25, 0.5])
    np.testing.assert_allclose(folded(0.5), loss(0.5), rtol=1e-14)
    np.testing.assert_allclose(grad(folded)(0.5), grad(loss)(0.5), rtol=1e-14)
    np.testing.assert_allclose(vmap(grad(folded))(w), vmap(grad(loss))(w), rtol=1e-14)
    np.testing.assert_allclose(jit(vmap(grad(loss)), fold=True)(w), vmap(grad(loss))(w), rtol=1e-14)
    np.testing.assert_allclose(jit(lambda w: folded(w) + grad(folded)(w))(0.5), loss(0.5) + grad(loss)(0.5), rtol=1e-14)


def test_loops_and_branches_take_what_was_computed() -> None:
    def f(w: Any) -> Any:
        total = fx.sum(DATA)
        w, _ = scan(lambda w, x: (w * total + x, None), w, DATA[:4] * 2)
        return cond(w > 0, lambda: w * fx.max(DATA), lambda: w)

    np.testing.assert_allclose(jit(f, fold=True)(0.5), jit(f)(0.5), rtol=1e-14)


def test_arrays_of_a_handler_are_no_data() -> None:
    def f(x: Any) -> Any:
        return jit(lambda w: w * fx.sum(x * DATA), fold=True)(2.0)

    np.testing.assert_allclose(grad(f)(0.5), 2 * fx.sum(DATA), rtol=1e-14)
    np.testing.assert_allclose(jit(f)(0.5), fx.sum(DATA), rtol=1e-14)


def test_results_that_are_data_alone_and_programs_without_any() -> None:
    total, first, w = jit(lambda w: (fx.sum(DATA), DATA[0], w), fold=True)(1.0)
    assert (float(total), float(first), float(w)) == (float(fx.sum(DATA)), 0.5, 1.0)
    assert jit(lambda w: w + 1, fold=True)(1.0) == 2.0
    assert jit(lambda: fx.sum(DATA), fold=True)() == fx.sum(DATA)


def test_what_happens_at_a_call_happens_at_each(capfd: pytest.CaptureFixture[str]) -> None:
    def f(w: Any) -> Any:
        debug_print("total {}", fx.sum(DATA[:2]))
        return w * fx.sum(DATA)

    folded = jit(f, fold=True)
    assert folded(1.0) == folded(1.0)
    assert capfd.readouterr().out.count("total") == 2


def test_fold_is_a_bool() -> None:
    with pytest.raises(ArgumentError, match="jit: fold"):
        jit(loss, fold=1)  # type: ignore[arg-type]  # what is tested


def test_numbers_are_computed_before_a_program_is_compiled() -> None:
    def decided(x: Any) -> Any:
        scale = fx.special.gammaln(fx.where(fx.greater(2.0, 1.0), 5.5, 0.5))
        return cond(scale > 1e3, lambda x: fx.sin(x), lambda x: x * scale, x)

    x = fx.asarray([0.5, fx.inf])
    text = lower(lambda x: fx.stats.gamma.logpdf(x, 2.5, scale=2.0), x).compile().as_text()
    assert "conditional" not in text
    assert "divide" not in text
    text = lower(grad(lambda x: fx.sum(decided(x))), x).as_text()
    assert not set(re.findall("sine|cosine|case|compare|log|call", text))
    twice = jit(lambda x: decided(decided(x) + 1))(x)
    np.testing.assert_allclose(twice, sp.gammaln(5.5) * (sp.gammaln(5.5) * np.asarray(x) + 1), rtol=1e-15)
