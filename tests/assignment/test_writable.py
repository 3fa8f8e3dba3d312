"""`writable` and `writing`: what is shared with whom, what is refused, and where assignment goes through programs."""

from __future__ import annotations

import contextlib
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.errors import MissingRule, ShapeError
from handlers import (
    Log,
    checkpoint,
    cond,
    fori_loop,
    grad,
    hessian,
    make_jaxpr,
    scan,
    vmap,
    while_loop,
    with_state,
    writable,
)
from lowering import jit


@writable
def prefix_sums(x: Any) -> Any:
    for i in range(1, len(x)):
        x[i] += x[i - 1]
    return x


def equal(actual: Any, expected: Any) -> None:
    np.testing.assert_array_equal(np.asarray(actual), expected)


def test_callers_keep_what_they_have() -> None:
    x, host = fx.arange(3.0), np.arange(3.0)
    for argument in (x, host):
        equal(prefix_sums(argument), [0.0, 1.0, 3.0])
        equal(argument, [0.0, 1.0, 2.0])
    assert type(prefix_sums(x)) is type(x)


def test_what_it_costs_compiled_is_what_is_written_by_hand() -> None:
    def by_hand(x: Array) -> Array:
        y = x.at[1].set(3.0)
        return y.at[2].set(y[0] + 1.0)

    @writable
    def assigned(x: Any) -> Any:
        x[1] = 3.0
        x[2] = x[0] + 1.0
        return x

    assert str(make_jaxpr(assigned)(fx.ones(3))) == str(make_jaxpr(by_hand)(fx.ones(3)))


def test_derivatives_of_every_order() -> None:
    x = fx.asarray([1.0, 2.0, 3.0])
    equal(grad(lambda x: fx.sum(prefix_sums(x) ** 2))(x), [20.0, 18.0, 12.0])
    matrix = np.tril(np.ones((3, 3)))
    equal(hessian(lambda x: fx.sum(prefix_sums(x) ** 2))(x), 2 * matrix.T @ matrix)


def in_a_loop(x: Any, touch: Callable[[Any], Any]) -> None:
    fori_loop(0, 3, lambda i, c: (touch(x), c)[1], 0)


def in_a_scan(x: Any, touch: Callable[[Any], Any]) -> None:
    scan(lambda c, _: (c, touch(x)), None, length=3)


def in_a_while(x: Any, touch: Callable[[Any], Any]) -> None:
    while_loop(lambda i: i < 3, lambda i: (touch(x), i + 1)[1], 0)


def by_a_condition(x: Any, touch: Callable[[Any], Any]) -> None:
    while_loop(lambda _: (touch(x), x[0] < 3)[1], lambda c: c, 0)


def in_a_jit(x: Any, touch: Callable[[Any], Any]) -> None:
    step: Any = jit(lambda: touch(x))
    for _ in range(3):
        step()


def in_a_branch(x: Any, touch: Callable[[Any], Any]) -> None:
    for _ in range(3):
        cond(x[0] >= 0, lambda: touch(x), lambda: None)


def in_a_checkpoint(x: Any, touch: Callable[[Any], Any]) -> None:
    for _ in range(3):
        checkpoint(lambda: touch(x))()


def in_a_loop_of_loops(x: Any, touch: Callable[[Any], Any]) -> None:
    jit(lambda: scan(lambda c, _: (c, cond(x[0] >= 0, lambda: touch(x), lambda: None)), None, length=3))()


PLACES = (in_a_loop, in_a_scan, in_a_while, by_a_condition, in_a_jit, in_a_branch, in_a_checkpoint, in_a_loop_of_loops)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "outside", [lambda f: f, jit, lambda f: lambda x: vmap(f)(x[None])[0]], ids=["as is", "jit", "vmap"]
)
def test_control_flow_threads_what_is_assigned(place: Any, outside: Any) -> None:
    def touch(x: Any) -> Any:
        x[::2] += 1

    def run(x: Any) -> Any:
        view = x[:2]
        place(x, touch)
        view *= 10
        return x

    equal(outside(writable(run))(fx.zeros(4)), [30.0, 0.0, 3.0, 0.0])


@pytest.mark.parametrize(
    "outside", [lambda f: f, jit, lambda f: lambda x: vmap(f)(x[None])[0]], ids=["as is", "jit", "vmap"]
)
@pytest.mark.parametrize("start", [0.0, 1.0, 7.0])
def test_a_condition_assigns_each_time_it_is_asked(outside: Any, start: float) -> None:
    def run(x: Any) -> Any:
        def goes_on(_: Array) -> Any:
            x[0] += 1
            return x[0] < 3

        while_loop(goes_on, lambda c: (x.__setitem__(1, x[1] + 1), c)[1], 0)
        return x

    x = np.array([start, 0.0])
    x[0] += 1
    while x[0] < 3:
        x += 1
    equal(outside(writable(run))(fx.asarray([start, 0.0])), x)


@pytest.mark.parametrize("place", [p for p in PLACES if "while" not in p.__name__ and "condition" not in p.__name__])
def test_derivatives_through_control_flow(place: Any) -> None:
    def run(x: Any, t: Array) -> Any:
        place(x, lambda x: x.__setitem__(0, x[0] * t))
        return x[0]

    equal(grad(lambda t: writable(run)(fx.ones(2), t))(fx.asarray(2.0)), 12.0)


def test_a_derivative_inside_gives_back_values() -> None:
    @writable
    def run(x: Any) -> Any:
        slope = grad(lambda t: (x.__setitem__(0, t * t), x.sum() * t)[1])(3.0)
        return x, slope

    x, slope = run(fx.ones(2))
    equal(x, [9.0, 1.0])
    equal(slope, 28.0)


def test_lanes_read_what_is_outside_and_do_not_assign_to_it() -> None:
    x = fx.ones(2)
    equal(writable(lambda x: vmap(lambda t: x * t)(fx.arange(2.0)))(x), [[0.0, 0.0], [1.0, 1.0]])
    for touch in (lambda x, t: x.__setitem__(0, t), lambda x, t: in_a_scan(x, lambda x: x.__setitem__(0, t))):
        with pytest.raises(MissingRule, match=r"no lane is the last one. Give each lane its own array"):
            writable(lambda x, touch=touch: vmap(lambda t: touch(x, t))(fx.arange(2.0)))(x)


def test_arrays_of_a_step_are_its_own() -> None:
    @writable
    def run(x: Any) -> Any:
        xp = x.__array_namespace__()

        def step(c: Array, row: Array) -> tuple[Array, Array]:
            local = xp.asarray(c)
            local[0] = row
            fori_loop(0, 2, lambda i, s: (local.__setitem__(i, local[i] + 1), s)[1], 0)
            return fx.asarray(local), local.sum()

        return scan(step, x, fx.arange(3.0))

    last, sums = run(fx.zeros(2))
    equal(last, [3.0, 3.0])
    equal(sums, [2.0, 4.0, 6.0])


def test_beside_other_effects_and_handlers() -> None:
    @writable
    def run(x: Any) -> Any:
        with Log():
            x[0] = 5.0
        return with_state(lambda cell: (x.__setitem__(1, cell.get()), cell.put(x[0]))[1], fx.asarray(7.0))(), x

    (_, state), x = run(fx.zeros(2))
    equal(x, [5.0, 7.0])
    equal(state, 5.0)


def test_one_inside_of_another() -> None:
    @writable
    def outer(x: Any) -> Any:
        y = writable(lambda y: (y.__setitem__(0, 1.0), x.__setitem__(1, 2.0), y)[2])(x)
        return x, y

    x, y = outer(fx.zeros(2))
    equal(x, [0.0, 2.0])
    equal(y, [1.0, 0.0])


def test_an_error_leaves_what_was_written_before() -> None:
    @writable
    def run(x: Any) -> Any:
        with contextlib.suppress(ShapeError):
            scan(lambda c, i: (x.__setitem__(0, 1.0), x.__setitem__(1, fx.ones(3)))[0], None, length=2)
        x[1] = 4.0
        return x

    equal(run(fx.zeros(2)), [0.0, 4.0])


def test_programs_that_are_kept_keep_no_elements() -> None:
    written: list[weakref.ref[Array]] = []

    @writable
    def run(x: Any) -> Any:
        step: Any = jit(lambda: x.__setitem__(0, x[0] + 1.0))
        step()
        written.append(weakref.ref(x.now()))
        programs.append(step)
        return fx.sum(x)

    programs: list[Any] = []
    run(fx.zeros(3))
    gc.collect()
    assert programs and written[0]() is None
