"""The stages of compilation: what they say of a call, their texts and estimates, and options of the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, EffaxError
from effects.trees.pytree import tree_leaves
from handlers import (
    checking,
    checkpoint,
    custom_gradient,
    custom_jvp,
    custom_vjp,
    grad,
    hessian,
    jacfwd,
    jacrev,
    value_and_grad,
    vmap,
)
from lowering import clear_caches, compilation, jit, lower, trace
from lowering.stages import ArgInfo
from tests.reference.agreement import close

W, X = fx.ones((3, 4)), fx.ones(4)
KEPT = fx.asarray([1.0, 2.0, 3.0])


@jit(static_argnums=0, donate_argnums=2)
def layer(n: int, params: dict[str, Any], x: Any, *, scale: Any = 1.0) -> dict[str, Any]:
    """With static, donated, named and closed-over arrays."""
    return {"y": (params["w"] @ x + KEPT) * n, "s": scale * fx.sum(x)}


def stages() -> list[Any]:
    traced = trace(layer, 2, {"w": W}, X, scale=2.0)
    lowered = traced.lower()
    return [traced, lowered, lowered.compile()]


def test_each_says_what_it_is_for() -> None:
    for stage in stages():
        args, kwargs = stage.in_avals
        assert repr((args, kwargs)) == "(({'w': float64[3,4]}, float64[4]), {'scale': float64[]})"
        (params, x), named = stage.args_info
        assert params == {"w": ArgInfo((3, 4), fx.float64, False)}
        assert x == ArgInfo((4,), fx.float64, True)
        assert named == {"scale": ArgInfo((), fx.float64, False)}
        assert repr(stage.out_info) == "{'s': float64[], 'y': float64[3]}"
        assert stage.donate_argnums == (1,)
        assert stage.in_tree.num_leaves == 3
        assert stage.out_tree.num_leaves == 2
    assert stages()[0].fun_name == "layer"
    assert repr(layer.eval_shape(2, {"w": W}, X)) == "{'s': float64[], 'y': float64[3]}"
    plain = trace(fx.sin, X)
    assert plain.donate_argnums == ()
    assert plain.args_info == ((ArgInfo((4,), fx.float64, False),), {})


def test_texts() -> None:
    lowered = lower(lambda w, x: fx.sin(w @ x), W, X)
    for dialect in (None, "stablehlo"):
        text = lowered.as_text(dialect)
        assert "stablehlo.dot_general" in text
        assert "loc(" not in text
        assert "test_stages.py" in lowered.as_text(dialect, debug_info=True)
        assert "stablehlo.sine" in str(lowered.compiler_ir(dialect))
    assert "sine(dot_general" in lowered.as_text("hlo").replace(".1", "").replace("%", "")
    computation: Any = lowered.compiler_ir("hlo")
    assert "sine" in computation.as_hlo_text()
    assert "HloModule" in lowered.compile().as_text()
    with pytest.raises(ArgumentError, match="as_text: dialect must be 'stablehlo' or 'hlo', got 'x'"):
        lowered.as_text("x")  # type: ignore[arg-type]  # no dialect
    with pytest.raises(ArgumentError, match="as_text: debug_info must be True or False, got 1"):
        lowered.as_text(debug_info=1)  # type: ignore[arg-type]  # what is refused


def test_estimates() -> None:
    lowered = lower(lambda w, x: fx.sin(w @ x), W, X)
    cost = lowered.cost_analysis()
    assert cost["flops"] == 2 * 3 * 4
    assert cost["transcendentals"] == 3
    compiled = lowered.compile()
    assert compiled.cost_analysis()["flops"] >= 24
    assert compiled.memory_analysis().arguments == (12 + 4) * 8
    assert compiled.memory_analysis().outputs == 3 * 8


def test_options_of_the_compiler() -> None:
    lowered = lower(lambda w, x: fx.sin(w @ x), W, X)
    expected = np.sin(np.full(3, 4.0))
    given: Any
    for given in (None, {}, {"xla_cpu_enable_fast_math": False, "xla_backend_optimization_level": 0}):
        close(lowered.compile(given)(W, X), expected)
    close(lowered.compile(compiler_options={"xla_embed_ir_in_executable": True})(W, X), expected)
    with pytest.raises(EffaxError, match=r"XLA could not compile .*xla_unheard_of"):
        lowered.compile({"xla_unheard_of": True})
    for wrong in (3, {1: True}, {"xla_dump_to": None}):
        given = wrong
        with pytest.raises(ArgumentError, match="compile: compiler_options must be a dict of names"):
            lowered.compile(given)


TRANSFORMED: dict[str, Callable[[Any], Any]] = {
    "grad": grad,
    "value_and_grad": value_and_grad,
    "hessian": hessian,
    "jacfwd": jacfwd,
    "jacrev": jacrev,
    "vmap": vmap,
    "checkpoint": checkpoint,
    "checking": checking,
    "custom_jvp": lambda f: custom_jvp(lambda p, t: (f(*p), 7.0 * t[0]))(f),
    "custom_vjp": lambda f: custom_vjp(lambda x: (f(x), None), lambda _, g: (7.0 * g,))(f),
    "custom_gradient": lambda f: custom_gradient(lambda x: (f(x), lambda g: 7.0 * g)),
    "jit": jit,
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_the_program_of_what_a_jitted_function_became(name: str) -> None:
    transformed = TRANSFORMED[name](jit(lambda x: fx.sum(fx.sin(x) ** 2)))
    compiled = lower(transformed, X).compile()
    for ours, expected in zip(tree_leaves(compiled(X)), tree_leaves(transformed(X)), strict=True):
        close(ours, np.asarray(expected))
    assert name == "jit" or not hasattr(transformed, "lower")


def scaled(x: Any) -> Any:
    return fx.sum(KEPT) * fx.cos(x)


def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the programs that are compiled from now on."""
    names: list[str] = []
    compile_module = compilation.compile_module

    def counted(module: Any, *rest: Any) -> Any:
        names.append(module.ir.operation.attributes["sym_name"].value)
        return compile_module(module, *rest)

    clear_caches()
    monkeypatch.setattr(compilation, "compile_module", counted)
    return names


def test_all_ways_to_compile_share_what_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = compilations(monkeypatch)

    def ways(g: Callable[[Any], Any]) -> list[Callable[[], object]]:
        f = jit(g)
        lowered = lower(f, X)
        return [
            lowered.compile,
            lambda: lower(f, X).compile(),
            lambda: f(X),
            lambda: jit(g)(X),
            trace(g, X).lower().compile,
        ]

    for first in range(5):
        clear_caches()
        ways(scaled)[first]()
        for way in ways(scaled):
            way()
        assert compiled == ["scaled"]
        compiled.clear()


def test_a_donating_call_finds_what_was_compiled_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = compilations(monkeypatch)
    lower(layer, 2, {"w": W}, X, scale=2.0).compile()
    for scale in (2.0, 3.0):
        close(layer(2, {"w": W}, fx.ones(4), scale=scale)["s"], np.asarray(4.0 * scale))
    assert compiled == ["layer"]
    layer(3, {"w": W}, fx.ones(4), scale=2.0)
    assert compiled == ["layer"] * 2


def test_options_are_programs_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = compilations(monkeypatch)
    lowered = lower(fx.tan, X)
    for options in ({}, {"xla_backend_optimization_level": 1}, {"xla_backend_optimization_level": True}):
        for _ in range(2):
            lowered.compile(options)
    assert len(compiled) == 3
