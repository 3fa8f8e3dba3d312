"""Examples 22 and 23: under jit everything is written down, and what a function closes over is an argument."""

from __future__ import annotations

import re

import numpy as np

import effects as fx
from effects import Array
from handlers import make_jaxpr
from lowering import jit
from tests.reference.agreement import close


def lower_triangle(x: Array) -> Array:
    n, m = x.shape
    assert type(n) is int
    assert type(m) is int
    mask = fx.arange(n)[:, None] > fx.arange(m)
    return fx.where(mask, x, 0)


def test_operations_without_data_dependence_are_staged() -> None:
    text = jit(lower_triangle).lower(fx.ones((300, 200))).as_text()
    assert "stablehlo.iota" in text
    assert "stablehlo.compare" in text
    assert "x200xi1" not in "".join(line for line in text.splitlines() if "stablehlo.constant" in line)
    assert not re.search(r'stablehlo.constant dense<["\[]', text)  # a constant of many elements lists or packs them
    assert len(text) < 3000


def test_the_mask_does_what_it_says() -> None:
    x = np.arange(12.0).reshape(4, 3) + 1
    close(jit(lower_triangle)(fx.asarray(x)), np.tril(x, -1))


def test_side_effects_happen_while_tracing_only() -> None:
    seen: list[str] = []

    @jit
    def f(x: Array) -> Array:
        seen.append(str(x.aval))
        return x + 1.0

    for _ in range(3):
        f(fx.ones(2))
    assert seen == ["float64[2]"]


def test_a_closed_over_array_is_an_argument() -> None:
    table = fx.asarray(np.arange(1000.0))

    def f(x: Array) -> Array:
        return x + table

    program = make_jaxpr(f)(fx.asarray(1.0))
    assert [str(v.aval) for v in program.inputs] == ["float64[1000]", "float64[]"]
    text = jit(f).lower(1.0).as_text()
    assert "stablehlo.constant" not in text
    assert "tensor<1000xf64>, %arg1: tensor<f64>" in text
    close(jit(f)(fx.asarray(1.0)), np.arange(1000.0) + 1)


def test_a_number_is_a_literal_and_an_array_an_input() -> None:
    scale = fx.asarray(2.5)
    assert len(make_jaxpr(lambda x: x * scale)(1.0).inputs) == 2
    for program in (make_jaxpr(lambda x: x * 2.5)(1.0), make_jaxpr(lambda x: x * fx.asarray(2.5))(1.0)):
        assert len(program.inputs) == 1
        assert "2.5" in str(program)
