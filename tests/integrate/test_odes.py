"""`odeint` beside closed forms and SciPy: values, orders, derivatives, lanes, and where there is no answer."""

from __future__ import annotations

import functools
import math
from typing import Any, Final

import numpy as np
import pytest
import scipy.integrate

import effects as fx
from effects.errors import ArgumentError, DTypeError, EffaxError, ShapeError, TreeError
from effects.integrate.methods import METHODS
from effects.integrate.problems import settings
from effects.integrate.stepping import along, dense
from handlers import grad, jacfwd, jacrev, vmap
from lowering import jit

odeint: Final[Any] = fx.integrate.odeint
WAYS: Final[list[dict[str, Any]]] = [
    {"method": "dopri5"},
    {"method": "tsit5"},
    {"method": "tsit5", "gradient": "checkpointed", "mxstep": 64},
    {"method": "rodas4", "mxstep": 256},
]
IDS: Final = ["dopri5, adjoint", "tsit5, adjoint", "tsit5, checkpointed", "rodas4, checkpointed"]
each_way: Final = pytest.mark.parametrize("way", WAYS, ids=IDS)


def growth(y: Any, t: Any, rate: Any) -> Any:
    """Growth with a limit: y(t) = 1 / (1 + (1/y₀ - 1) exp(-rate (t - t₀)))."""
    return rate * y * (1 - y)


def grown(y0: Any, t: Any, rate: Any) -> Any:
    return 1 / (1 + (1 / y0 - 1) * np.exp(-rate * (t - t[0])))


@pytest.mark.parametrize(("method", "order", "within"), [("dopri5", 5, 4), ("tsit5", 5, 4), ("rodas4", 4, 3)])
def test_steps_have_their_order(method: Any, order: int, within: int) -> None:
    rule = settings("odeint", method, 1.0, 1.0, math.inf, None, 1)

    def slope(y: Any, t: Any) -> Any:  # y = exp(sin t)
        return y * fx.cos(t)

    def errors(h: float) -> tuple[float, float]:
        t, y = fx.asarray(0.3), fx.exp(fx.sin(fx.asarray([0.3])))
        step = METHODS[method].advance(slope, y, slope(y, t), t, fx.asarray(h))
        inside = along(y, dense(rule, step.increments), fx.asarray(0.4))
        exact = [np.exp(np.sin(0.3 + part * h)) for part in (1.0, 0.4)]
        return abs(float(step.y[0]) - exact[0]), abs(float(inside[0]) - exact[1])

    coarse, fine = errors(0.2), errors(0.1)
    measured = [math.log2(a / b) - 1 for a, b in zip(coarse, fine, strict=True)]
    assert measured[0] > order - 0.4, measured
    assert measured[1] > within - 0.4, measured


@each_way
def test_values_and_all_first_derivatives_are_those_of_the_closed_form(way: dict[str, Any]) -> None:
    t, y0, rate = np.array([0.5, 1.0, 1.7, 4.0]), 0.2, 1.3
    values = jit(lambda y0, t, rate: odeint(growth, y0, t, rate, **way))(y0, t, rate)
    np.testing.assert_allclose(values, grown(y0, t, rate), rtol=3e-8)
    weights = np.array([0.7, -1.0, 0.4, 2.0])

    def loss(y0: Any, t: Any, rate: Any) -> Any:  # the rate comes in as an argument and by the closure
        return fx.sum(weights * odeint(lambda y, t, half: half * growth(y, t, rate), y0, t, 0.5 * rate / 1.3, **way))

    half = grown(y0, t, rate * 0.5)
    spread = half * (1 - half)
    by_start = np.sum(weights * spread) / (y0 * (1 - y0))
    by_times = weights * rate * 0.5 * spread
    by_times[0] = -np.sum(by_times[1:])
    by_rate = np.sum(weights * spread * (t - t[0])) * 0.5 * 2  # once in each
    for actual, wanted in zip(jit(grad(loss, (0, 1, 2)))(y0, t, rate), (by_start, by_times, by_rate), strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=3e-7, atol=3e-8)


ORDERS: Final[dict[str, Any]] = {
    "forward": jacfwd,
    "reverse, reverse": lambda f: jacrev(jacrev(f)),
    "forward, reverse": lambda f: jacfwd(jacrev(f)),
    "reverse, forward": lambda f: jacrev(jacfwd(f)),
    "forward, forward, reverse": lambda f: jacfwd(jacfwd(jacrev(f))),
}


@pytest.mark.parametrize("mode", ORDERS)
@pytest.mark.parametrize("gradient", ["adjoint", "checkpointed"])
def test_derivatives_of_each_order_and_mode_are_those_of_the_closed_form(gradient: Any, mode: str) -> None:
    times = fx.asarray([0.3, 0.7, 1.1])
    way = {"gradient": gradient, "mxstep": 40, "rtol": 1e-9, "atol": 1e-9}
    point = fx.asarray([0.2, 1.3, 0.0])

    def moments(grown: Any, p: Any) -> Any:  # by the state, the rate and the times
        return fx.asarray([1.0, -0.4, 0.7]) @ grown(p[0], times * (1 + fx.asarray([0.0, 1.0, 3.0]) * p[2]), p[1])

    solved = ORDERS[mode](lambda p: moments(lambda y, t, rate: odeint(growth, y, t, rate, **way), p))
    closed = ORDERS[mode](lambda p: moments(lambda y, t, rate: 1 / (1 + (1 / y - 1) * fx.exp(-rate * (t - t[0]))), p))
    np.testing.assert_allclose(jit(solved)(point), closed(point), rtol=2e-6, atol=2e-7)


def test_a_rate_of_complex_numbers_differentiated_forwards() -> None:
    def end(angle: Any) -> Any:
        ys = odeint(lambda y, t, rate: rate * y, fx.asarray([1.0 + 0j]), [0.0, 0.5, 2.0], 1j * angle - 0.5)
        return fx.stack([fx.real(ys[-1, 0]), fx.imag(ys[-1, 0])])

    exact = 2j * np.exp(2 * (1.5j - 0.5))
    np.testing.assert_allclose(jit(jacfwd(end))(1.5), [exact.real, exact.imag], rtol=1e-6)
    np.testing.assert_allclose(jit(jacfwd(jacrev(end)))(1.5), [(2j * exact).real, (2j * exact).imag], rtol=1e-6)


@pytest.mark.parametrize("gradient", ["adjoint", "checkpointed"])
def test_lanes_are_solved_each_by_itself(gradient: Any) -> None:
    starts, rates = np.array([0.1, 0.4, np.nan]), np.array([1.0, 30.0, 1.0])
    t = fx.linspace(0.0, 1.0, 3)

    def end(y0: Any, rate: Any) -> Any:
        return odeint(growth, y0, t, rate, gradient=gradient, mxstep=200)[-1]

    each: Any = jit(lambda y0, rate: (end(y0, rate), grad(end, (0, 1))(y0, rate)))
    values, slopes = jit(vmap(each))(starts, rates)
    for i in range(3):
        value, slope = each(starts[i], rates[i])
        np.testing.assert_allclose([values[i], slopes[0][i], slopes[1][i]], [value, *slope], rtol=1e-9, atol=1e-12)
    assert np.isnan(values[2]) and np.isfinite(np.asarray(values)[:2]).all()


def test_a_stiff_equation_is_that_of_scipy() -> None:
    def slope(y: Any, t: Any, mu: Any) -> Any:
        return {"x": y["v"], "v": mu * (1 - y["x"] ** 2) * y["v"] - y["x"]}

    t = np.linspace(0.0, 1200.0, 7)
    radau = scipy.integrate.solve_ivp(
        lambda t, y: [y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]],
        (0, 1200),
        [2.0, 0.0],
        "Radau",
        t,
        rtol=1e-8,
        atol=1e-10,
    ).y[0]
    solve: Any = jit(
        lambda mu, mxstep: odeint(
            slope,
            {"x": 2.0, "v": 0.0},
            t,
            mu,
            rtol=1e-7,
            atol=1e-9,
            method="rodas4",
            gradient="checkpointed",
            mxstep=mxstep,
        )["x"],
        static_argnames="mxstep",
    )
    np.testing.assert_allclose(solve(1000.0, mxstep=1000), radau, rtol=1e-4)
    few = np.asarray(solve(1000.0, mxstep=20))
    assert np.isfinite(few[0]) and np.isnan(few[-1])


@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [
        ("float16", 2e-3),
        ("bfloat16", 1e-2),
        ("float32", 1e-5),
        ("float64", 1e-7),
        ("complex64", 1e-5),
        ("complex128", 1e-7),
    ],
)
def test_every_precision(dtype: Any, tolerance: float) -> None:
    y0 = {"a": fx.asarray([1.0, 2.0], dtype=dtype), "b": fx.asarray(0.5, dtype=dtype)}
    t = fx.asarray([0.0, 0.5, 2.0], dtype="float32")
    rate = -0.5 if not dtype.startswith("complex") else -0.5 + 2j

    def total(y0: Any) -> Any:
        return fx.sum(fx.real(odeint(lambda y, t: fx.tree_map(lambda x: rate * x, y), y0, t)["a"][-1]))

    ys = odeint(lambda y, t: fx.tree_map(lambda x: rate * x, y), y0, t)
    assert {leaf.dtype.dtype.name for leaf in fx.tree_leaves(ys)} == {dtype}
    exact = np.exp(rate * np.array([0.0, 0.5, 2.0]))
    wide = np.complex128 if isinstance(rate, complex) else np.float64
    np.testing.assert_allclose(
        np.asarray(ys["a"]).astype(wide), np.outer(exact, [1.0, 2.0]), rtol=tolerance, atol=tolerance
    )
    np.testing.assert_allclose(np.asarray(ys["b"]).astype(wide), 0.5 * exact, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(np.asarray(grad(total)(y0)["a"]).astype(wide), [exact[2]] * 2, rtol=10 * tolerance)


@each_way
def test_times_may_descend_repeat_and_be_one(way: dict[str, Any]) -> None:
    t = np.array([2.0, 1.2, 1.2, 0.0])
    np.testing.assert_allclose(odeint(growth, 0.6, t, 1.3, **way), grown(0.6, t, 1.3), rtol=1e-7)
    np.testing.assert_array_equal(odeint(growth, 0.6, [1.0], 1.3, **way), [0.6])
    np.testing.assert_array_equal(odeint(growth, 0.6, [1.0, 1.0], 1.3, **way), [0.6, 0.6])
    slope = grad(lambda y: fx.sum(odeint(growth, y, [1.0], 1.3, **way)))(0.6)
    assert float(slope) == 1.0
    empty = odeint(lambda y, t: (y[0], ()), (fx.zeros((2, 0)), ()), [0.0, 1.0, 3.0], **way)
    assert empty[0].shape == (3, 2, 0)


UNITS: Final[dict[str, tuple[float, float, float]]] = {
    "float32": (1e12, 1e30, 1e-30),
    "float64": (1e150, 1e290, 1e-290),
}


@each_way
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_unit_of_the_state_does_not_matter(way: dict[str, Any], dtype: str) -> None:
    t = np.linspace(0.0, 2.0, 3)

    def steady(y: Any, t: Any, speed: Any) -> Any:
        return speed + 0 * y

    def swing(y: Any, t: Any) -> Any:  # the last component stays 0, without any error
        return fx.stack([y[1], -y[0], 0 * y[2]])

    for unit in UNITS[dtype]:
        start = fx.asarray([0.0, unit, 0.0], dtype=getattr(fx, dtype))
        wanted = np.stack([np.sin(t), np.cos(t), 0 * t], axis=1)
        for atol in (1.4e-8, 0.0) if unit > 1 else (0.0,):
            ys = odeint(swing, start, t, **way | {"atol": atol, "rtol": 1e-6, "mxstep": 1024})
            np.testing.assert_allclose(np.asarray(ys) / unit, wanted, rtol=1e-4, atol=1e-4)
    for speed in UNITS[dtype][:2]:  # whose first step is short
        start = fx.zeros(1, dtype=getattr(fx, dtype))
        ys = odeint(steady, start, t, fx.asarray(speed, dtype=start.dtype), **way | {"mxstep": 1024})
        np.testing.assert_allclose(np.asarray(ys[:, 0]) / speed, t, rtol=1e-5)


@each_way
def test_without_an_answer_there_is_nan(way: dict[str, Any]) -> None:
    way = {"mxstep": 400, **way}
    t = [0.0, 0.5, 0.9, 1.5]
    explodes = np.asarray(odeint(lambda y, t: y**2, 1.0, t, **way))  # y = 1 / (1 - t)
    np.testing.assert_allclose(explodes[:3], [1.0, 2.0, 10.0], rtol=1e-5)
    assert np.isnan(explodes[3])
    late = np.asarray(odeint(lambda y, t: fx.sqrt(0.7 - t), 1.0, t, **way))
    assert np.isfinite(late[:2]).all() and np.isnan(late[2:]).all()
    assert np.isnan(np.asarray(odeint(lambda y, t: y * fx.nan, 1.0, t, **way))[1:]).all()
    few = np.asarray(odeint(lambda y, t: fx.cos(50 * t), 0.0, t, **{**way, "mxstep": 5}))
    assert np.isnan(few[1:]).all()
    wrong = np.asarray(jit(lambda t: odeint(growth, 0.5, t, 1.0, **way))(fx.asarray([0.0, fx.nan, 1.0])))
    assert np.isnan(wrong[1])


@pytest.mark.parametrize("way", [*WAYS, {"gradient": "checkpointed"}], ids=[*IDS, "dopri5, checkpointed"])
def test_states_without_an_answer_say_nothing_of_the_derivatives_of_others(way: dict[str, Any]) -> None:
    t, way = fx.asarray([0.0, 0.5, 1.0, 1.5]), {"mxstep": 400, **way}

    def states(y0: Any, t: Any, rate: Any) -> Any:
        return odeint(lambda y, t, rate: rate * y**2, y0, t, rate, **way)  # y₀ / (1 - rate · y₀ · t)

    of_y, of_t, of_rate = grad(lambda *arguments: states(*arguments)[1], (0, 1, 2))(1.5, t, 1.0)
    expected = [16.0, -36.0, 36.0, 0.0, 0.0, 18.0]
    np.testing.assert_allclose([of_y, *np.asarray(of_t), of_rate], expected, rtol=1e-5)
    forwards = jit(jacfwd(lambda *arguments: states(*arguments)[1], (0, 1, 2)))(1.5, t, 1.0)
    np.testing.assert_allclose([forwards[0], *np.asarray(forwards[1]), forwards[2]], expected, rtol=1e-5)
    lanes = jit(vmap(grad(lambda y0: states(y0, t, 1.0)[1])))(fx.asarray([0.5, 1.5, 3.0]))
    np.testing.assert_allclose(lanes, [16 / 9, 16.0, np.nan], rtol=1e-5)


@pytest.mark.parametrize("mode", ["reverse, reverse", "reverse, forward"])
@pytest.mark.parametrize("gradient", ["adjoint", "checkpointed"])
def test_nor_of_their_second_derivatives(gradient: Any, mode: str) -> None:
    def third(p: Any) -> Any:
        times = fx.stack([p[2], 0.5, p[3], 1.5])
        return odeint(lambda y, t, rate: rate * y**2, p[0], times, p[1], gradient=gradient, mxstep=100)[2]

    point = fx.asarray([1.5, 1.0, 0.0, 0.55])
    closed = jacfwd(jacrev(lambda p: p[0] / (1 - p[1] * p[0] * (p[3] - p[2]))))(point)
    np.testing.assert_allclose(jit(ORDERS[mode](third))(point), closed, rtol=1e-4)


@pytest.mark.parametrize("times", [[0.0, 2.0, 1.0], [2.0, 0.0, 1.0]])
def test_unknown_times_out_of_order_have_no_answer(times: Any) -> None:
    ys = np.asarray(jit(lambda t: odeint(lambda y, t: -y, 1.0, t))(fx.asarray(times)))
    assert ys[0] == 1.0 and np.isnan(ys[1:]).all()


@pytest.mark.parametrize("gradient", ["adjoint", "checkpointed"])
def test_steps_are_those_between_floats(gradient: str) -> None:
    late: Any = lambda t, length, dtype: odeint(
        lambda y, t: -y, fx.ones(1, dtype=dtype), fx.asarray([t, t + length], dtype=dtype), gradient=gradient
    )[1, 0]
    for t, length, dtype in (
        (1e12, 2.0, "float64"),
        (-1e12, 2.0, "float64"),
        (1e12, -2.0, "float64"),
        (1e5, 2.0, "float32"),
    ):
        np.testing.assert_allclose(late(t, length, dtype), np.exp(-length), rtol=1e-6)
    for t, dtype in ((1e16, "float64"), (1e7, "float32")):  # the shortest step has a great error
        assert np.isnan(late(t, 2.0, dtype))


REFUSED: Final[dict[str, tuple[type[EffaxError], str, Any]]] = {
    "keys": (
        ArgumentError,
        "y0.'k'. must be .* keys",
        lambda: odeint(lambda y, t: y, {"k": fx.random.key(0)}, [0.0, 1]),
    ),
    "other tree": (TreeError, "which must be a tree like y0", lambda: odeint(lambda y, t: (y, y), 1.0, [0.0, 1.0])),
    "other shape": (ShapeError, "where y0 is", lambda: odeint(lambda y, t: fx.zeros(2), 1.0, [0.0, 1.0])),
    "complex slope": (DTypeError, "of real numbers", lambda: odeint(lambda y, t: 1j * y, 1.0, [0.0, 1.0])),
    "complex times": (DTypeError, "t must be of real", lambda: odeint(lambda y, t: y, 1.0, [0.0, 1j])),
    "times of no rank": (ShapeError, "vector of times", lambda: odeint(lambda y, t: y, 1.0, 1.0)),
    "no time": (ShapeError, "vector of times", lambda: odeint(lambda y, t: y, 1.0, [])),
    "no number": (ArgumentError, "in order", lambda: odeint(lambda y, t: y, 1.0, [0.0, np.nan, 1.0])),
    "no order": (ArgumentError, "in order", lambda: odeint(lambda y, t: y, 1.0, [0.0, 1.0, 0.5])),
    "rtol": (ArgumentError, "rtol", lambda: odeint(lambda y, t: y, 1.0, [0.0, 1.0], rtol=-1.0)),
    "no tolerance": (ArgumentError, "both are 0", lambda: odeint(lambda y, t: y, 1.0, [0.0, 1.0], rtol=0.0, atol=0)),
    "mxstep": (ArgumentError, "mxstep", lambda: odeint(lambda y, t: y, 1.0, [0.0, 1.0], mxstep=0)),
    "hmax": (ArgumentError, "hmax", lambda: odeint(lambda y, t: y, 1.0, [0.0, 1.0], hmax=0.0)),
    "method": (ArgumentError, "'rodas4'", lambda: odeint(lambda y, t: y, 1.0, [0.0, 1.0], method="rk4")),
    "stiff": (
        ArgumentError,
        "checkpointed",
        lambda: odeint(lambda y, t: y, 1.0, [0.0, 1.0], method="rodas4", gradient="adjoint"),
    ),
    "text": (ArgumentError, "y0", lambda: odeint(lambda y, t: y, "a", [0.0, 1.0])),
    "nothing": (ArgumentError, "odeint: y0 must be a number, an", lambda: odeint(lambda y, t: -y, None, [0.0, 1.0])),
}


def test_functions_of_the_other_order_are_refused_where_no_shape_shows_it() -> None:
    solve_ivp, ts = fx.integrate.solve_ivp, [0.0, 1.0]

    class Model:
        def slope(self, t: Any, y: Any, rate: Any) -> Any:
            return rate * y

    event: Any = fx.integrate.Event(lambda y, t: y - 0.5)
    odd = functools.partial(Model().slope, rate=-1.0)  # what is bound stays among the keywords
    calls: dict[str, Any] = {
        r"odeint: f is called with \(y, t, \*args\), but its parameters are \(t, y, rate\); exchange": (
            lambda: odeint(odd, 1.0, ts)
        ),
        r"odeint: .* \(t, y\)": lambda: jit(lambda y0: odeint(lambda t, y: -y, y0, ts))(1.0),
        r"solve_ivp: f is called with \(t, y, \*args\), but its parameters are \(x, t\)": (
            lambda: solve_ivp(lambda x, t: -x, ts, 1.0)
        ),
        r"solve_ivp: events\[0\].function .* \(y, t\)": lambda: solve_ivp(odd, ts, 1.0, events=[event]),
    }
    for words, call in calls.items():
        with pytest.raises(ArgumentError, match=words):
            call()
    untold: tuple[Any, ...] = (lambda u, v: -u, lambda *both: -both[0])
    for f in untold:  # other names say nothing
        assert abs(float(odeint(f, 1.0, ts)[-1]) - math.exp(-1)) < 1e-7


@pytest.mark.parametrize(("error", "words", "call"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_refused(error: type[EffaxError], words: str, call: Any) -> None:
    with pytest.raises(error, match=words):
        call()
