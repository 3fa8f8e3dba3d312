"""States at times and their two derivatives: those of the equation, and those of the steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.integrate.methods import Slope, Step
from effects.integrate.problems import Settings
from effects.integrate.stepping import Walk, started, states, step
from effects.types.dtypes import Complex

type Constants = list[Array]
type FullSlope = Callable[[Array, Array, Array, Constants], Array]
type Residuals = tuple[Array, Array, Array, Constants]
type Differentials = tuple[Array, Array, Array, object]


def bound(slope: FullSlope, parameters: Array, constants: Constants) -> Slope:
    return lambda y, t: slope(y, t, parameters, constants)


# -- results that are not there ------------------------------------------------------------------------------------


def _or_nan(known: Array, x: Array) -> Array:
    return fx.where(known, x, fx.nan)


def _backwards_or_nan(known: Array, ct: Array) -> tuple[None, Array]:
    return None, or_nan(fx.logical_or(known, ct == 0), ct)  # a result that is not used says nothing of the others


def _rule_or_nan(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    (known, x), (_, tangent) = primals, tangents
    return or_nan(known, x), or_nan(known, tangent)


or_nan = handlers.custom_vjp(_or_nan)
"""x where it is known, elsewhere NaN, as are its derivatives there."""
or_nan.defvjp(lambda known, x: (_or_nan(known, x), known), _backwards_or_nan)
or_nan.defjvp(_rule_or_nan)


# -- the adjoint equation, and that of sensitivities -----------------------------------------------------------------


def _solved(
    slope: FullSlope, settings: Settings, y: Array, times: Array, parameters: Array, constants: Constants
) -> Array:
    return states(bound(slope, parameters, constants), settings, y, times)


def _forwards(
    slope: FullSlope, settings: Settings, y: Array, times: Array, parameters: Array, constants: Constants
) -> tuple[Array, Residuals]:
    ys = adjoint(slope, settings, y, times, parameters, constants)
    return ys, (ys, times, parameters, constants)


def _backwards(
    slope: FullSlope, settings: Settings, residuals: Residuals, cts: Array
) -> tuple[Array, Array, Array, None]:
    """From each time to the one before: the state y, its cotangent a, and that of the parameters, one vector.

    y' = f, a' = -(∂f/∂y)ᵀa, q' = -(∂f/∂p)ᵀa.
    """
    ys, times, parameters, constants = residuals
    n, of_state, of_parameters = ys.shape[1], ys.aval.dtype, parameters.aval.dtype
    common = fx.result_type(of_state, of_parameters)

    def back(z: Array, t: Array, parameters: Array, constants: Constants) -> Array:
        y, a = _real_or_not(z[:n], of_state), _real_or_not(z[n : 2 * n], of_state)
        rate, pull = handlers.vjp(lambda y, parameters: slope(y, t, parameters, constants), y, parameters)
        of_y, of_p = pull(a)
        return fx.concat([convert(rate, common), -convert(of_y, common), -convert(of_p, common)])

    def to_last(carry: tuple[Array, Array], now: tuple[Array, ...]) -> tuple[tuple[Array, Array], Array]:
        a, q = carry
        y, ct, t, last = now
        a = a + ct
        used = fx.any(a != 0)  # a state that no result is made of may be NaN
        start = fx.concat([convert(y, common), convert(a, common), convert(q, common)])
        end = adjoint(back, settings, start, fx.stack([t, last]), parameters, constants)[1]
        end = fx.where(used, end, start)
        by_time = _inner(ct, slope(fx.where(used, y, ys[0]), t, parameters, constants), t)
        return (_real_or_not(end[n : 2 * n], of_state), _real_or_not(end[2 * n :], of_parameters)), by_time

    nothing = fx.zeros_like(ys[0]), fx.zeros_like(parameters)
    (a, q), by_times = handlers.scan(to_last, nothing, (ys[1:], cts[1:], times[1:], times[:-1]), reverse=True)
    by_start = -_inner(a, slope(ys[0], times[0], parameters, constants), times)
    return a + cts[0], fx.concat([by_start[None], by_times]), q, None


def _real_or_not(x: Array, dtype: type[fx.DType]) -> Array:
    return convert(x if issubclass(dtype, Complex) else fx.real(x), dtype)


def _inner(a: Array, slope: Array, t: Array) -> Array:
    return convert(fx.real(fx.sum(a * slope, where=a != 0)), t.aval.dtype)


def _along(slope: FullSlope, settings: Settings, primals: Residuals, tangents: Differentials) -> tuple[Array, Array]:
    """The states and their tangents s, solved together: y' = f, s' = (∂f/∂y) s + (∂f/∂p) ṗ."""
    (y, times, parameters, constants), (dy, dtimes, dparameters, _) = primals, tangents
    n = y.size

    def both(z: Array, t: Array, parameters: Array, constants: Constants) -> Array:
        p, dp = fx.split(parameters, 2)
        rate, change = handlers.jvp(lambda y, p: slope(y, t, p, constants), (z[:n], p), (z[n:], dp))
        return fx.concat([rate, change])

    ys = adjoint(slope, settings, y, times, parameters, constants)
    known = fx.all(fx.isfinite(ys), axis=1, keepdims=True)
    rates = handlers.vmap(lambda y, t: slope(y, t, parameters, constants))(fx.where(known, ys, y), times)
    moved = or_nan(known, convert(dtimes, ys.aval.dtype)[:, None] * rates)
    start = fx.concat([y, dy - moved[0]])
    together = adjoint(both, settings, start, times, fx.concat([parameters, dparameters]), constants)
    return ys, together[:, n:] + moved


adjoint = handlers.custom_vjp(_solved, nondiff_argnums=(0, 1))
"""The states at the times, whose derivatives are those of the equation, up to the tolerance."""
adjoint.defvjp(_forwards, _backwards)
adjoint.defjvp(_along)


# -- the steps that were taken ---------------------------------------------------------------------------------------


class Knots(NamedTuple):
    """The times between steps, [most + 1], the last of which is repeated; the number of steps; the walk at its end."""

    times: Array
    steps: Array
    walk: Walk
    stopped: Array


def knots(
    f: Slope, settings: Settings, y: Array, start: Array, end: Array, stops: Callable[[Walk], Array] | None = None
) -> Knots:
    """The steps to the end, or to the first after which the walk stops. They have no derivatives."""

    def on(state: Knots) -> Knots:
        after = step(f, settings, state.walk, end)
        steps = state.steps + convert(after.t != state.walk.t, fx.int32)
        stopped = state.stopped if stops is None else fx.logical_and(steps != state.steps, stops(after))
        return Knots(state.times.at[steps].set(after.t), steps, after, stopped)

    def going(state: Knots) -> Array:
        more = fx.logical_and(state.walk.before(end), state.steps < settings.most)
        return fx.logical_and(more, ~state.stopped)

    times, walk = fx.full((settings.most + 1,), start), started(f, settings, y, start, end)
    last = handlers.while_loop(going, on, Knots(times, fx.asarray(0, dtype=fx.int32), walk, fx.asarray(False)))
    times = fx.where(fx.arange(settings.most + 1) > last.steps, last.walk.t, last.times)
    walk = last.walk.stopped_before(fx.where(last.stopped, last.walk.t, end))
    return last._replace(times=times, walk=walk)


type Here = tuple[Array, Array, Array]
"""A state, its slope, the time."""


def path[T](
    f: Slope, settings: Settings, y: Array, start: Array, times: Array, kept: Array, observe: Callable[[Step], T]
) -> T:
    """`observe` of the step to each time, which is from the last one that is kept: of any derivative.

    Nothing but the states is kept on the way there.
    """

    @handlers.checkpoint
    def advance(y: Array, slope: Array, t: Array, end: Array) -> tuple[Here, T]:
        ahead = settings.method.advance(f, y, slope, t, end - t)
        return (ahead.y, ahead.slope, end), observe(ahead)

    def on(state: Here, now: tuple[Array, Array]) -> tuple[Here, T]:
        (y, slope, t), (end, keep) = state, now

        def stay() -> tuple[Here, T]:
            increments = fx.zeros((len(settings.method.dense), y.size), dtype=y.aval.dtype)
            return (y, slope, end), observe(Step(y, slope, increments, fx.zeros_like(y)))

        def go() -> tuple[Here, T]:
            return advance(y, slope, t, end)

        ahead, here = handlers.cond(fx.logical_and(keep, t == end), stay, go)
        return fx.tree_map(lambda new, old: fx.where(keep, new, old), ahead, state), here

    begin: Here = y, f(y, start), start
    return handlers.scan(on, begin, (times, kept))[1]


def checkpointed(
    slope: FullSlope, settings: Settings, y: Array, times: Array, parameters: Array, constants: Constants
) -> Array:
    """The states at the times by the steps whose sizes are known: between two of them by a shorter one."""
    f = bound(slope, parameters, constants)
    y_fixed, first, last, of_slope = handlers.stop_gradient((y, times[0], times[-1], parameters))
    way = knots(bound(slope, of_slope, constants), settings, y_fixed, first, last)
    sign = fx.sign(times[-1] - times[0])
    missing = fx.logical_and(way.walk.failed, (times[1:] - way.walk.t) * sign > 0)
    missing = fx.logical_or(missing, fx.isnan(times[1:]))
    reached = fx.where(missing, way.walk.t, times[1:])  # a step beyond has infinities, which are NaN on the way back
    together, kept = fx.concat([reached, way.times[1:]]), fx.concat([missing, fx.full(settings.most, True)])
    order, count = fx.argsort(sign * together), len(times) - 1
    ys = path(f, settings, y, times[0], together[order], kept[order], lambda step: step.y)
    return fx.concat([y[None], or_nan(~missing[:, None], ys[fx.argsort(order)[:count]])])
