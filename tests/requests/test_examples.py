"""Programs with effects whose results are known: worked out by hand, published, or found by other means."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest
from returns.result import Failure, Success

import effects as fx
from effects import Array
from effects.errors import ArgumentError, MissingRule, ShapeError, UnhandledEffectError
from handlers import (
    Emitted,
    added,
    averaged,
    catching,
    cond,
    enumerated,
    grad,
    handled,
    make_jaxpr,
    scan,
    vmap,
    while_loop,
    with_output,
    with_raise,
    with_reader,
    with_state,
)
from lowering import jit
from tests.requests.own import Cost, Total, with_cost


def rolling(cell: fx.State[Array], x: Array) -> Array:
    cell.modify(lambda s: s + x)
    return cell.get() * x


def test_a_cell_and_its_derivative() -> None:
    one, two = fx.asarray(1.0), fx.asarray(2.0)
    columns: list[Any] = [lambda g: g, jit]
    for f in columns:
        assert [float(v) for v in f(with_state(rolling, one))(two)] == [6.0, 3.0]
        slope = f(with_state(lambda cell, x: grad(lambda x: rolling(cell, x))(x), one))(two)
        assert [float(v) for v in slope] == [5.0, 3.0]
        values, last = f(vmap(with_state(rolling, one)))(fx.asarray([1.0, 2.0, 3.0]))
        assert (values.tolist(), last.tolist()) == ([2.0, 6.0, 12.0], [2.0, 3.0, 4.0])


def test_lanes_share_a_cell_only_by_a_law() -> None:
    xs = fx.asarray([1.0, 2.0, 3.0])

    def lanes(cell: fx.State[Array], xs: Array) -> Array:
        return vmap(lambda x: rolling(cell, x))(xs)

    with pytest.raises(MissingRule, match=r"put with_state inside the vmap.*lanes="):
        with_state(lanes, fx.asarray(1.0))(xs)
    assert float(with_state(lanes, fx.asarray(1.0), lanes=averaged)(xs)[1]) == 3.0
    assert float(with_state(lanes, fx.asarray(1.0), lanes=added)(xs)[1]) == 7.0


def test_an_error_ends_a_loop_that_would_not_end() -> None:
    def doubling(errors: fx.Raise[Array], s: Array) -> Array:
        def step(s: Array) -> Array:
            errors.check(s < 100.0, s)
            return s * 2.0

        return while_loop(lambda s: s > 0, step, s)

    for f in (catching(doubling), jit(catching(doubling))):
        assert f(fx.asarray(1.0)).result().failure().tolist() == 128.0


def test_a_loop_after_an_error_does_not_begin() -> None:
    def f(errors: fx.Raise[str], h: Array) -> Array:
        errors.check(h > 0, "no step")
        return while_loop(lambda t: t < 1.0, lambda t: t + h, fx.asarray(0.0))

    assert jit(catching(f))(fx.asarray(-0.1)).result() == Failure("no step")
    assert float(jit(catching(f))(fx.asarray(0.5)).result().unwrap()) == 1.0


def test_what_catches_exceptions_does_not_catch_errors_of_the_program() -> None:
    def f(errors: fx.Raise[str], x: Array) -> Array:
        try:
            errors.check(x > 0, "not positive")
        except Exception:
            x = -x
        return x

    for g in (catching(f), jit(catching(f))):
        assert g(fx.asarray(-1.0)).result() == Failure("not positive")


def test_threads_number_their_errors_apart() -> None:
    def failing(n: int) -> Any:
        return with_raise(lambda errors: errors.check(False, ("thread", n)))().failure()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(failing, range(64))) == [("thread", n) for n in range(64)]


def test_lanes_fail_by_themselves() -> None:
    def log(errors: fx.Raise[Array], x: Array) -> Array:
        errors.check(x > 0, x)
        return fx.log(x)

    outcome = jit(vmap(catching(log)))(fx.asarray([1.0, -1.0, -3.0]))
    assert [r.lash(lambda e: Success(e)).unwrap().tolist() for r in outcome.results()] == [0.0, -1.0, -3.0]
    whole = with_raise(lambda errors, xs: vmap(lambda x: log(errors, x))(xs))
    assert whole(fx.asarray([1.0, -1.0, -3.0])).failure().tolist() == -1.0
    with pytest.raises(ArgumentError, match="several lanes"):
        outcome.result()


def test_what_is_emitted_in_branches() -> None:
    def f(out: fx.Output, x: Array) -> Array:
        def step(c: Array, i: Array) -> tuple[Array, None]:
            def emits(c: Array) -> Array:
                out.emit("c", c)
                return c

            return cond(i % 2 == 0, emits, lambda c: c, c) * 2.0, None

        return scan(step, x, fx.arange(3))[0]

    _, sent = jit(with_output(f))(fx.asarray(1.0))
    emitted = sent["c"]
    assert isinstance(emitted, Emitted)
    assert (emitted.valid.tolist(), emitted.value.tolist()) == ([True, False, True], [1.0, 0.0, 4.0])
    assert float(grad(lambda x: fx.sum(with_output(f)(x)[1]["c"].value))(fx.asarray(1.0))) == 5.0


class Scaled(NamedTuple):
    factor: Array
    power: int


def test_a_configuration_has_arrays_and_python_values() -> None:
    def f(asks: fx.Ask[Scaled], x: Array) -> Array:
        def inner(x: Array) -> Array:
            config = asks.ask()
            return config.factor * x**config.power

        return jit(inner)(x)

    given = with_reader(f, Scaled(fx.asarray(3.0), 2))
    assert float(given(fx.asarray(2.0))) == 12.0
    assert float(grad(given)(fx.asarray(2.0))) == 12.0
    assert float(with_reader(f, Scaled(fx.asarray(3.0), 3))(fx.asarray(2.0))) == 24.0


def test_handlers_of_one_effect_are_apart() -> None:
    def f(outer: Cost, x: Array) -> tuple[Array, Array]:
        def inner(cost: Cost, x: Array) -> Array:
            cost.charge(x)
            outer.charge(10.0 * x)
            return x

        return with_cost(inner)(x)

    (_, within), without = jit(with_cost(f))(fx.asarray(2.0))
    assert (float(within), float(without)) == (2.0, 20.0)


def test_a_capability_is_of_no_use_after_its_handler() -> None:
    kept: list[Cost] = []

    def f(cost: Cost, x: Array) -> Array:
        kept.append(cost)
        return x

    with_cost(f)(fx.asarray(1.0))
    with pytest.raises(UnhandledEffectError, match=r"Cost.charge: no handler of Cost is running here"):
        kept[0].charge(1.0)


def test_a_program_says_what_it_performs() -> None:
    programs = []

    def f(cost: Cost, x: Array) -> Array:
        def charged(x: Array) -> Array:
            cost.charge(x)
            return x

        programs.append(make_jaxpr(jit(charged))(x))
        return x

    with_cost(f)(fx.asarray(1.0))
    assert [label.effect for label in programs[0].performs] == [Cost]
    with pytest.raises(UnhandledEffectError, match=r"Cost\.charge"):
        jit(lambda x: fx.eval_jaxpr(programs[0], [x]))(fx.asarray(1.0))


def test_what_handled_refuses() -> None:
    total = Total(fx.zeros(()))
    handled(total, lambda cost: None)
    with pytest.raises(ArgumentError, match="make a new one"):
        handled(total, lambda cost: None)
    with pytest.raises(ArgumentError, match="must be an EffectHandler of an effect"):
        handled(3, lambda cost: None)  # type: ignore[type-var]  # what this tests
    with pytest.raises(ShapeError, match=r"Choice.choose: weights must be a vector"):
        enumerated(lambda choice: choice.choose(fx.ones((2, 2))))()
