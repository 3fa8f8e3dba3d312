"""`writable` and `writing`: what is shared with whom, what is refused, and where assignment goes through programs."""

from __future__ import annotations

import contextlib
import copy
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.errors import ArgumentError, DTypeError, LeakedValueError, MissingRule, OutOfBoundsError, ShapeError
from handlers import (
    Log,
    WritableArray,
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
    writing,
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
        with pytest.raises(MissingRule, match=r"none is the last one. Give each lane an array of its own"):
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


def test_the_block() -> None:
    with writing() as xp:
        x = xp.zeros((2, 3))
        x.T[1] = 5.0
        x.fill(xp.sum(x))
        x[0] = [3.0, 1.0, 2.0]
        x[0].sort()
        result = fx.asarray(x)
        assert xp.add(x, 1.0, out=x) is x
        xp.reshape(x, shape=(6,), copy=True)[:] = 0.0
        assert isinstance(xp.sin(x), WritableArray)
        assert x.device == "cpu:0"
        kept, host = pickle.loads(pickle.dumps(x)), copy.deepcopy(x)
    equal(result, [[1.0, 2.0, 3.0], [10.0, 10.0, 10.0]])
    equal(kept, np.asarray(result) + 1)
    with pytest.raises(LeakedValueError):
        host[0] = 1.0


@pytest.mark.parametrize(
    "f",
    [
        lambda np, x: np.asarray(x, dtype=x.dtype),
        lambda np, x: np.asarray(x, copy=False),
        lambda np, x: np.asarray(x, copy=True),
        lambda np, x: np.atleast_1d(x, x)[1],
        lambda np, x: np.rollaxis(x, 2),
        lambda np, x: np.diag(x[0]),
        lambda np, x: np.linalg.diagonal(x),
        lambda np, x: np.diagonal(x, 1, 0, 2),
    ],
)
def test_functions_give_views_where_numpys_do(f: Any) -> None:
    def seen(namespace: Any, x: Any) -> tuple[Any, ...]:
        y = f(namespace, x)
        x[...] *= 2
        try:
            y[0] = 7.0
        except (ArgumentError, ValueError) as error:
            assert "read-only" in str(error)
        return y.shape, np.asarray(x).tolist(), np.asarray(y).tolist()

    x = np.arange(12.0).reshape(2, 2, 3)
    with writing() as xp:
        assert seen(xp, xp.asarray(x)) == seen(np, x)


def test_dtypes_stay() -> None:
    with writing() as xp:
        x, z = xp.zeros(2, dtype=xp.int32), xp.zeros(2, dtype=xp.complex64)
        x[0] = 2.7
        z.imag[1] = 3.0
        z.real += 1.0
        equal(x, [2, 0])
        equal(z, [1.0, 1.0 + 3.0j])
        assert x.dtype is fx.int32
        with pytest.raises(DTypeError, match=r"x \+= y: x keeps its dtype, int32, which float64 does not become"):
            x += fx.asarray(0.5)
        with pytest.raises(DTypeError, match="would lose imaginary parts"):
            x[0] = 1j
        for number in (2**31, float("nan")):
            with pytest.raises(ArgumentError, match=rf"x\[0\] = …: the value = {number} does not fit int32"):
                x[0] = number
        with pytest.raises(ShapeError, match=r"x \+= y: x keeps its shape, int32\[2\]"):
            x += xp.zeros((3, 2), dtype=xp.int32)


def test_numbers_are_no_places() -> None:
    with writing() as xp:
        x = xp.ones(2)
        number = x[0]
        number += 1.0
        place = x[..., 1]
        place += 1.0
        equal(x, [1.0, 2.0])
        equal(number, 2.0)


@pytest.mark.parametrize("size", [0, 1])
def test_small_arrays(size: int) -> None:
    x = np.arange(float(size))
    with writing() as xp:
        ours = xp.asarray(x)
        for a in (x, ours):
            a[:] += 1
            a[::-1][:1] = 7.0
            a.reshape(1, -1)[...] *= 2
        equal(ours, x)


def test_what_is_refused_says_what_to_write() -> None:
    with writing() as xp:
        x = xp.zeros((2, 2))
        with pytest.raises(ArgumentError, match=r"x\[0\] = …: x is read-only, since it has elements more than once"):
            xp.broadcast_to(x, (3, 2, 2))[0] = 1.0
        diagonal = x.diagonal()
        for part in (diagonal, x.imag):
            with pytest.raises(ArgumentError, match="read-only"):
                part[0] = 1.0
        x[1, 1] = 2.0
        equal(diagonal, [0.0, 2.0])
        with pytest.raises(OutOfBoundsError):
            x[5] = 1.0
        with pytest.raises(OutOfBoundsError, match="index 5 is out of bounds for axis 0 of size 2"):
            x[fx.asarray(5)]  # now, and not where the view is read
        with pytest.raises(ShapeError, match="the step of a slice must not be 0"):
            x[::0]
        with pytest.raises(ArgumentError, match="start, stop and step of slice"):
            x[0:1.5]
        with pytest.raises(ArgumentError, match=r"x.sort\(\): axis must be an int, got None"):
            x.sort(None)
        with pytest.raises(ArgumentError, match="order must be 'C' or 'F', got 'K'"):
            x.ravel("K")
        with pytest.raises(ArgumentError, match="out must be an array that can be assigned to"):
            xp.add(x, x, out=fx.zeros((2, 2)))
        with pytest.raises(DTypeError, match=r"add: out keeps its dtype, int8\[2,2\], which the result, float64"):
            xp.add(x, x, out=xp.zeros((2, 2), dtype=xp.int8))
        with pytest.raises(ShapeError, match=r"sum: out must have the shape of the result, float64\[\], got"):
            xp.sum(x, out=x)
        with pytest.raises(ArgumentError, match="unique_all: out is one array, and unique_all gives UniqueAll"):
            xp.unique_all(x, out=x)
        with pytest.raises(TypeError, match="real"):
            xp.real(x, x)
        with pytest.raises(ArgumentError, match=r"x\[0\] = … : arrays are immutable"):
            fx.zeros(2)[0] = 1.0  # type: ignore[index]  # which it cannot
    with pytest.raises(LeakedValueError):
        x[0] = 1.0
    with pytest.raises(ArgumentError, match=r"live inside of writable\(f\), or of writing\(\)"):
        xp.zeros(2)
    with pytest.raises(ArgumentError, match="writable takes a function, got 3"):
        writable(3)  # type: ignore[arg-type]  # which it is not


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
