"""States at times and their two derivatives: the adjoint equation's, and that of the steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.integrate.methods import Slope
from effects.integrate.problems import Settings
from effects.integrate.stepping import Walk, before, started, states, step
from effects.types.dtypes import Complex

type Constants = list[Array]
type FullSlope = Callable[[Array, Array, Array, Constants], Array]
type Residuals = tuple[Array, Array, Array, Constants]


def _bound(slope: FullSlope, parameters: Array, constants: Constants) -> Slope:
    return lambda y, t: slope(y, t, parameters, constants)


# -- the adjoint equation --------------------------------------------------------------------------------------------


def _solved(
    slope: FullSlope, settings: Settings, y: Array, times: Array, parameters: Array, constants: Constants
) -> Array:
    return states(_bound(slope, parameters, constants), settings, y, times)


def _forwards(
    slope: FullSlope, settings: Settings, y: Array, times: Array, parameters: Array, constants: Constants
) -> tuple[Array, Residuals]:
    ys = _solved(slope, settings, y, times, parameters, constants)
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

    def back(z: Array, t: Array) -> Array:
        y, a = _real_or_not(z[:n], of_state), _real_or_not(z[n : 2 * n], of_state)
        rate, pull = handlers.vjp(lambda y, parameters: slope(y, t, parameters, constants), y, parameters)
        of_y, of_p = pull(a)
        return fx.concat([convert(rate, common), -convert(of_y, common), -convert(of_p, common)])

    def to_last(carry: tuple[Array, Array], now: tuple[Array, ...]) -> tuple[tuple[Array, Array], Array]:
        a, q = carry
        y, ct, t, last = now
        start = fx.concat([convert(y, common), convert(a + ct, common), convert(q, common)])
        end = states(back, settings, start, fx.stack([t, last]))[1]
        by_time = _inner(ct, slope(y, t, parameters, constants), t)
        return (_real_or_not(end[n : 2 * n], of_state), _real_or_not(end[2 * n :], of_parameters)), by_time

    nothing = fx.zeros_like(ys[0]), fx.zeros_like(parameters)
    (a, q), by_times = handlers.scan(to_last, nothing, (ys[1:], cts[1:], times[1:], times[:-1]), reverse=True)
    by_start = -_inner(a, slope(ys[0], times[0], parameters, constants), times)
    return a + cts[0], fx.concat([by_start[None], by_times]), q, None


def _real_or_not(x: Array, dtype: type[fx.DType]) -> Array:
    return convert(x if issubclass(dtype, Complex) else fx.real(x), dtype)


def _inner(a: Array, slope: Array, t: Array) -> Array:
    return convert(fx.real(fx.sum(a * slope)), t.aval.dtype)


adjoint = handlers.custom_vjp(_solved, nondiff_argnums=(0, 1))
adjoint.defvjp(_forwards, _backwards)


# -- the steps that were taken ---------------------------------------------------------------------------------------


class Path(NamedTuple):
    """Times of steps [steps + 1] and the states there, with the slopes; the last is repeated. How it ended."""

    times: Array
    states: Array
    slopes: Array
    walk: Walk


def knots(f: Slope, settings: Settings, y: Array, start: Array, end: Array) -> tuple[Array, Walk]:
    """The times between steps, [most + 1], the last of which is repeated, and the walk at its end. No derivatives."""

    def on(state: tuple[Array, Array, Walk]) -> tuple[Array, Array, Walk]:
        times, count, walk = state
        after = step(f, settings, walk, end)
        count = count + convert(after.t != walk.t, fx.int32)
        return times.at[count].set(after.t), count, after

    walk, most = started(f, settings, y, start, end), settings.most
    times, count, walk = handlers.while_loop(
        lambda state: fx.logical_and(before(state[2], end), state[1] < most),
        on,
        (fx.full((most + 1,), start), fx.asarray(0, dtype=fx.int32), walk),
    )
    failed = fx.logical_or(walk.failed, before(walk, end))
    return fx.where(fx.arange(most + 1) > count, walk.t, times), walk._replace(failed=failed)


def path(f: Slope, settings: Settings, y: Array, times: Array, walk: Walk) -> Path:
    """The steps between these times: of any derivative, of which nothing but the states is kept."""

    @handlers.checkpoint
    def advance(y: Array, slope: Array, t: Array, h: Array) -> tuple[Array, Array]:
        ahead = settings.method.advance(f, y, slope, t, h)
        return ahead.y, ahead.slope

    def on(state: tuple[Array, Array], now: tuple[Array, Array]) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        t, end = now
        y, slope = state

        def stay() -> tuple[Array, Array]:
            return y, slope

        def go() -> tuple[Array, Array]:
            return advance(y, slope, t, end - t)

        later = handlers.cond(t == end, stay, go)
        return later, later

    start = y, f(y, times[0])
    _, later = handlers.scan(on, start, (times[:-1], times[1:]))
    ys, slopes = [fx.concat([first[None], others]) for first, others in zip(start, later, strict=True)]
    return Path(times, ys, slopes, walk)


def checkpointed(
    slope: FullSlope, settings: Settings, y: Array, times: Array, parameters: Array, constants: Constants
) -> Array:
    """The states at the times by the steps whose sizes are known: between two of them by a shorter one."""
    f = _bound(slope, parameters, constants)
    fixed = [handlers.stop_gradient(x) for x in (y, times[0], times[-1], parameters)]
    within, walk = knots(_bound(slope, fixed[3], constants), settings, *fixed[:3])
    way = path(f, settings, y, fx.concat([times[:1], within[1:]]), walk)
    sign = fx.sign(walk.h)
    places = fx.clip(fx.searchsorted(sign * way.times, sign * times[1:]) - 1, 0, settings.most - 1)

    def to(_: tuple[()], now: tuple[Array, Array]) -> tuple[tuple[()], Array]:
        place, t = now
        h = t - way.times[place]
        y = settings.method.advance(f, way.states[place], way.slopes[place], way.times[place], h).y
        missing = fx.logical_and(walk.failed, (t - walk.t) * sign > 0)
        return (), fx.where(fx.logical_or(missing, fx.isnan(t)), fx.nan, y)

    _, others = handlers.scan(handlers.checkpoint(to), (), (places, times[1:]))
    return fx.concat([y[None], others])
