"""Schedules: functions from the number of steps taken to a number, such as a learning rate.

A schedule takes an int or an array of ints and gives numbers of the default float, so that it can be looked at for many
steps at once. Any function of a scalar is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NoReturn, final

import effects as fx
from effects.arguments import at_least, counted, finite, flag, positive, refusal, sequence, shown, step_count
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, convert
from effects.errors import ArgumentError, DTypeError
from effects.types.dtypes import Floating, Integer, default_of

type StepSchedule = Callable[[ArrayLike], Array]


@final
class _Schedule:
    """A function of numbers of steps, which messages call by the name of the function that gives it."""

    def __init__(self, name: str, at: Callable[[Array], Array]) -> None:
        self.__name__: Final = f"{name}()"
        self._of: Final = name
        self._at: Final = at

    def __call__(self, step: ArrayLike) -> Array:
        steps = as_array(step, self._of, "step")
        if not issubclass(steps.aval.dtype, Integer | Floating):
            raise DTypeError(f"{self._of}: step must be of integers, got {steps.aval}")
        return self._at(steps)

    def __repr__(self) -> str:
        return self.__name__

    def _no_number(self, *_: object) -> NoReturn:
        raise ArgumentError(
            f"{self._of}: a schedule is a function, not a number; write lambda step: 2 * schedule(step), and the like"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _no_number
    __neg__ = __pow__ = __rpow__ = __float__ = __lt__ = __le__ = __gt__ = __ge__ = _no_number


def _steps(steps: Array) -> Array:
    """Numbers of steps as the default float."""
    return convert(steps, default_of(float))


def constant_schedule(value: float) -> StepSchedule:
    """The same number in every step.

    >>> import effects as fx
    >>> fx.optim.constant_schedule(0.1)(3)
    Array(0.1, float64)
    """
    known = finite("constant_schedule", "value", value)
    return _Schedule("constant_schedule", lambda steps: fx.full_like(_steps(steps), known))


def linear_schedule(init_value: float, end_value: float, transition_steps: int) -> StepSchedule:
    """From `init_value` to `end_value` linearly in this many steps; afterwards `end_value`.

    >>> import effects as fx
    >>> fx.optim.linear_schedule(0.0, 1.0, 4)(fx.arange(6))
    Array([0.  , 0.25, 0.5 , 0.75, 1.  , 1.  ], float64)
    """
    name = "linear_schedule"
    first, last = finite(name, "init_value", init_value), finite(name, "end_value", end_value)
    length = step_count(name, "transition_steps", transition_steps)

    def at(steps: Array) -> Array:
        t = fx.clip(_steps(steps) / length, 0.0, 1.0)
        return first * (1 - t) + last * t

    return _Schedule(name, at)


def cosine_decay_schedule(
    init_value: float, decay_steps: int, alpha: float = 0.0, exponent: float = 1.0
) -> StepSchedule:
    """init_value · ((1 - alpha) · (½ + ½ cos πt)ᵉ + alpha), t from 0 to 1 in `decay_steps`, e the exponent.

    Source: Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts, 2017.

    >>> import effects as fx
    >>> fx.optim.cosine_decay_schedule(1.0, 4)(fx.arange(6))
    Array([1.        , 0.85355339, 0.5       , 0.14644661, 0.        ,
           0.        ], float64)
    """
    name = "cosine_decay_schedule"
    first, rest = finite(name, "init_value", init_value), finite(name, "alpha", alpha)
    length, power = step_count(name, "decay_steps", decay_steps), positive(name, "exponent", exponent)

    def at(steps: Array) -> Array:
        fall = 0.5 + 0.5 * fx.cos(math.pi * fx.clip(_steps(steps) / length, 0.0, 1.0))
        return first * ((1 - rest) * (fall if power == 1 else fall**power) + rest)

    return _Schedule(name, at)


def exponential_decay(
    init_value: float,
    transition_steps: int,
    decay_rate: float,
    *,
    transition_begin: int = 0,
    staircase: bool = False,
    end_value: float | None = None,
) -> StepSchedule:
    """init_value · decay_rateᵗ, t = (step - transition_begin) / transition_steps, from where t is 0.

    With `staircase` t is rounded down. `end_value` is where a fall, or a rise, ends.

    >>> import effects as fx
    >>> fx.optim.exponential_decay(1.0, 2, 0.25, end_value=0.2)(fx.arange(4))
    Array([1.  , 0.5 , 0.25, 0.2 ], float64)
    """
    name = "exponential_decay"
    first, factor = finite(name, "init_value", init_value), positive(name, "decay_rate", decay_rate)
    length, begin = (
        step_count(name, "transition_steps", transition_steps),
        step_count(name, "transition_begin", transition_begin, 0),
    )
    stairs, end = (
        flag(name, "staircase", staircase),
        None if end_value is None else finite(name, "end_value", end_value),
    )

    def at(steps: Array) -> Array:
        t = fx.maximum(_steps(steps) - begin, 0.0) / length
        value = first * factor ** (fx.floor(t) if stairs else t)
        if end is None:
            return value
        return fx.maximum(value, end) if factor < 1 else fx.minimum(value, end)

    return _Schedule(name, at)


def piecewise_constant_schedule(init_value: float, boundaries_and_scales: Mapping[int, float]) -> StepSchedule:
    """`init_value`, multiplied by the scale of each boundary from that step on.

    >>> import effects as fx
    >>> fx.optim.piecewise_constant_schedule(1.0, {2: 0.1, 3: 0.5})(fx.arange(4))
    Array([1.  , 1.  , 0.1 , 0.05], float64)
    """
    name = "piecewise_constant_schedule"
    first = finite(name, "init_value", init_value)
    if not isinstance(boundaries_and_scales, Mapping):
        raise refusal(name, "boundaries_and_scales", "a dict from steps to factors", boundaries_and_scales)
    scales = [
        (
            step_count(name, "a boundary in boundaries_and_scales", step, 0),
            at_least(name, f"boundaries_and_scales[{shown(step)}]", scale),
        )
        for step, scale in boundaries_and_scales.items()
    ]

    def at(steps: Array) -> Array:
        value, whole = fx.full_like(_steps(steps), first), convert(steps, fx.int64)
        for boundary, scale in scales:
            value = fx.where(whole >= boundary, value * scale, value)
        return value

    return _Schedule(name, at)


def join_schedules(schedules: Sequence[Callable[[Array], ArrayLike]], boundaries: Sequence[int]) -> StepSchedule:
    """The first schedule up to the first boundary, then the next, counting from there.

    Raises ArgumentError unless the boundaries increase, and are one fewer than the schedules.

    >>> import effects as fx
    >>> ramp = fx.optim.linear_schedule(0.0, 1.0, 2)
    >>> fx.optim.join_schedules([ramp, ramp], [3])(fx.arange(6))
    Array([0. , 0.5, 1. , 0. , 0.5, 1. ], float64)
    """
    name = "join_schedules"
    parts = sequence(name, "schedules", schedules, "functions")
    if not parts or not all(map(callable, parts)):
        raise refusal(name, "schedules", "one function or several", schedules)
    functions = tuple(schedules)
    ends = [step_count(name, "boundaries", end, 0) for end in sequence(name, "boundaries", boundaries, "ints")]
    if len(ends) != len(parts) - 1:
        count = counted(len(parts), "schedule")
        raise ArgumentError(f"{name}: boundaries must be {len(parts) - 1} for {count}, got {len(ends)}, {boundaries}")
    if sorted(set(ends)) != ends:
        raise ArgumentError(f"{name}: boundaries must increase, got {boundaries}")

    def at(steps: Array) -> Array:
        value = as_array(functions[0](steps), name, "a schedule's value")
        for schedule, end in zip(functions[1:], ends, strict=True):
            value = fx.where(steps >= end, schedule(fx.maximum(steps - end, 0)), value)
        return value

    return _Schedule(name, at)


def warmup_cosine_decay_schedule(
    init_value: float, peak_value: float, warmup_steps: int, decay_steps: int, end_value: float = 0.0
) -> StepSchedule:
    """On a line to `peak_value` in `warmup_steps`, then along a cosine to `end_value` at step `decay_steps`.

    >>> import effects as fx
    >>> fx.optim.warmup_cosine_decay_schedule(0.0, 1.0, 2, 6)(fx.arange(7))
    Array([0.        , 0.5       , 1.        , 0.85355339, 0.5       ,
           0.14644661, 0.        ], float64)
    """
    name = "warmup_cosine_decay_schedule"
    peak, end = positive(name, "peak_value", peak_value), at_least(name, "end_value", end_value)
    rise = step_count(name, "warmup_steps", warmup_steps)
    fall = step_count(name, "decay_steps", decay_steps) - rise
    if fall < 1:
        raise ArgumentError(f"{name}: decay_steps must be greater than warmup_steps, {rise}, got {decay_steps}")
    ramp = linear_schedule(init_value, peak, rise)
    return join_schedules([ramp, cosine_decay_schedule(peak, fall, end / peak)], [rise])
