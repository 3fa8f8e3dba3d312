"""Steps as long as the tolerance allows, between times and up to an end."""

from __future__ import annotations

from typing import NamedTuple

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.integrate.methods import Slope
from effects.integrate.problems import Settings
from effects.types.dtypes import real_of


class Walk(NamedTuple):
    """A state, its slope, the time, the step to try next; the last step, which began at `since` and `start`.

    Where it has failed (the step underflows, the slope is not finite, there are too many steps) the step is NaN.
    """

    y: Array
    slope: Array
    t: Array
    h: Array
    start: Array
    since: Array
    increments: Array

    @property
    def failed(self) -> Array:
        """True of a walk that stands still."""
        return fx.isnan(self.h)

    def before(self, until: Array) -> Array:
        """True where it has to go on to come to a time."""
        return (until - self.t) * fx.sign(self.h) > 0

    def stopped_before(self, until: Array) -> Walk:
        """The walk, which has failed where it has to go on."""
        rest = abs(until - self.t) >= fx.finfo(until.aval.dtype).smallest_normal  # less may be taken for 0
        return self._replace(h=fx.where(fx.logical_and(self.before(until), rest), fx.nan, self.h))


def _norm(x: Array) -> Array:
    """√ of the mean of squares, 0 of no number."""
    return fx.sqrt(fx.sum(fx.square(x)) / max(x.size, 1))


def _share(settings: Settings, error: Array, y: Array, end: Array) -> Array:
    """An error in units of the one that is allowed between two states."""
    least = 8 * fx.finfo(y.aval.dtype).eps  # what rounding alone may do
    allowed = settings.atol + max(settings.rtol, least) * fx.maximum(abs(y), abs(end))
    return _norm(fx.where(error == 0, 0.0, abs(error) / allowed))  # a state that stays 0 is allowed no error


def _distance(t: Array) -> Array:
    """At least the distance of a time to the next float, at most twice that."""
    smallest = fx.finfo(t.aval.dtype)
    return smallest.eps * abs(t) + smallest.smallest_normal


def started(f: Slope, settings: Settings, y: Array, t: Array, end: Array) -> Walk:
    """A walk that has not begun, and the first step to try (Hairer, Nørsett and Wanner, 1993, II.4)."""
    slope, whole = f(y, t), end - t
    real = real_of(y.aval.dtype)
    size, rate = [_share(settings, x, y, y) for x in (y, slope)]
    short = fx.where(fx.minimum(size, rate) < 1e-5, fx.asarray(1e-6, dtype=real), 0.01 * size / rate)
    short = fx.minimum(short, convert(abs(whole), real))
    h = convert(short, t.aval.dtype) * fx.sign(whole)
    ahead = f(y + convert(h, real) * slope, t + h)
    turn = _share(settings, ahead - slope, y, y) / fx.maximum(short, fx.finfo(real).smallest_normal)
    most = fx.maximum(rate, turn)
    longer = fx.where(most <= 1e-15, fx.maximum(1e-3 * short, 1e-6), (0.01 / most) ** (1 / settings.method.order))
    chosen = fx.minimum(100 * short, longer)
    chosen = fx.where(fx.isfinite(chosen), chosen, short)
    h = fx.maximum(fx.minimum(convert(chosen, t.aval.dtype), settings.hmax), _distance(t)) * fx.sign(whole)
    stages = fx.zeros((len(settings.method.dense), y.size), dtype=y.aval.dtype)
    finite = fx.logical_and(fx.all(fx.isfinite(slope)), fx.isfinite(whole))
    return Walk(y, slope, t, fx.where(finite, h, fx.nan), y, t, stages)


def step(f: Slope, settings: Settings, walk: Walk, end: Array) -> Walk:
    """One try: the walk a step further, or where it was with a shorter step to try."""
    rest = end - walk.t
    last = abs(walk.h) >= abs(rest)
    until = fx.where(last, end, walk.t + fx.sign(walk.h) * fx.maximum(abs(walk.h), _distance(walk.t)))
    h = until - walk.t  # the step between floats, which near the distance of two is not the one to try
    tried = settings.method.advance(f, walk.y, walk.slope, walk.t, h)
    error = _share(settings, tried.error, walk.y, tried.y)
    finite = fx.logical_and(fx.isfinite(error), fx.all(fx.isfinite(tried.slope)))
    good = fx.logical_and(error <= 1.0, finite)
    factor = fx.clip(0.9 * fx.maximum(error, 1e-10) ** (-1 / settings.method.order), 0.2, 10.0)
    factor = convert(fx.where(finite, factor, 0.2), h.aval.dtype)
    longer = fx.minimum(abs(h * factor), settings.hmax) * fx.sign(h)
    shorter = fx.minimum(abs(longer), abs(h) - _distance(walk.t))  # which ends at another float
    after = Walk(tried.y, tried.slope, until, longer, walk.y, walk.t, tried.increments)
    stays = walk._replace(h=fx.where(shorter > _distance(walk.t), shorter * fx.sign(h), fx.nan))
    return fx.tree_map(lambda new, old: fx.where(good, new, old), after, stays)


def dense(settings: Settings, increments: Array) -> Array:
    """Coefficients of the polynomial within a step, [powers, n], from the first power of the share on."""
    weights = fx.asarray(settings.method.dense, dtype=real_of(increments.aval.dtype))
    return fx.sum(weights[..., None] * increments[:, None], axis=0)


def along(start: Array, coefficients: Array, share: Array) -> Array:
    """The state within a step, a share of it from its start: the dense output of the method."""
    x = convert(share, real_of(start.aval.dtype))
    powers = fx.stack([x ** (j + 1) for j in range(coefficients.shape[0])])
    return start + fx.sum(powers.reshape(-1, *[1] * start.ndim) * coefficients, axis=0)


def at(settings: Settings, walk: Walk, until: Array) -> Array:
    """The state at a time within the last step; NaN where the walk has not come to it."""
    length = walk.t - walk.since
    share = (until - walk.since) / fx.where(length == 0, fx.ones_like(length), length)
    inside = along(walk.start, dense(settings, walk.increments), share)
    state = fx.where(until == walk.t, walk.y, inside)
    return fx.where(walk.failed, fx.full_like(state, fx.nan), state)


def states(f: Slope, settings: Settings, y: Array, times: Array) -> Array:
    """The states at the times, the first of which is that of y, [times, n]."""

    def to_next(walk: Walk, until: Array) -> tuple[Walk, Array]:
        walk, _ = handlers.while_loop(
            lambda state: fx.logical_and(state[0].before(until), state[1] < settings.most),
            lambda state: (step(f, settings, state[0], times[-1]), state[1] + 1),
            (walk, fx.asarray(0, dtype=fx.int32)),
        )
        walk = walk.stopped_before(until)
        return walk, at(settings, walk, until)

    if len(times) == 1:
        return y[None]
    _, others = handlers.scan(to_next, started(f, settings, y, times[0], times[-1]), times[1:])
    return fx.concat([y[None], others])
