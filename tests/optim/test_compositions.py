"""Chains, groups, accumulation, guards, schedules, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, DTypeError, EffaxError, ShapeError, TreeError
from handlers import grad, scan, vmap
from lowering import jit

optim = fx.optim
NARROW: Final = fx.ones(2, dtype=fx.float32)
X: Final = {"w": fx.asarray([[1.0, -2.0], [0.5, 4.0]]), "b": fx.asarray([3.0, -1.0])}


def gradients(count: int) -> list[Any]:
    rng = np.random.default_rng(0)
    return [{k: fx.asarray(rng.normal(size=x.shape)) for k, x in X.items()} for _ in range(count)]


def updates_of(optimizer: Any, trees: list[Any], params: Any = X) -> list[Any]:
    state, updates = optimizer.init(params), []
    for tree in trees:
        update, state = optimizer.update(tree, state, params)
        updates.append(update)
    return updates


def assert_equal(actual: Any, expected: Any, tolerance: float = 0.0) -> None:
    assert fx.tree_structure(actual) == fx.tree_structure(expected)
    for x, y in zip(fx.tree_leaves(actual), fx.tree_leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


def test_a_chain_is_associative_and_has_a_neutral_element() -> None:
    a, b, c = optim.clip(0.5), optim.trace(0.9), optim.adam(0.1)
    trees = gradients(4)
    assert_equal(updates_of((a >> b) >> c, trees), updates_of(a >> (b >> c), trees))
    assert_equal(updates_of(optim.identity() >> b >> optim.identity(), trees), updates_of(b, trees))


def test_a_mask_leaves_the_others_alone() -> None:
    trees = gradients(3)
    masked = updates_of(optim.masked(optim.adam(0.1), {"w": True, "b": False}), trees)
    alone = updates_of(optim.adam(0.1), [{"w": tree["w"]} for tree in trees], {"w": X["w"]})
    assert_equal(masked, [{"w": one["w"], "b": tree["b"]} for one, tree in zip(alone, trees, strict=True)])
    by_rank = optim.masked(optim.adam(0.1), lambda params: fx.tree_map(lambda x: x.ndim == 2, params))
    assert_equal(updates_of(by_rank, trees), masked)
    assert fx.tree_leaves(optim.masked(optim.trace(0.9), False).init(X)) == []


def test_groups_have_rates_of_their_own() -> None:
    trees = gradients(3)
    others = optim.partition(True, optim.momentum(0.2), optim.freeze())
    grouped = optim.partition({"w": True, "b": False}, optim.sgd(0.1), others)
    inside, outside = updates_of(optim.sgd(0.1), trees), updates_of(optim.momentum(0.2), trees)
    expected = [{"w": a["w"], "b": b["b"]} for a, b in zip(inside, outside, strict=True)]
    assert_equal(updates_of(grouped, trees), expected, 1e-15)
    assert_equal(jit(lambda *trees: updates_of(grouped, list(trees)))(*trees), expected, 1e-15)


@pytest.mark.parametrize("k", [1, 3])
def test_every_takes_a_step_with_the_mean(k: int) -> None:
    trees = gradients(2 * k + 1)
    steps = updates_of(optim.every(k, optim.adam(0.1)), trees)
    means = [fx.tree_map(lambda *xs: sum(xs[1:], xs[0]) / k, *trees[i : i + k]) for i in (0, k)]
    assert_equal([steps[k - 1], steps[2 * k - 1]], updates_of(optim.adam(0.1), means), 1e-12)
    if k > 1:
        zeros = [tree for i, tree in enumerate(steps) if (i + 1) % k]
        assert all(not fx.any(x) for x in fx.tree_leaves(zeros))
    assert_equal(jit(lambda *trees: updates_of(optim.every(k, optim.adam(0.1)), list(trees)))(*trees), steps, 1e-12)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("wrap", [lambda f: f, jit])
def test_steps_that_are_not_finite_are_skipped(wrong: float, wrap: Any) -> None:
    guarded = optim.apply_if_finite(optim.adam(0.1))
    first, second = gradients(2)
    bad = {**first, "b": first["b"].at[1].set(wrong)}
    update = wrap(guarded.update)
    updates, state = update(first, guarded.init(X), X)
    for count in (1, 2):
        skipped, state = update(bad, state, X)
        assert not any(bool(fx.any(x)) for x in fx.tree_leaves(skipped))
        assert (int(state.skipped), int(state.in_a_row)) == (count, count)
    last, state = update(second, state, X)
    assert (int(state.skipped), int(state.in_a_row)) == (2, 0)
    assert_equal([updates, last], updates_of(optim.adam(0.1), [first, second]), 1e-12)


def test_lanes_are_guarded_each_by_itself() -> None:
    guarded = optim.apply_if_finite(optim.sgd(1.0))
    x = fx.asarray([[1.0, 2.0], [np.nan, 1.0]])
    updates, state = vmap(lambda g: guarded.update(g, guarded.init(g), fx.zeros(2)))(x)
    np.testing.assert_array_equal(updates, [[-1.0, -2.0], [0.0, 0.0]])
    np.testing.assert_array_equal(state.skipped, [0, 1])


def test_norms_do_not_overflow() -> None:
    huge = {"a": fx.full((3,), 1e300), "b": fx.full((1,), 1e300)}
    assert np.isclose(float(optim.global_norm(huge)), 2e300)
    clipped, _ = optim.clip_by_global_norm(1.0).update(huge, (), huge)
    assert_equal(clipped, {"a": fx.full((3,), 0.5), "b": fx.full((1,), 0.5)}, 1e-15)
    assert optim.global_norm(fx.full((2,), 300.0, dtype=fx.float16)).dtype is fx.float32
    assert [float(optim.global_norm(tree)) for tree in EMPTY] == [0.0, 0.0, 0.0]
    assert np.isnan(float(optim.global_norm([np.nan, np.inf])))
    assert np.isclose(float(optim.global_norm(fx.asarray([3e-200, 4e-200]))), 5e-200, rtol=1e-14)


def test_a_state_keeps_its_dtypes() -> None:
    """Numbers of Python's and arrays of NumPy's become arrays of the dtypes that `init` gives."""
    first = optim.adam(0.1).init(X)
    other = fx.tree_map(lambda x: np.asarray(x, "int64" if x.dtype is fx.int32 else "float32"), first)
    for state in (other, (first[0]._replace(steps=0), optim.StepCount(0))):  # type: ignore[arg-type]  # a number
        updates, after = optim.adam(0.1).update(X, state, X)
        expected = optim.adam(0.1).update(X, first, X)
        assert fx.tree_map(lambda x: x.dtype, after) == fx.tree_map(lambda x: x.dtype, first)
        assert_equal((updates, after), expected, 0)


def test_a_later_schedule_is_not_asked_for_steps_before_its_own() -> None:
    def at(rate: fx.Array, step: fx.Array) -> fx.Array:
        return optim.join_schedules([optim.constant_schedule(1.0), lambda s: rate / fx.sqrt(s + 1)], [3])(step)

    slopes = vmap(grad(at), in_axes=(None, 0))(2.0, fx.arange(5))
    np.testing.assert_allclose(slopes, [0, 0, 0, 1, 0.5**0.5], rtol=1e-15)


@pytest.mark.parametrize("wrap", [lambda f: f, jit, vmap])
def test_schedules_are_functions_of_arrays(wrap: Callable[..., Any]) -> None:
    t = np.arange(12)
    pairs = {
        optim.constant_schedule(0.3): np.full(12, 0.3),
        optim.linear_schedule(1.0, 0.0, 4): np.maximum(1 - t / 4, 0),
        optim.cosine_decay_schedule(2.0, 8, 0.1, 2.0): 2
        * (0.9 * (0.5 + 0.5 * np.cos(np.pi * np.minimum(t / 8, 1))) ** 2 + 0.1),
        optim.exponential_decay(1.0, 3, 0.5, transition_begin=2, staircase=True): 0.5 ** (np.maximum(t - 2, 0) // 3),
        optim.exponential_decay(1.0, 3, 2.0, end_value=3.0): np.minimum(2.0 ** (t / 3), 3.0),
        optim.piecewise_constant_schedule(4.0, {2: 0.5, 5: 0.0}): np.select([t < 2, t < 5], [4.0, 2.0], 0.0),
        optim.join_schedules([optim.constant_schedule(1.0), lambda s: s], [5]): np.where(t < 5, 1.0, t - 5),
        optim.warmup_cosine_decay_schedule(0.0, 1.0, 3, 9, 0.1): np.where(
            t < 3, t / 3, 0.9 * (0.5 + 0.5 * np.cos(np.pi * np.minimum((t - 3) / 6, 1))) + 0.1
        ),
    }
    for schedule, expected in pairs.items():
        np.testing.assert_allclose(wrap(schedule)(fx.asarray(t)), expected, rtol=1e-13, atol=1e-15)


def test_a_schedule_counts_the_steps_of_a_loop() -> None:
    optimizer = optim.sgd(optim.piecewise_constant_schedule(1.0, {2: 0.5}))

    def step(state: Any, _: None) -> tuple[Any, Any]:
        updates, state = optimizer.update(fx.asarray(1.0), state, fx.asarray(0.0))
        return state, updates

    np.testing.assert_array_equal(scan(step, optimizer.init(0.0), length=4)[1], [-1.0, -1.0, -0.5, -0.5])


def test_training_fits_a_line() -> None:
    x = fx.linspace(-1.0, 1.0, 20)
    optimizer = optim.clip_by_global_norm(1.0) >> optim.adam(optim.cosine_decay_schedule(0.1, 300))

    @jit
    def fit(params: Any) -> Any:
        def step(carry: Any, _: None) -> tuple[Any, None]:
            params, state = carry
            gradient = grad(lambda p: fx.mean((p["a"] * x + p["b"] - (3 * x - 2)) ** 2))(params)
            updates, state = optimizer.update(gradient, state, params)
            return (optim.apply_updates(params, updates), state), None

        return scan(step, (params, optimizer.init(params)), length=300)[0][0]

    assert_equal(fit({"a": fx.asarray(0.0), "b": fx.asarray(0.0)}), {"a": 3.0, "b": -2.0}, 1e-4)


SGD: Final = optim.sgd(0.1)
TRACE: Final = optim.trace(0.9)
EMPTY: Final[list[object]] = [{}, fx.zeros((0, 2)), 0.0]
SUMS: Final[dict[str, Callable[[Any], object]]] = {
    "twice": lambda schedule: 2 * schedule,
    "NumPy's": lambda schedule: np.float64(2) * schedule,
    "of two": lambda schedule: schedule - schedule,
    "negative": lambda schedule: -schedule,
    "least": lambda schedule: min(schedule, 0.1),
}
REFUSED: Final[dict[str, tuple[type[EffaxError], Callable[[], object], str]]] = {
    "a negative rate": (ArgumentError, lambda: optim.sgd(-0.1), "sgd: learning_rate must be finite and at least 0"),
    "a rate that is no number": (
        ArgumentError,
        lambda: optim.constant_schedule(fx.nan),
        "value must be finite, got nan",
    ),
    "a vector for a rate": (ArgumentError, lambda: optim.adam(fx.ones(2)), "learning_rate must be a number or a"),
    "a schedule that gives a vector": (
        ArgumentError,
        lambda: updates_of(optim.sgd(lambda t: fx.ones(2)), [X]),
        "must be a real scalar, got float64",
    ),
    "an average that keeps all": (
        ArgumentError,
        lambda: optim.adam(0.1, b2=1.0),
        "b2 must be at least 0 and less than 1",
    ),
    "integers": (DTypeError, lambda: SGD.init({"n": fx.arange(3)}), r"init: params\['n'\] must be of floats"),
    "another tree": (
        TreeError,
        lambda: SGD.update({"w": X["w"]}, SGD.init(X), X),
        "gradients, which must be a tree like",
    ),
    "another shape": (
        ShapeError,
        lambda: SGD.update({**X, "b": fx.ones(3)}, SGD.init(X), X),
        r"gradients\['b'\] is float64\[3\], and params\['b'\] is float64\[2\]",
    ),
    "complex gradients": (
        DTypeError,
        lambda: SGD.update({**X, "b": X["b"] * 1j}, SGD.init(X), X),
        r"gradients\['b'\] is complex128\[2\], and params\['b'\] is float64\[2\], of real",
    ),
    "updates of another tree": (
        TreeError,
        lambda: optim.apply_updates(X, X["w"]),
        "updates, which must be a tree like",
    ),
    "a state of other parameters": (
        TreeError,
        lambda: TRACE.update(X, TRACE.init(X["b"]), X),
        "state is not the result of init",
    ),
    "results of another tree": (
        TreeError,
        lambda: updates_of(SGD >> optim.GradientTransformation(lambda p: (), lambda g, s, p: (g["w"], s)), [X]),
        "updates of its update, which must be a tree like gradients",
    ),
    "no state": (
        TreeError,
        lambda: updates_of(optim.GradientTransformation(lambda p: (), lambda g, s, p: g), [X]),
        r"its update must return \(updates, state\), got \{",
    ),
    "what is no transformation before one": (
        ArgumentError,
        lambda: optim.sgd >> SGD,  # type: ignore[operator]  # the mistake
        "a must be a .*; call it, as sgd",
    ),
    "updates of another shape": (
        TreeError,
        lambda: updates_of(
            optim.GradientTransformation(lambda p: (), lambda g, s, p: (fx.tree_map(fx.sum, g), s)), [X]
        ),
        r"updates\['b'\] is float64\[\], expected float64\[2\]: its update keeps types",
    ),
    "complex updates": (
        DTypeError,
        lambda: updates_of(
            optim.GradientTransformation(lambda p: (), lambda g, s, p: (fx.tree_map(lambda x: x * 1j, g), s)), [X]
        ),
        r"updates\['b'\] is complex128\[2\], expected float64\[2\]",
    ),
    "a state of other numbers": (
        DTypeError,
        lambda: SGD.update(X, optim.StepCount(fx.asarray(1.5)), X),
        r"state.steps is float64\[\], expected int32\[\]",
    ),
    "a state of words": (
        ArgumentError,
        lambda: SGD.update(X, optim.StepCount("one"), X),  # type: ignore[arg-type]  # the mistake
        "state.steps must be an array or a number",
    ),
    "a schedule that falls below 0": (
        ArgumentError,
        lambda: updates_of(optim.sgd(lambda t: 0.5 - t), [X, X]),
        "the rate, must be finite and at least 0, got -0.5",
    ),
    **{
        f"a number of a schedule, {name}": (
            ArgumentError,
            lambda f=f: f(optim.linear_schedule(0.0, 1.0, 2)),  # type: ignore[misc]
            "linear_schedule: a schedule is a function, not a number; write lambda step: 2",
        )
        for name, f in SUMS.items()
    },
    "complex steps": (
        DTypeError,
        lambda: optim.linear_schedule(0, 1, 2)(1j),
        "linear_schedule: step must be of integers, got complex",
    ),
    "a mask of nothing": (
        ArgumentError,
        lambda: updates_of(optim.masked(SGD, {"w": True, "b": None}), [X]),
        r"got None for params\['b'\]",
    ),
    "a complex rate": (ArgumentError, lambda: updates_of(optim.sgd(lambda t: fx.asarray(1j)), [X]), "a real scalar"),
    "a negative array": (
        ArgumentError,
        lambda: optim.sgd(fx.asarray(-1.0)),
        "learning_rate must be finite and at least",
    ),
    "a rate that underflows": (
        ArgumentError,
        lambda: updates_of(optim.sgd(1e-50), [NARROW], NARROW),
        "must not underflow, and 1e-50 is 0 in float32, of float32",
    ),
    "a schedule after one": (
        ArgumentError,
        lambda: SGD >> optim.linear_schedule(0.0, 1.0, 2),  # type: ignore[operator]  # the mistake
        r"; a schedule is a learning rate: write scale_by_learning_rate\(schedule",
    ),
    "an optimiser that was not called": (
        ArgumentError,
        lambda: optim.apply_if_finite(optim.adam),  # type: ignore[arg-type]  # the mistake
        r"inner must be a .* of type function; call it, as adam\(",
    ),
    "a warmup of all steps": (
        ArgumentError,
        lambda: optim.warmup_cosine_decay_schedule(0.0, 1.0, 20, 20),
        "decay_steps must be greater than warmup_steps, 20, got 20",
    ),
    "no transformation": (ArgumentError, lambda: SGD >> optim.sgd, "b must be a .*; call it, as sgd"),  # type: ignore[operator]  # the mistake
    "a mask of numbers": (ArgumentError, lambda: optim.masked(SGD, {"w": 1}), r"masked: mask\['w'\] must be True or"),
    "a mask of another tree": (
        TreeError,
        lambda: updates_of(optim.masked(SGD, {"u": True}), [X]),
        "as that of the mask does",
    ),
    "no parameters": (ArgumentError, lambda: SGD.update(X, SGD.init(X), None), "update: params must be an array or a"),
    "no steps": (ArgumentError, lambda: optim.every(0, SGD), "every: k must be at least 1"),
    "too few boundaries": (
        ArgumentError,
        lambda: optim.join_schedules([lambda t: t] * 3, [5]),
        r"boundaries must be 2 for 3 schedules, got 1, \[5\]",
    ),
    "boundaries that fall": (
        ArgumentError,
        lambda: optim.join_schedules([lambda t: t] * 3, [5, 2]),
        r"boundaries must increase, got \[5, 2\]",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    error, attempt, words = REFUSED[name]
    with pytest.raises(error, match=words):
        attempt()


@pytest.mark.parametrize("other", [optim.sgd(0.1), optim.momentum(0.1), optim.ema(0.9), optim.every(2, SGD)])
def test_a_state_of_another_transformation_is_refused(other: Any) -> None:
    with pytest.raises(
        TreeError, match="update: state is not the result of init of scale_by_adam >> scale_by_learning_rate for"
    ):
        optim.adam(0.1).update(X, other.init(X), X)


@pytest.mark.parametrize("optimizer", [optim.adam(0.1), optim.diagonal_shampoo(0.1), optim.every(2, SGD)])
def test_a_state_of_broadcastable_parameters_is_refused(optimizer: Any) -> None:
    with pytest.raises(TreeError, match="init gives others for params"):
        optimizer.update(fx.ones((4, 3)), optimizer.init(fx.ones((1, 3))), fx.ones((4, 3)))


@pytest.mark.parametrize("optimizer", [optim.adam(0.1), optim.clip_by_global_norm(1.0), optim.scale_by_trust_ratio()])
def test_derivatives_at_gradients_of_zero_are_finite(optimizer: Any) -> None:
    x = fx.asarray([0.0, 0.0])
    slopes = grad(lambda g: fx.sum(optimizer.update(g, optimizer.init(x), x)[0]))(x)
    assert fx.all(fx.isfinite(slopes))


def test_clipping_at_the_ends_of_the_range() -> None:
    huge = fx.asarray([3e38, 3e38], dtype=fx.float32)
    for bound, g, expected in ((1.0, huge, [0.5**0.5] * 2), (1e39, huge, huge), (1e-50, huge * 0, [0.0, 0.0])):
        np.testing.assert_allclose(optim.clip_by_global_norm(bound).update(g, (), g)[0], expected, rtol=1e-6)
    small = fx.asarray([0.5, 0.5], dtype=fx.float32)
    for g, x in ((small, huge), (huge, small), (small, small * 1e-30)):
        np.testing.assert_allclose(optim.scale_by_trust_ratio().update(g, (), x)[0], x, rtol=1e-6)
    np.testing.assert_allclose(optim.scale_by_param_block_rms().update(small, (), huge)[0], huge / 2, rtol=1e-6)
    np.testing.assert_allclose(optim.clip_by_block_rms(1.0).update(huge, (), huge)[0], [1.0, 1.0], rtol=1e-6)
    updates = updates_of(optim.adagrad(0.1), [fx.asarray([np.nan, 1.0])], fx.zeros(2))
    assert np.isnan(np.asarray(updates[0])).tolist() == [True, False]
