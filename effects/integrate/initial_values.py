"""`solve_ivp`: an ordinary differential equation to an end or an event, with the states at all times between."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self, Unpack, final, overload

import effects as fx
import handlers
from effects.arguments import check_callable, flag, in_the_name_of, integer, refusal, sequence, step_count
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, as_leaf, convert
from effects.errors import DTypeError, ShapeError
from effects.integrate.gradients import bound, knots, or_nan, path
from effects.integrate.problems import MethodName, Rate, StepOptions, check_order, problem, settings
from effects.integrate.stepping import Walk, along, dense
from effects.runtime.attributes import advising
from effects.trees.functions import Unravel
from effects.types.dtypes import Complex, Floating
from effects.types.signatures.refused import NoRate


class _Event(NamedTuple):
    function: Callable[..., object]
    terminal: bool
    direction: int
    most: int


@final
class Event(_Event):
    """The zeros of function(t, y, *args), a real scalar: all, rising (`direction` 1) or falling ones (-1).

    The equation ends at a `terminal` one. The first `most` of them are found, one that is terminal. Raises
    ArgumentError for other arguments.
    """

    __slots__ = ()

    def __new__(
        cls, function: Callable[..., object], terminal: bool = False, direction: int = 0, most: int = 8
    ) -> Self:
        check_callable("Event", function, "function")
        ends, rising = flag("Event", "terminal", terminal), integer("Event", "direction", direction)
        if rising not in (-1, 0, 1):
            raise refusal("Event", "direction", "-1, 0 or 1", direction)
        count = step_count("Event", "most", most)
        return super().__new__(cls, function, ends, rising, 1 if ends else count)


@advising
class Solution[P](NamedTuple):
    """Times between steps and the states there, [mxstep + 1], the last of which is repeated; times of events, states.

    `steps` of these lengths; `status` is 0 at the end, 1 at a terminal event, -1 where there is no answer.
    """

    t: Array
    y: P
    t_events: tuple[Array, ...]
    y_events: tuple[P, ...]
    steps: Array
    status: Array
    lengths: Array
    coefficients: P

    def __repr__(self) -> str:
        ends = {0: "at the end", 1: "at a terminal event", -1: "no answer"}
        known = None if self.status.ndim else self.status.known()
        end = "" if known is None else f" ({ends[int(known.fetch())]})"
        return f"Solution(steps={self.steps}, status={self.status}{end}, t={self.t}, t_events={self.t_events})"

    def sol(self, t: ArrayLike) -> P:
        """The states at a time, or at a vector of times: the dense output; NaN before the start and after the end."""
        array = as_array(t, "sol", "t")
        if issubclass(array.aval.dtype, Complex):
            raise DTypeError(f"sol: t must be of real numbers, got {array.aval}")
        times = convert(array, self.t.aval.dtype)
        if times.ndim > 1:
            raise ShapeError(f"sol: t must be a time or a vector of times, got {times.aval}")

        def at(t: Array) -> P:
            sign = fx.sign(self.t[-1] - self.t[0])
            place = fx.clip(fx.searchsorted(sign * self.t, sign * t) - 1, 0, len(self.lengths) - 1)
            length = self.lengths[place]
            share = (t - self.t[place]) / fx.where(length == 0, 1.0, length)
            inside = fx.logical_and((t - self.t[0]) * sign >= 0, (self.t[-1] - t) * sign >= 0)
            inside = fx.where(sign == 0, t == self.t[0], inside)

            def of(y: Array, coefficients: Array) -> Array:
                return or_nan(inside, along(y[place], coefficients[place], share))

            return fx.tree_map(of, self.y, self.coefficients)

        return handlers.vmap(at)(times) if times.ndim else at(times)


class _Track(NamedTuple):
    """Times and states between steps, and the polynomials between."""

    times: Array
    states: Array
    coefficients: Array

    def at(self, place: Array, t: Array) -> Array:
        """The state at a time within a step."""
        start, end = self.times[place], self.times[place + 1]
        length = fx.where(end == start, 1.0, end - start)
        return along(self.states[place], self.coefficients[place], (t - start) / length)


type Signal = Callable[[Array, Array], Array]
"""The value of an event's function at a state and a time."""


@overload
def solve_ivp(
    f: Rate | NoRate,
    t_span: ArrayLike | Sequence[float],
    y0: ArrayLike,
    *args: object,
    events: Sequence[Event] = (),
    **options: Unpack[StepOptions],
) -> Solution[Array]: ...
@overload
def solve_ivp[P](
    f: Rate | NoRate,
    t_span: ArrayLike | Sequence[float],
    y0: P,
    *args: object,
    events: Sequence[Event] = (),
    **options: Unpack[StepOptions],
) -> Solution[P]: ...
def solve_ivp(
    f: Any,  # as the overloads say
    t_span: ArrayLike | Sequence[float],
    y0: Any,
    *args: object,
    events: Sequence[Event] = (),
    rtol: float = 1.4e-8,
    atol: float = 1.4e-8,
    hmax: float = math.inf,
    mxstep: int | None = None,
    method: MethodName = "dopri5",
) -> Any:
    """The solution of dy/dt = f(t, y, *args) from t_span[0], where y = y0, to t_span[1] or to a terminal event.

    Functions take the time first, as in SciPy. Other arguments and methods are those of `odeint`, with at most `mxstep`
    steps (1024), for which memory is reserved. An event is a zero of its function, found on the dense output to the
    precision of t in a step whose ends differ in sign. A zero at the start does not count, and of several in one step
    one is found. If fewer than `most` events happen, the other times and states, and their derivatives, are NaN; events
    after the end do not count.

    The result is differentiable, in any order and mode, in y0, t_span, `args`, and the values that functions close
    over. States have the derivatives of the steps, the times of events those of their equation, infinite where the
    function touches 0. Times between steps have none.

    Raises ArgumentError for bad tolerances and events, and if the second parameter of a function is named t; ShapeError
    unless there are two times and events are scalars, DTypeError where they are not real; else as `odeint`.

    >>> import effects as fx
    >>> fall = lambda t, y: fx.stack([y[1], fx.asarray(-10.0)])
    >>> ground = fx.integrate.Event(lambda t, y: y[0], terminal=True)
    >>> result = fx.integrate.solve_ivp(fall, [0.0, 9.0], fx.asarray([5.0, 0.0]), events=[ground])
    >>> result.t[-1].round(6), result.sol(0.5)[0].round(6), result.status
    (Array(1., float64), Array(3.75, float64), Array(1, int32))
    """
    known = settings("solve_ivp", method, rtol, atol, hmax, mxstep, 1024)
    single: object = events
    if isinstance(single, Event) or callable(single):
        raise refusal("solve_ivp", "events", "a list of events, [event] or [Event(function)]", events)
    checked = [_checked(i, event) for i, event in enumerate(sequence("solve_ivp", "events", events, "events"))]
    check_callable("solve_ivp", f, "f")

    @in_the_name_of(f)
    def rate(y: object, t: Array, *args: object) -> object:
        return f(t, y, *args)

    equation = problem("solve_ivp", rate, y0, t_span, args, known.method, "t_span")
    start, end = equation.times
    sign = fx.sign(end - start)
    signals = [_Signal.of(i, event, equation.wide, args, equation.y, start) for i, event in enumerate(checked)]

    def crossed(walk: Walk) -> Array:
        stopping = [s for s in signals if s.event.terminal]
        hits = [s.crossed(s.fixed(walk.start, walk.since), s.fixed(walk.y, walk.t)) for s in stopping]
        return fx.any(fx.stack(hits)) if hits else fx.asarray(False)

    y, first, last, parameters = handlers.stop_gradient((equation.y, start, end, equation.parameters))
    way = knots(bound(equation.slope, parameters, equation.constants), known, y, first, last, crossed)
    times = fx.concat([start[None], fx.where(way.times[1:] == last, end, way.times[1:])])
    slope = bound(equation.slope, equation.parameters, equation.constants)
    moves = fx.logical_or(first != last, way.walk.failed)  # else each state is a step of length 0 from the start
    every_step = fx.broadcast_to(moves, (known.most,))
    later, coefficients = path(
        slope, known, equation.y, start, times[1:], every_step, lambda step: (step.y, dense(known, step.increments))
    )
    per_time = fx.where(first == last, slope(equation.y, start), coefficients[0, 0])  # of a step of length 0
    coefficients = coefficients.at[0, 0].set(per_time)
    track = _Track(times, fx.concat([equation.y[None], later]), coefficients)
    crossings = [signal.crossings(track) for signal in signals]
    stop_time = times[-1]
    for signal, t in zip(signals, crossings, strict=True):
        if signal.event.terminal:  # the first of them ends the equation, within the last step
            stop_time = fx.where((stop_time - t[0]) * sign > 0, t[0], stop_time)
    inside = fx.maximum(way.steps - 1, 0)
    stop = fx.where(way.stopped, track.at(inside, stop_time), track.states[-1])
    ended = fx.logical_and(way.stopped, fx.arange(known.most + 1) >= way.steps)
    t_events = tuple([or_nan((stop_time - t) * sign >= 0, t) for t in crossings])
    places = [fx.clip(fx.searchsorted(sign * times, sign * t) - 1, 0, known.most - 1) for t in t_events]
    y_events = [
        or_nan(~fx.isnan(t)[:, None], handlers.vmap(track.at)(place, fx.where(fx.isnan(t), start, t)))
        for place, t in zip(places, t_events, strict=True)
    ]
    of_each = handlers.vmap(equation.tree)
    return Solution(
        fx.where(ended, stop_time, times),
        of_each(fx.where(ended[:, None], stop, track.states)),
        t_events,
        tuple([of_each(ys) for ys in y_events]),
        way.steps,
        convert(fx.where(way.walk.failed, -1, way.stopped), fx.int32),
        times[1:] - times[:-1],
        handlers.vmap(of_each)(coefficients),
    )


class _Signal(NamedTuple):
    """An event, and its function of vectors: that is differentiated, and that is not."""

    event: Event
    varying: Signal
    fixed: Signal

    @staticmethod
    def of(place: int, event: Event, tree: Unravel[Any], args: tuple[object, ...], y: Array, t: Array) -> _Signal:
        @in_the_name_of(event.function)
        def value(t: Array, y: Array) -> Array:
            result = as_leaf(event.function(t, tree(y), *args), "solve_ivp", f"what events[{place}] gives")
            if result.aval.shape:
                raise ShapeError(f"solve_ivp: events[{place}] must return a scalar, got {result.aval}")
            if not issubclass(result.aval.dtype, Floating):
                raise DTypeError(f"solve_ivp: events[{place}] must return a float, got {result.aval}")
            return convert(result, t.aval.dtype)

        converted, hoisted = handlers.closure_convert(value, t, y)
        constants = handlers.stop_gradient(hoisted)
        return _Signal(event, lambda y, t: converted(t, y, *hoisted), lambda y, t: converted(t, y, *constants))

    def crossed(self, before: Array, after: Array) -> Array:
        """True where the function comes to or goes through 0 between these values, in the direction of the event."""
        rises, falls = [fx.logical_and(a < 0, b >= 0) for a, b in ((before, after), (-before, -after))]
        return {1: rises, -1: falls, 0: fx.logical_or(rises, falls)}[self.event.direction]

    def crossings(self, track: _Track) -> Array:
        """The times of the first events, NaN where there are fewer."""
        known = _Track(*handlers.stop_gradient(tuple(track)))
        values = handlers.vmap(self.fixed)(known.states, known.times)
        hits = self.crossed(values[:-1], values[1:])
        (places,) = fx.nonzero(hits, size=self.event.most)
        real = fx.arange(self.event.most) < fx.sum(hits)

        def zero(place: Array, real: Array) -> Array:
            def halved(_: Array, ends: tuple[Array, Array]) -> tuple[Array, Array]:
                low, high = ends
                middle = low + (high - low) / 2
                beyond = self.crossed(values[place], self.fixed(known.at(place, middle), middle))
                return fx.where(beyond, low, middle), fx.where(beyond, middle, high)

            def bisected(_: object, ends: Array) -> Array:
                digits = round(-math.log2(fx.finfo(ends.aval.dtype).eps)) + 1
                return handlers.fori_loop(0, digits, halved, (ends, known.times[place + 1]))[1]

            def direct(g: Callable[[Array], Array], b: Array) -> Array:
                return b / fx.where(real, g(fx.ones_like(b)), 1.0)

            t = handlers.custom_root(
                lambda t: self.varying(track.at(place, t), t), known.times[place], bisected, direct
            )
            return or_nan(real, t)

        return handlers.vmap(zero)(places, real)


def _checked(place: int, event: object) -> Event:
    if not isinstance(event, Event):
        advice = "write Event(f, terminal=…, direction=…)" if callable(event) else ""
        raise refusal("solve_ivp", f"events[{place}]", "an Event", event, advice)
    check_order("solve_ivp", f"events[{place}].function", event.function)
    return event
