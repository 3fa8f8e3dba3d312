"""States at times and their two derivatives: the adjoint equation's, and that of the steps."""

from __future__ import annotations

from collections.abc import Callable

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.integrate.methods import Slope
from effects.integrate.problems import Settings
from effects.integrate.stepping import Walk, started, states, step
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


def knots(f: Slope, settings: Settings, y: Array, start: Array, end: Array) -> tuple[Array, Walk]:
    """The times between steps, [most + 1], the last of which is repeated, and the walk at its end. No derivatives."""

    def on(state: tuple[Array, Array, Walk]) -> tuple[Array, Array, Walk]:
        times, count, walk = state
        after = step(f, settings, walk, end)
        count = count + convert(after.t != walk.t, fx.int32)
        return times.at[count].set(after.t), count, after

    most = settings.most
    times, count, walk = handlers.while_loop(
        lambda state: fx.logical_and(state[2].before(end), state[1] < most),
        on,
        (fx.full((most + 1,), start), fx.asarray(0, dtype=fx.int32), started(f, settings, y, start, end)),
    )
    return fx.where(fx.arange(most + 1) > count, walk.t, times), walk.stopped_before(end)


def path(f: Slope, settings: Settings, y: Array, start: Array, times: Array, kept: Array) -> Array:
    """The states at times, to each by one step from the last that is kept: of any derivative.

    Nothing but the states is kept on the way there.
    """

    @handlers.checkpoint
    def advance(y: Array, slope: Array, t: Array, h: Array) -> tuple[Array, Array]:
        ahead = settings.method.advance(f, y, slope, t, h)
        return ahead.y, ahead.slope

    def on(state: tuple[Array, Array, Array], now: tuple[Array, Array]) -> tuple[tuple[Array, Array, Array], Array]:
        (y, slope, t), (end, keep) = state, now

        def stay() -> tuple[Array, Array]:
            return y, slope

        def go() -> tuple[Array, Array]:
            return advance(y, slope, t, end - t)

        ahead = *handlers.cond(fx.logical_and(keep, t == end), stay, go), end
        return fx.tree_map(lambda new, old: fx.where(keep, new, old), ahead, state), ahead[0]

    return handlers.scan(on, (y, f(y, start), start), (times, kept))[1]


def checkpointed(
    slope: FullSlope, settings: Settings, y: Array, times: Array, parameters: Array, constants: Constants
) -> Array:
    """The states at the times by the steps whose sizes are known: between two of them by a shorter one."""
    f = _bound(slope, parameters, constants)
    fixed = [handlers.stop_gradient(x) for x in (y, times[0], times[-1], parameters)]
    within, walk = knots(_bound(slope, fixed[3], constants), settings, *fixed[:3])
    sign = fx.sign(times[-1] - times[0])
    together, count = fx.concat([times[1:], within[1:]]), len(times) - 1
    order = fx.argsort(sign * together)
    ys = path(f, settings, y, times[0], together[order], order >= count)[fx.argsort(order)[:count]]
    missing = fx.logical_and(walk.failed, (times[1:] - walk.t) * sign > 0)
    missing = fx.logical_or(missing, fx.isnan(times[1:]))
    return fx.concat([y[None], fx.where(missing[:, None], fx.nan, ys)])
