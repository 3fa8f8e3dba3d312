"""What checkpoints save: the memory that XLA plans for, the work it repeats, and the table that says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.operations import DotGeneral
from effects.operations.checkpoint import Policy
from handlers import (
    ResidualOrigin,
    checkpoint,
    checkpoint_name,
    checkpoint_policies,
    cond,
    grad,
    make_jaxpr,
    print_saved_residuals,
    saved_residuals,
)
from lowering import jit

N, LAYERS = 256, 16
_rng: Final = np.random.default_rng(0)
WS: Final = [fx.asarray(_rng.normal(size=(N, N)) / N**0.5, dtype=fx.float32) for _ in range(LAYERS)]
H: Final = fx.asarray(_rng.normal(size=(N, N)), dtype=fx.float32)
X: Final = fx.asarray([0.3, -0.8, 1.2])
W: Final = fx.asarray([[0.2, -0.5, 0.4], [0.1, 0.7, -0.3], [-0.6, 0.2, 0.5]])

type Layer = Callable[[Array, Array], Array]


def layer(w: Array, h: Array) -> Array:
    return fx.tanh(fx.sin(fx.matmul(checkpoint_name(fx.sin(h), "input"), w)))


def gradient(wrap: Callable[[Layer], Layer]) -> Callable[[list[Array], Array], list[Array]]:
    wrapped = wrap(layer)

    def loss(ws: list[Array], h: Array) -> Array:
        for w in ws:
            h = wrapped(w, h)
        return fx.sum(h * h)

    return grad(loss)


def temporaries(wrap: Callable[[Layer], Layer]) -> int:
    return jit(gradient(wrap)).lower(WS, H).compile().memory_analysis().temporaries


def test_memory_falls_as_the_policy_says() -> None:
    plain = temporaries(lambda f: f)
    nothing = temporaries(checkpoint)
    dots = temporaries(lambda f: checkpoint(f, policy=checkpoint_policies.dots_saveable))
    names = temporaries(lambda f: checkpoint(f, policy=checkpoint_policies.save_only_these_names("input")))
    assert nothing < 0.6 * plain
    assert nothing < dots < plain
    assert nothing < names < plain


def test_without_a_barrier_the_compiler_merges() -> None:
    merged = temporaries(lambda f: checkpoint(f, prevent_cse=False))
    assert temporaries(checkpoint) < 0.6 * merged


def _dots(policy: Policy) -> int:
    f = checkpoint(lambda x: fx.sum(fx.sin(W @ fx.sin(W @ x))), policy=policy)
    return str(make_jaxpr(grad(f))(X)).count("dot_general")


def test_work_is_repeated_as_the_policy_says() -> None:
    # 2 forwards, 2 backwards, and those that are repeated: the last one is needed for its sine's derivative.
    assert _dots(checkpoint_policies.nothing_saveable) == 6
    assert _dots(checkpoint_policies.dots_saveable) == 4
    assert _dots(checkpoint_policies.everything_saveable) == 4
    assert _dots(lambda op: type(op) is DotGeneral) == 4


def test_barrier_stands_before_repeated_work_only() -> None:
    def lowered(policy: Policy, prevent_cse: bool = True) -> str:
        f = checkpoint(lambda x: fx.sum(fx.sin(fx.exp(x))), policy=policy, prevent_cse=prevent_cse)
        return str(jit(grad(f)).lower(X).as_text())

    assert lowered(checkpoint_policies.nothing_saveable).count("optimization_barrier") == 1
    assert "optimization_barrier" not in lowered(checkpoint_policies.nothing_saveable, prevent_cse=False)
    assert "optimization_barrier" not in lowered(checkpoint_policies.everything_saveable)
    assert "optimization_barrier" not in str(jit(checkpoint(fx.sin)).lower(X).as_text())


def model(w: Array, x: Array) -> Array:
    hidden = checkpoint_name(fx.sin(w @ x), "hidden")
    return fx.sum(fx.tanh(hidden))


def _rows(policy: Policy) -> list[tuple[ResidualOrigin, str]]:
    return [(row.origin, row.name) for row in saved_residuals(checkpoint(model, policy=policy), W, X)]


def test_table() -> None:
    argument, operation = ResidualOrigin.ARGUMENT, ResidualOrigin.OPERATION
    arguments = [(argument, "w"), (argument, "x")]
    assert sorted(_rows(checkpoint_policies.nothing_saveable), key=str) == arguments
    by_dots = _rows(checkpoint_policies.dots_saveable)
    assert sorted(by_dots, key=str) == [*arguments, (operation, "dot_general")]
    by_name = _rows(checkpoint_policies.save_only_these_names("hidden", "other"))
    assert sorted(by_name, key=str) == [*arguments, (ResidualOrigin.NAMED, "hidden")]
    assert _rows(checkpoint_policies.save_only_these_names("other")) == _rows(checkpoint_policies.nothing_saveable)


def test_table_of_a_function_without_checkpoints() -> None:
    table = saved_residuals(lambda x: fx.sum(W * fx.sin(x) * fx.sin(x)), fx.zeros(3))
    origins = [row.origin for row in table]
    assert ResidualOrigin.CONSTANT in origins
    assert table.bytes == sum(row.bytes for row in table)
    cos = next(row for row in table if row.name == "cos")
    assert (cos.bytes, cos.aval.shape) == (24, (3,))
    assert cos.source is not None and cos.source.file == __file__


def test_table_sees_into_calls_and_names_arguments() -> None:
    table = saved_residuals(jit(lambda p, n: fx.sum(fx.exp(p["a"]) * p["b"]) * n), {"a": X, "b": X}, 3)
    assert {row.name for row in table if row.origin is ResidualOrigin.ARGUMENT} >= {"p['b']"}
    assert {row.name for row in table if row.origin is ResidualOrigin.OPERATION} == {"exp", "convert"}
    whole = saved_residuals(lambda x: fx.sum(cond(x[0] > 0, fx.sin, fx.exp, x)), X)
    assert [row.name for row in whole] == ["cond", "gt"], "of the two branches one is taken: they share a place"


def test_linear_functions_save_nothing() -> None:
    table = saved_residuals(lambda x: 2 * x[0], X)
    assert len(table) == 0
    assert str(table) == "0 residuals, 0 bytes"


def test_printed_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_saved_residuals(checkpoint(model, policy=checkpoint_policies.save_only_these_names("hidden")), W, X)
    lines = capsys.readouterr().out.splitlines()
    assert "float64[3]  24 bytes  argument x" in lines
    assert "float64[3,3]  72 bytes  argument w" in lines
    assert any(line.startswith("float64[3]  24 bytes  named 'hidden' at ") for line in lines)
    assert lines[-1] == "3 residuals, 120 bytes"
