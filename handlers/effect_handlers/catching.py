"""The handler of `Raise`: a `returns` Result at the end.

The state is a code, 0 while nothing has failed, and the arrays of each kind of error that the program can raise. Where
nothing is traced, an error is an exception, and the rest of the program does not run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Concatenate, Final, NamedTuple, cast

from returns.result import Failure, Result, Success

import effects as fx
from effects.arguments import check_callable, refusal
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, ConcretizationError
from effects.functions.elementwise import logic
from effects.requests.forms import Form, take_apart, types_of
from effects.requests.standard import Raise
from effects.runtime.caches import lock
from effects.trees.registration import register
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.requests.handled import handled, instead_of
from handlers.requests.handler import Merging, in_lanes
from handlers.stateful.handler import Aborted


class ErrorKind(NamedTuple):
    """A kind of error: its tree without the arrays, and their types."""

    form: Form
    avals: tuple[ShapedArray, ...]


_error_kinds: Final[dict[ErrorKind, int]] = {}
"""The kinds of errors that programs of this process raise, by the numbers that stand for them in compiled programs."""


class Status(NamedTuple):
    """The number of the raised error, 0 for none, and the arrays of each kind that can be raised."""

    code: Array
    error_arrays: dict[str, tuple[Array, ...]]


_EARLIER_ERROR: Final[dict[str, tuple[Array, ...]]] = {"": ()}
"""The arrays of the status inside a transformation: the name "" stands for an error raised before it."""


def _without_earlier_error(state: Status) -> Status:
    return state._replace(error_arrays={kind: arrays for kind, arrays in state.error_arrays.items() if kind})


@register
@dataclass(frozen=True)
class Outcome[T, E]:
    """Result of a function under `catching`: a tree, so that it passes through every transformation.

    After an error `value` is meaningless: None if the program ended there, otherwise whatever the rest of a compiled
    program computed. Use `result()`.
    """

    value: T | None
    status: Status

    def __bool__(self) -> bool:
        raise ArgumentError("bool(outcome): write is_successful(outcome.result()), from returns.pipeline")

    def result(self) -> Result[T, E]:
        """Success of the value, or Failure of the first error.

        Raises ConcretizationError where it is not known, and ArgumentError for the outcomes of several lanes.
        """
        if self.status.code.ndim:
            raise ArgumentError("Outcome.result: these are the outcomes of several lanes; write results()")
        if self.status.code.known() is None:
            raise ConcretizationError(
                "Outcome.result: whether there was an error is not known while a program is traced; return the "
                "Outcome of catching(f), and call its result() outside"
            )
        code = int(self.status.code)
        if not code:
            return Success(cast(T, self.value))  # the value, if nothing was raised
        with lock:  # while other threads may find new ones
            kind = next(kind for kind, number in _error_kinds.items() if number == code)
        return Failure(kind.form.build(self.status.error_arrays[str(code)]))

    def results(self) -> list[Result[T, E]]:
        """Results of each lane, for an outcome of a vmap."""
        if not self.status.code.ndim:
            raise ArgumentError("Outcome.results: this is the outcome of one lane; write result()")
        arrays, form = take_apart(self, "an outcome")
        lanes: list[Outcome[T, E]] = [form.build([a[i] for a in arrays]) for i in range(self.status.code.shape[0])]
        return [
            result for lane in lanes for result in ([lane.result()] if not lane.status.code.ndim else lane.results())
        ]


class _Aborted(Aborted):
    """Ends the program that raised."""

    def __init__(self, handler: object, status: Status) -> None:
        self.handler, self.status = handler, status


class Catching[E](Merging[Status], Raise[E]):
    """The first error, if any."""

    _title = "Raise"

    def __init__(self) -> None:
        super().__init__(self.unit())

    def check(self, holds: ArrayLike, error: E) -> None:
        failed = logic.logical_not(fx.all(_condition(holds)))
        known = failed.known()
        if known is not None and not bool(known):
            return
        arrays, form = take_apart(error, "the error of Raise.check")
        with lock:  # so that two threads take different numbers
            number = _error_kinds.setdefault(ErrorKind(form, types_of(arrays)), len(_error_kinds) + 1)
        raised = Status(fx.asarray(number, dtype=dtypes.int32), {str(number): tuple(arrays)})
        if known is not None and self.direct and self.state.code.known() is not None:
            raise _Aborted(self, raised if not int(self.state.code) else self.state)
        self._keep_first(raised._replace(code=logic.where(failed, raised.code, 0)))

    def _keep_first(self, later: Status) -> None:
        """Set the state to the error raised first: the present one, else that of `later`."""
        mine = self.widened(later)
        theirs = {**mine.error_arrays, **later.error_arrays}
        is_first = logic.logical_and(mine.code == 0, later.code != 0)
        chosen = {
            k: tuple([logic.where(is_first, b, a) for a, b in zip(mine.error_arrays[k], theirs[k], strict=True)])
            for k in mine.error_arrays
        }
        self.state = Status(logic.where(is_first, later.code, mine.code), chosen)

    def halted(self) -> Array | None:
        return self.state.code != 0 if self.state.error_arrays else None

    def widened(self, other: Status) -> Status:
        """The status with zeros for the kinds of errors that another part of the program can raise."""
        code, error_arrays = self.state
        missing = {
            k: tuple([fx.zeros(a.shape, dtype=a.dtype) for a in other.error_arrays[k]])
            for k in other.error_arrays.keys() - error_arrays.keys()
        }
        return Status(code, dict(sorted({**error_arrays, **missing}.items())))

    def unit(self) -> Status:
        return Status(fx.asarray(0, dtype=dtypes.int32), {})

    def merge(self, state: Status) -> None:
        self._keep_first(_without_earlier_error(state))

    def into_derivative(self) -> Status:
        """The status inside a derivative, which does nothing after an earlier error; merging keeps that error."""
        return Status(self.state.code, _EARLIER_ERROR)

    def into_lanes(self, size: int) -> Status:
        return in_lanes(self.into_derivative(), size)

    def from_lanes(self, size: int, state: Status) -> None:
        if size:
            state, lane = _without_earlier_error(state), fx.argmax(state.code != 0)
            self._keep_first(
                Status(state.code[lane], {k: tuple([a[lane] for a in v]) for k, v in state.error_arrays.items()})
            )


def _condition(holds: ArrayLike) -> Array:
    try:
        return as_array(holds, "Raise.check", "holds")
    except ArgumentError:
        advice = "the error comes second, check(holds, error)"
        raise refusal("Raise.check", "holds", "an array or a number", holds, advice) from None


def catching[E, **P, R](f: Callable[Concatenate[Raise[E], P], R]) -> Callable[P, Outcome[R, E]]:
    """`f` without its first argument: its value or the first error, as a tree that passes through transformations.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> def log(errors: fx.Raise[fx.Array], x: fx.Array) -> fx.Array:
    ...     errors.check(x > 0, x)
    ...     return fx.log(x)
    >>> vmap(catching(log))(fx.asarray([1.0, -3.0])).results()
    [<Success: Array(0., float64)>, <Failure: Array(-3., float64)>]
    """
    check_callable("catching", f)

    @instead_of(f)
    def caught(*args: P.args, **kwargs: P.kwargs) -> Outcome[R, E]:
        handler = Catching[E]()
        try:
            value = handled(handler, f, *args, **kwargs)
        except _Aborted as aborted:
            if aborted.handler is not handler:
                raise
            return Outcome(None, aborted.status)
        return Outcome(value, handler.state)

    return caught


def with_raise[E, **P, R](f: Callable[Concatenate[Raise[E], P], R]) -> Callable[P, Result[R, E]]:
    """`f` without its first argument, as a function to a `returns` Result; inside transformations use `catching`.

    >>> import effects as fx
    >>> def log(errors: fx.Raise[str], x: float) -> fx.Array:
    ...     errors.check(x > 0, "not positive")
    ...     return fx.log(x)
    >>> with_raise(log)(-1.0)
    <Failure: not positive>
    """
    check_callable("with_raise", f)

    @instead_of(f)
    def raising(*args: P.args, **kwargs: P.kwargs) -> Result[R, E]:
        return catching(f)(*args, **kwargs).result()

    return raising
