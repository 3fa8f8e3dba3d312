"""`solve_ivp` beside SciPy and closed forms: dense output, events, their derivatives, lanes, and refusals."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.integrate

import effects as fx
from effects.errors import ArgumentError, DTypeError, EffaxError, ShapeError
from handlers import grad, hessian, jacfwd, jacrev, vmap
from lowering import jit

solve_ivp: Final[Any] = fx.integrate.solve_ivp
Event = fx.integrate.Event


def hunted(t: Any, y: Any) -> Any:
    return fx.stack([1.5 * y[0] - y[0] * y[1], y[0] * y[1] - 3 * y[1]])


def _prey(t: Any, y: Any) -> Any:
    return y[0] - 3 + 0.1 * fx.sin(t)


@pytest.mark.parametrize(("method", "within"), [("dopri5", 2e-5), ("tsit5", 2e-5), ("rodas4", 1e-4)])
@pytest.mark.parametrize("span", [(0.0, 6.0), (1.0, -4.0)])
def test_events_and_dense_output_are_those_of_scipy(method: Any, within: float, span: Any) -> None:
    rules = [(_prey, 0), (_prey, 1), (_prey, -1), (lambda t, y: y[0] - y[1], 0)]
    events = [Event(f, direction=direction) for f, direction in rules]
    result = jit(lambda y: solve_ivp(hunted, span, y, events=events, method=method, rtol=1e-7, atol=1e-9))(
        fx.asarray([10.0, 5.0])
    )
    theirs: list[Any] = []
    for f, direction in rules:
        theirs.append(lambda t, y, f=f: float(f(fx.asarray(t), fx.asarray(y))))
        theirs[-1].direction = direction
    exact = scipy.integrate.solve_ivp(
        lambda t, y: [1.5 * y[0] - y[0] * y[1], y[0] * y[1] - 3 * y[1]],
        span,
        [10.0, 5.0],
        "DOP853",
        events=theirs,
        dense_output=True,
        rtol=1e-11,
        atol=1e-13,
    )
    assert int(result.status) == 0 and float(result.t[-1]) == span[1]
    for t, y, wanted, states in zip(result.t_events, result.y_events, exact.t_events, exact.y_events, strict=True):
        count = int(fx.sum(~fx.isnan(t)))
        assert count == len(wanted) > 0
        np.testing.assert_allclose(t[:count], wanted, atol=within)
        np.testing.assert_allclose(y[:count], states, atol=10 * within)
    times = np.linspace(span[0], span[1], 50)
    np.testing.assert_allclose(result.sol(times), exact.sol(times).T, atol=10 * within)
    np.testing.assert_allclose(result.sol(result.t[3]), result.y[3], rtol=1e-12)
    np.testing.assert_allclose(fx.diff(result.t), result.lengths, rtol=1e-9, atol=1e-12)
    outside = np.asarray(result.sol([2 * span[0] - span[1], 2 * span[1] - span[0]]))
    assert np.isnan(outside).all()


def thrown(t: Any, y: Any, g: Any) -> Any:
    return {"height": y["speed"], "speed": -g}


GROUND: Final = Event(lambda t, y, g: y["height"], terminal=True, direction=-1)
TOP: Final = Event(lambda t, y, g: y["speed"], most=2)


def flight(speed: Any, g: Any, end: Any = 9.0) -> Any:
    """Up from the ground and back: 2v/g, and the height v²/2g after v/g."""
    return solve_ivp(thrown, fx.stack([0.0, end]), {"height": 0.0, "speed": speed}, g, events=[GROUND, TOP], mxstep=32)


def test_terminal_events_end_the_equation_and_are_differentiated() -> None:
    result = jit(flight)(10.0, 9.8)
    assert int(result.status) == 1
    np.testing.assert_allclose([result.t[-1], result.t_events[0][0]], 20 / 9.8, rtol=1e-12)
    np.testing.assert_array_equal(result.t[int(result.steps) :], result.t[-1])
    np.testing.assert_allclose(result.y["speed"][-1], -10.0, rtol=1e-12)
    np.testing.assert_allclose(result.t_events[1], [10 / 9.8, np.nan], rtol=1e-12)
    np.testing.assert_allclose(result.y_events[1]["height"], [100 / 19.6, np.nan], rtol=1e-9)
    assert np.isnan(float(result.sol(2.1)["height"])) and float(result.sol(2.0)["height"]) > 0

    def landing(x: Any) -> Any:
        result = flight(x[0], x[1])
        return fx.stack([result.t[-1], result.y["speed"][-1], result.t_events[1][0], result.y_events[1]["height"][0]])

    x, v, g = fx.asarray([10.0, 9.8]), 10.0, 9.8
    wanted = [[2 / g, -2 * v / g**2], [-1.0, 0.0], [1 / g, -v / g**2], [v / g, -(v**2) / (2 * g**2)]]
    for derivative in (jacfwd(landing), jit(jacrev(landing))):
        np.testing.assert_allclose(derivative(x), wanted, rtol=1e-6, atol=1e-9)
    second = [[0.0, -2 / g**2], [-2 / g**2, 4 * v / g**3]]
    np.testing.assert_allclose(jit(hessian(lambda x: landing(x)[0]))(x), second, rtol=1e-6, atol=1e-9)
    late = jit(grad(lambda end: flight(100.0, 9.8, end).y["height"][-1]))(9.0)
    np.testing.assert_allclose(late, 100 - 9.8 * 9, rtol=1e-6)


def test_lanes_end_each_by_itself() -> None:
    speeds = fx.asarray([5.0, 10.0, 100.0, np.nan])
    both: Any = jit(lambda v: (flight(v, 9.8), grad(lambda v: flight(v, 9.8).t[-1])(v)))
    lanes, slopes = jit(vmap(both))(speeds)
    np.testing.assert_array_equal(lanes.status, [1, 1, 0, -1])
    np.testing.assert_allclose(lanes.t[:, -1], [10 / 9.8, 20 / 9.8, 9.0, 0.0], rtol=1e-12)
    for i in range(3):
        alone, slope = both(speeds[i])
        for lane, one in zip(fx.tree_leaves(lanes), fx.tree_leaves(alone), strict=True):
            np.testing.assert_allclose(lane[i], one, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(slopes[i], slope, rtol=1e-9)


def test_where_there_is_no_answer_and_no_event() -> None:
    explodes = solve_ivp(lambda t, y: y**2, [0.0, 2.0], 1.0, mxstep=300)
    assert int(explodes.status) == -1 and 0.99 < float(explodes.t[-1]) <= 1.0 + 1e-6
    assert np.isnan(float(explodes.sol(1.5))) and np.isclose(float(explodes.sol(0.5)), 2.0)
    nowhere = solve_ivp(lambda t, y: y * fx.nan, [0.0, 1.0], 2.0, mxstep=4)
    np.testing.assert_array_equal(nowhere.sol([-1.0, 0.0, 1.0]), [np.nan, 2.0, np.nan])
    with pytest.raises(DTypeError, match="sol: t must be of real numbers"):
        nowhere.sol(1j)
    few = solve_ivp(lambda t, y: fx.cos(50 * t), [0.0, 9.0], 0.0, mxstep=5)
    assert int(few.status) == -1 and int(few.steps) == 5 and "status=-1 (no answer)" in repr(few)
    still = solve_ivp(lambda t, y: -y, [1.0, 1.0], 2.0, events=[Event(lambda t, y: y - 2)])
    assert int(still.status) == 0 and int(still.steps) == 0 and float(still.sol(1.0)) == 2.0
    assert np.isnan(np.asarray(still.t_events[0])).all()
    turning = solve_ivp(lambda t, y: 1j * y, [0.0, 4.0], 1.0 + 0j, events=[Event(lambda t, y: fx.real(y))])
    np.testing.assert_allclose(turning.t_events[0][:1], np.pi / 2, rtol=1e-7)
    half = solve_ivp(lambda t, y: -y, [0.0, 1.0], fx.asarray([1.0], dtype="float16"))
    assert str(half.y.dtype) == str(half.sol(0.5).dtype) == "float16"
    np.testing.assert_allclose(half.sol(0.5), np.exp(-0.5), rtol=2e-3)


@pytest.mark.parametrize("method", ["dopri5", "rodas4"])
def test_a_span_of_no_length_has_the_derivatives_of_a_short_one(method: Any) -> None:
    def solution(x: Any) -> Any:
        span = fx.stack([x[0], x[1]])
        return solve_ivp(lambda t, y, c: t**2 - c * y * t, span, x[2], x[3], mxstep=4, method=method)

    def end(x: Any) -> Any:
        return solution(x).y[-1]

    def between(x: Any) -> Any:
        return solution(x).sol(x[1])

    t, y, c = 0.5, 2.0, 1.5
    slope, by_time, by_state = t**2 - c * y * t, 2 * t - c * y, -c * t
    x = fx.asarray([t, t, y, c])
    for derivative in (jacfwd(end), jit(jacfwd(end)), jacrev(end), jit(jacrev(end)), jacfwd(between), jacrev(between)):
        np.testing.assert_allclose(derivative(x), [-slope, slope, 1.0, 0.0], rtol=1e-14)
    of_slope = [-by_state * slope, by_time + by_state * slope, by_state, -y * t]
    np.testing.assert_allclose(jit(hessian(end))(x)[1], of_slope, rtol=1e-13)
    steep = solve_ivp(lambda t, y: fx.sqrt(t) - fx.sqrt(y), [0.0, 0.0], 0.0, method=method)  # an infinite Jacobian
    assert float(steep.y[-1]) == float(steep.sol(0.0)) == int(steep.status) == 0


def _decay(t: Any, y: Any) -> Any:
    return -y


REFUSED: Final[dict[str, tuple[type[EffaxError], str, Any]]] = {
    "one time": (ShapeError, "the first and the last time", lambda: solve_ivp(_decay, [0.0], 1.0)),
    "a state as times": (ShapeError, "the first and the last", lambda: solve_ivp(_decay, fx.arange(3.0), [0.0, 9.0])),
    "complex times": (DTypeError, "t_span must be of real", lambda: solve_ivp(_decay, [0.0, 1j], 1.0)),
    "rtol": (ArgumentError, "rtol", lambda: solve_ivp(_decay, [0.0, 1.0], 1.0, rtol=-1.0)),
    "no event": (ArgumentError, "an Event", lambda: solve_ivp(_decay, [0.0, 1.0], 1.0, events=[_decay])),
    "no sequence": (ArgumentError, "events", lambda: solve_ivp(_decay, [0.0, 1.0], 1.0, events=Event(_decay))),
    "one event": (
        ArgumentError,
        r"a list of events, \[event\]",
        lambda: solve_ivp(_decay, [0, 1.0], 1.0, events=GROUND),
    ),
    "direction": (ArgumentError, "Event: direction must be -1, 0 or 1, got 2", lambda: Event(_decay, False, 2)),
    "most": (ArgumentError, "most", lambda: Event(_decay, most=0)),
    "terminal": (ArgumentError, "terminal", lambda: Event(_decay, 3)),  # type: ignore[arg-type]  # the mistake
    "no function": (ArgumentError, "Event takes a function as function, got 3", lambda: Event(3)),  # type: ignore[arg-type]  # the mistake
    "event's shape": (ShapeError, "a scalar", lambda: solve_ivp(_decay, [0, 1.0], fx.ones(2), events=[Event(_decay)])),
    "event's dtype": (
        DTypeError,
        "a float",
        lambda: solve_ivp(_decay, [0, 1.0], 1.0, events=[Event(lambda t, y: y > 0)]),
    ),
    "times": (ShapeError, "a vector of times", lambda: solve_ivp(_decay, [0.0, 1.0], 1.0).sol(fx.ones((2, 2)))),
}


@pytest.mark.parametrize(("error", "words", "call"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_refused(error: type[EffaxError], words: str, call: Any) -> None:
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("c", [0.1, 0.3])
def test_derivatives_of_what_is_not_there_are_nan_and_leave_those_of_the_rest_alone(c: float) -> None:
    def solved(c: Any) -> tuple[Any, ...]:
        events = [Event(lambda t, y, c: y - 2.0), Event(lambda t, y, c: y - 0.8)]
        result = solve_ivp(lambda t, y, c: -c * y, [0.0, 5.0], 1.0, c, events=events)
        (never, once), (_, state) = result.t_events, result.y_events
        return never[0], result.sol(7.0), state[1], once[0], result.y[-1]

    wanted = [np.nan, np.nan, np.nan, np.log(0.8) / c**2, -5 * np.exp(-5 * c)]
    reverse = [grad(lambda c, i=i: solved(c)[i])(c) for i in range(5)]
    for derivatives in (reverse, jacfwd(solved)(c), jit(jacrev(solved))(c)):
        np.testing.assert_allclose(derivatives, wanted, rtol=1e-6)
