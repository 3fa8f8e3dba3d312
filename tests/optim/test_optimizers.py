"""Optimisers beside their formulas in NumPy: eager, compiled, in loops and in lanes, in every precision."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from handlers import grad, scan, vmap
from lowering import jit
from tests.optim import formulas

optim = fx.optim
OPTIMIZERS: Final[dict[str, tuple[Any, formulas.Rule]]] = {
    "sgd": (optim.sgd(0.1), formulas.sgd),
    "momentum": (optim.momentum(0.1), formulas.momentum),
    "nesterov": (optim.momentum(0.1, nesterov=True), formulas.nesterov),
    "adam": (optim.adam(0.1), formulas.adam),
    "nadam": (optim.adam(0.1, nesterov=True), formulas.nadam),
    "adamw": (optim.adamw(0.1, weight_decay=0.01), formulas.adamw),
    "lion": (optim.lion(0.1, weight_decay=0.01), formulas.lion),
    "rmsprop": (optim.rmsprop(0.1), formulas.rmsprop),
    "centred": (optim.rmsprop(0.1, centered=True), formulas.centred),
    "adagrad": (optim.adagrad(0.1), formulas.adagrad),
    "lamb": (optim.lamb(0.1, weight_decay=0.01), formulas.lamb),
    "adafactor": (optim.adafactor(0.1, min_dim_size_to_factor=4), formulas.adafactor),
    "diagonal_shampoo": (optim.diagonal_shampoo(0.1), formulas.diagonal_shampoo),
}
SHAPES: Final = {"matrix": (4, 6), "tall": (7, 5), "vector": (3,), "scalar": (), "tensor": (2, 3, 2), "none": (0, 2)}
STEPS: Final = 30
each = pytest.mark.parametrize("name", OPTIMIZERS)


def trees(seed: int, count: int, complex_numbers: bool = False) -> list[dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)

    def numbers(shape: tuple[int, ...]) -> np.ndarray:
        real = np.asarray(rng.normal(size=shape))
        return real + 1j * rng.normal(size=shape) if complex_numbers else real

    return [{name: numbers(shape) for name, shape in SHAPES.items()} for _ in range(count)]


def by_formula(rule: formulas.Rule, params: dict[str, np.ndarray], gradients: list[dict[str, np.ndarray]]) -> Any:
    """The parameters after all steps."""
    states: dict[str, dict[str, Any]] = {name: {} for name in params}
    for t, tree in enumerate(gradients, 1):
        params = {k: x + rule(states[k], tree[k], x, t) for k, x in params.items()}
    return params


def run(optimizer: Any, params: Any, gradients: list[Any], update: Any) -> Any:
    state = optimizer.init(params)
    for tree in gradients:
        updates, state = update(tree, state, params)
        params = optim.apply_updates(params, updates)
    return params


def assert_near(actual: Any, expected: dict[str, np.ndarray], tolerance: float) -> None:
    for name, value in expected.items():
        np.testing.assert_allclose(
            np.asarray(actual[name], dtype=value.dtype), value, rtol=tolerance, atol=tolerance, err_msg=name
        )


@each
def test_steps_are_those_of_the_formula(name: str) -> None:
    optimizer, rule = OPTIMIZERS[name]
    params, *gradients = trees(0, STEPS + 1)
    expected = by_formula(rule, params, gradients)
    arrays = [fx.tree_map(fx.asarray, tree) for tree in gradients]
    start = fx.tree_map(fx.asarray, params)
    assert_near(run(optimizer, start, arrays, optimizer.update), expected, 1e-12)
    assert_near(run(optimizer, start, arrays, jit(optimizer.update)), expected, 1e-12)


@each
def test_single_precision_loses_no_more_than_rounding(name: str) -> None:
    optimizer, rule = OPTIMIZERS[name]
    params, *gradients = [{k: x.astype(np.float32) for k, x in tree.items()} for tree in trees(1, STEPS + 1)]
    exact = by_formula(
        rule,
        {k: x.astype(np.float64) for k, x in params.items()},
        [{k: x.astype(np.float64) for k, x in tree.items()} for tree in gradients],
    )
    after = run(optimizer, fx.tree_map(fx.asarray, params), gradients, jit(optimizer.update))
    assert {x.dtype for x in fx.tree_leaves(after)} == {fx.float32}
    assert_near(after, exact, 3e-5 if name == "centred" else 5e-6)


@each
def test_complex_parameters(name: str) -> None:
    optimizer, rule = OPTIMIZERS[name]
    params, *gradients = trees(2, 9, complex_numbers=True)
    after = run(optimizer, fx.tree_map(fx.asarray, params), gradients, optimizer.update)
    assert_near(after, by_formula(rule, params, gradients), 1e-12)


@each
@pytest.mark.parametrize("dtype", [fx.bfloat16, fx.float16])
def test_narrow_parameters_take_steps_of_single_precision(name: str, dtype: Any) -> None:
    """Their states keep their types, so that a step is the body of a loop."""
    optimizer, rule = OPTIMIZERS[name]
    params, *gradients = [
        fx.tree_map(lambda x: fx.asarray(np.round(8 * x) / 8, dtype=dtype), tree) for tree in trees(5, STEPS + 1)
    ]

    def step(carry: Any, tree: Any) -> tuple[Any, None]:
        params, state = carry
        updates, state = optimizer.update(tree, state, params)
        return (optim.apply_updates(params, updates), state), None

    stacked = fx.tree_map(lambda *xs: fx.stack(xs), *gradients)
    (after, _), _ = scan(step, (params, optimizer.init(params)), stacked)
    assert {x.dtype for x in fx.tree_leaves(after)} == {dtype}
    wide = [fx.tree_map(lambda x: np.asarray(x.astype(fx.float64)), tree) for tree in (params, *gradients)]
    expected = by_formula(rule, wide[0], wide[1:])
    roundings = STEPS * float(fx.finfo(dtype).eps) * 4  # of the parameters, once a step
    assert_near(fx.tree_map(lambda x: x.astype(fx.float64), after), expected, roundings)


@each
def test_lanes_are_independent(name: str) -> None:
    optimizer, _ = OPTIMIZERS[name]
    params, first, second = [fx.tree_map(fx.asarray, tree) for tree in trees(3, 3)]

    def two(params: Any, first: Any, second: Any) -> Any:
        return run(optimizer, params, [first, second], optimizer.update)

    lanes = [fx.tree_map(lambda x: fx.stack([x, -2 * x]), tree) for tree in (params, first, second)]
    batched: Any = vmap(two)(*lanes)
    for lane in (0, 1):
        alone = two(*[fx.tree_map(lambda x, lane=lane: x[lane], tree) for tree in lanes])
        for k in SHAPES:
            np.testing.assert_allclose(batched[k][lane], alone[k], rtol=1e-13, atol=1e-13)


@each
def test_the_result_has_derivatives_by_the_rate(name: str) -> None:
    """Of a program with a traced rate, beside differences; signs have none."""
    params, *gradients = [fx.tree_map(fx.asarray, tree) for tree in trees(4, 4)]
    make: Any = {
        "nesterov": lambda rate: optim.momentum(rate, nesterov=True),
        "nadam": lambda rate: optim.adam(rate, nesterov=True),
        "centred": lambda rate: optim.rmsprop(rate, centered=True),
    }.get(name) or getattr(optim, name)

    def total(rate: Any) -> fx.Array:
        optimizer = make(rate)
        after = run(optimizer, params, gradients, optimizer.update)
        return sum((fx.sum(x**2) for x in fx.tree_leaves(after)), start=fx.zeros(()))

    h = 1e-5
    expected = (total(0.1 + h) - total(0.1 - h)) / (2 * h)
    np.testing.assert_allclose(jit(grad(total))(0.1), expected, rtol=1e-7)
