"""Choices that nothing reads any more are summed out: chains cost linear time, and what comes out is the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.errors import LeakedValueError
from handlers import checkpoint, cond, enumerated, grad, scan, with_state
from lowering import jit
from tests.requests import reference as ref
from tests.requests.table import STAGED


def forward(init: Any, move: Any, see: Any, seen: Any) -> tuple[float, Any]:
    """The log evidence of a hidden Markov model, and the probabilities of the last state."""
    state, evidence = init * see[:, seen[0]], 0.0
    for o in seen[1:]:
        evidence += np.log(state.sum())
        state = (state / state.sum()) @ move * see[:, o]
    return evidence + np.log(state.sum()), state / state.sum()


def hidden_markov(choice: fx.Choice, init: Array, move: Array, see: Array, seen: Array) -> Array:
    state = choice.choose(init)
    choice.factor(fx.log(see[state, seen[0]]))

    def step(state: Array, o: Array) -> tuple[Array, None]:
        following = choice.choose(move[state])
        choice.factor(fx.log(see[following, o]))
        return following, None

    return scan(step, state, seen[1:])[0]


def a_model(states: int, steps: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(states)
    init, move = rng.dirichlet(np.ones(states)), rng.dirichlet(np.ones(states), size=states)
    return init, move, rng.dirichlet(np.ones(4), size=states), rng.integers(0, 4, steps)


def test_a_long_hidden_markov_model() -> None:
    model = a_model(3, 200)
    posterior = enumerated(hidden_markov)(*map(fx.asarray, model))
    evidence, last = forward(*model)
    assert posterior.log_weights.shape == (3, 3)
    np.testing.assert_allclose(float(posterior.log_evidence), evidence, rtol=1e-12)
    marginal = posterior.expectation(lambda s: (s[..., None] == fx.arange(3)).astype(fx.float64))
    np.testing.assert_allclose(np.asarray(marginal), last, rtol=1e-9)


def test_its_derivative_and_compiled() -> None:
    init, move, see, seen = map(fx.asarray, a_model(2, 6))

    def evidence(move: Array) -> Array:
        return enumerated(hidden_markov)(init, move, see, seen).log_evidence

    slope = np.asarray(jit(grad(evidence))(move))
    for place in np.ndindex(2, 2):
        nudge = np.zeros((2, 2))
        nudge[place] = 1e-6
        ends = [np.asarray(move) + sign * nudge for sign in (1, -1)]
        up, down = [forward(*map(np.asarray, (init, m / m.sum(1, keepdims=True), see, seen)))[0] for m in ends]
        np.testing.assert_allclose(slope[place], (up - down) / 2e-6, rtol=1e-6)


def test_states_that_are_never_reached_have_a_derivative() -> None:
    def f(rate: Array) -> Array:
        def model(choice: fx.Choice) -> Array:
            def step(state: Array, _: None) -> tuple[Array, None]:
                following = choice.choose(fx.asarray([[1.0, 0.0], [1.0, 0.0]])[state])
                choice.factor(-rate * (1.0 + following))
                return following, None

            return scan(step, fx.asarray(0), length=4)[0]

        return enumerated(model)().log_evidence

    assert float(f(fx.asarray(0.5))) == pytest.approx(-2.0) and float(grad(f)(fx.asarray(0.5))) == pytest.approx(-4.0)


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_probabilities_of_zero_and_one_have_derivatives(p: float) -> None:
    def mean(p: Array) -> Array:
        return enumerated(lambda choice: choice.flip(p))().expectation(lambda heads: heads.astype(fx.float64))

    def seen(p: Array) -> Array:
        def model(choice: fx.Choice) -> Array:
            rain = choice.flip(0.25)
            choice.observe(True, fx.where(rain, p, 0.5))
            return rain

        return fx.exp(enumerated(model)().log_evidence)

    at = fx.asarray(p)
    assert [float(f(at)) for f in (mean, grad(mean), grad(grad(lambda p: mean(p) ** 2)))] == pytest.approx(
        [p, 1.0, 2.0]
    )
    assert [float(f(at)) for f in (seen, grad(seen), jit(grad(seen)))] == pytest.approx([0.375 + 0.25 * p, 0.25, 0.25])


def test_a_chain_that_never_goes_back_has_derivatives() -> None:
    init, see, seen = fx.asarray([0.6, 0.4]), fx.asarray([[0.5, 0.5], [0.1, 0.9]]), fx.asarray([0, 1, 1, 0, 1])
    move = np.asarray([[0.7, 0.3], [0.0, 1.0]])
    slope = grad(lambda move: enumerated(hidden_markov)(init, move, see, seen).log_evidence)(fx.asarray(move))
    for place in np.ndindex(2, 2):
        nudged = move.copy()
        nudged[place] += 1e-7
        nudged /= nudged.sum(1, keepdims=True)
        ends = [forward(*map(np.asarray, (init, m, see, seen)))[0] for m in (nudged, move)]
        np.testing.assert_allclose(np.asarray(slope)[place], (ends[0] - ends[1]) / 1e-7, atol=1e-5)


def test_weights_out_of_the_range_of_floats() -> None:
    def model(choice: fx.Choice) -> Array:
        choice.factor(-2000.0)
        choice.factor(fx.where(choice.flip(0.5), -1000.0, -1.0))
        return choice.flip(0.5)

    assert float(enumerated(model)().log_evidence) == pytest.approx(-2001.0 + np.log(0.5))
    assert float(enumerated(model)().expectation()) == pytest.approx(0.5)


CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "jit": jit,
    "checkpoint": checkpoint,
    "cond": lambda f: lambda x: cond(x > -100.0, f, lambda x: x, x),
    "scan": lambda f: lambda x: scan(lambda c, _: (f(c), None), x, length=1)[0],
}


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("axes", [0, 1])
def test_what_a_program_does_not_give_is_summed_out(name: str, axes: int) -> None:
    def f(choice: fx.Choice) -> Array:
        def inside(x: Array) -> Array:
            rain = choice.flip(0.2)
            choice.observe(True, fx.where(rain, 0.9, 0.3))
            return x + 1.0 + rain if axes else x + 1.0

        given: Array = CONTAINERS[name](inside)(fx.asarray(1.0))
        return given

    posterior = enumerated(f)()
    assert posterior.log_weights.ndim == axes
    assert float(fx.exp(posterior.log_evidence)) == pytest.approx(0.2 * 0.9 + 0.8 * 0.3)
    assert float(posterior.expectation()) == pytest.approx(2.0 + axes * 0.18 / 0.42)


def test_a_state_inside_keeps_choices_apart() -> None:
    def f(choice: fx.Choice) -> tuple[Array, Array]:
        def with_cell(cell: fx.State[Array]) -> Array:
            def step(c: Array, _: None) -> tuple[Array, None]:
                cell.modify(lambda s: s + choice.flip(0.25))
                return c, None

            return scan(step, fx.asarray(0.0), length=3)[0]

        return with_state(with_cell, fx.asarray(0.0))()

    assert float(enumerated(lambda choice: f(choice)[1])().expectation()) == pytest.approx(0.75)


def test_what_escapes_from_its_program_is_refused() -> None:
    kept: list[Array] = []

    def f(choice: fx.Choice) -> Array:
        @jit
        def inside(x: Array) -> Array:
            kept.append(choice.flip(0.5))
            return x

        return inside(fx.asarray(1.0)) + kept[0]

    with pytest.raises(LeakedValueError):
        enumerated(f)()


def a_program(seed: int) -> Callable[[Any, Any, Any], Any]:
    """A random program of choices in calls, branches and loops, `t` having the transformations."""

    def block(rng: random.Random, depth: int, t: Any, c: Any, x: Any) -> Any:
        for _ in range(rng.randint(1, 2)):
            kind, p = rng.choice(["flip", "weigh", "jit", "cond", "scan", "checkpoint"]), rng.uniform(0.1, 0.9)
            state = rng.getstate()

            def inner(x: Any, state: Any = state) -> Any:
                again = random.Random()
                again.setstate(state)
                return block(again, depth - 1, t, c, x)

            if kind == "flip":
                x = x * fx.where(c.flip(p), 0.5, 1.5)
            elif kind == "weigh":
                x = 0.5 * x + c.flip(1.0 / (1.0 + x * x))
            elif depth and kind == "jit":
                x = x + t.jit(inner)(x if rng.random() < 0.5 else fx.asarray(0.2))
            elif depth and kind == "checkpoint":
                x = t.checkpoint(inner)(x)
            elif depth and kind == "cond":
                x = t.cond(c.flip(p) if rng.random() < 0.5 else x > p, inner, lambda x: -x, x)
            elif depth and kind == "scan":
                forget = rng.choice([0.0, 0.0, 1.0])
                x = t.scan(lambda s, i, k=forget: (inner(s + i if k else i), None), x, fx.asarray([0.3, 0.7]))[0]
            rng.random()
        return x

    return lambda t, c, x: block(random.Random(seed), 2, t, c, x)


@pytest.mark.parametrize("seed", range(25))
def test_random_programs(seed: int) -> None:
    program, x = a_program(seed), fx.asarray(0.7)
    wanted = ref.expectation(lambda cap: program(ref.Eager(), cap, x))
    posterior = enumerated(lambda c: program(STAGED, c, x))()
    assert ref.same(posterior.expectation(), wanted)
    assert float(posterior.log_evidence) == pytest.approx(0.0, abs=1e-9)
