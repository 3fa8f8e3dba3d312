"""Context managers that are undone however the `with` block ends.

An interrupt (Ctrl-C) can strike at any call that is made while a block is entered or left, where no `try` is around
it. So the undoing hangs on something that is certain: a `with` statement takes hold of what it will call at its end
before it calls `__enter__`, lets go of it when it is over, in whichever way, and nobody else holds it, not even a
traceback. When that is gone and the extent was not left, it is left then. Where a block is entered for every call,
`inside` costs half: there a `try` is around it all.
"""

from __future__ import annotations

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token
from functools import partial
from typing import TYPE_CHECKING, Final, NoReturn, overload
from weakref import ref

from effects.errors import ArgumentError, EffaxError
from effects.runtime.cpython.switches import OFF

type Exit = Callable[..., None]

_WRITTEN: Final = "setting an array element with a sequence."

_FRAMES: Final = 4
"""Number of stack frames that leaving takes: without room for them a RecursionError is raised before anything is set.
"""


class _Leaving:
    """The attribute `__exit__` of extents."""

    @overload
    def __get__(self, extent: None, owner: type, /) -> Callable[[Extent], None]: ...
    @overload
    def __get__(self, extent: Extent, owner: type, /) -> Exit: ...
    def __get__(self, extent: Extent | None, owner: type, /) -> Exit:
        if extent is None:
            return _leave
        _room(_FRAMES - 1)
        leave = partial(_leave, extent)  # no bound method: calling one lets go of it first
        if extent._undo is None and "extents" not in OFF:
            extent._undo = ref(leave, partial(_leave, extent))
        return leave


def _leave(extent: Extent, *exception: object) -> None:
    try:
        if exception and exception[0] is None:
            extent.complete()
    finally:
        extent.leave()
        extent._undo = None
    error = exception[1] if len(exception) > 1 else None
    if isinstance(error, BaseException) and (own := _hidden(error)) is not None:
        raise own.with_traceback(error.__traceback__) from None


def _hidden(error: BaseException) -> EffaxError | None:
    """The error behind NumPy's own, which takes its place where an array cannot be written into one of NumPy's."""
    cause = error.__cause__
    if isinstance(cause, EffaxError) and isinstance(error, ValueError) and str(error) == _WRITTEN:
        return cause
    return None


def _room(frames: int) -> None:
    """Raise RecursionError where there is no room for these."""
    if frames > 1:
        _room(frames - 1)


class _Entered(ABCMeta):
    """Says what to write to who enters the class of an extent in place of an extent."""

    if not TYPE_CHECKING:  # which says so by itself

        def __enter__(cls) -> NoReturn:
            raise ArgumentError(f"with {cls.__name__}: {cls.__name__} is a class; write with {cls.__name__}(...):")

        def __exit__(cls, *exception: object) -> None: ...


class Extent(ABC, metaclass=_Entered):
    """A context manager that is left by `leave`, also when an interrupt strikes as the block is entered or left.

    `__enter__` notes what was before it sets anything. `leave` may be called when `__enter__` or another `leave` was
    interrupted half-way, and before any: it undoes what there is to be undone. It goes at most two calls deep.
    """

    _undo: ref[Exit] | None = None

    @abstractmethod
    def __enter__(self) -> object: ...

    def complete(self) -> None:  # most have nothing to do
        """Run the last part of the block; skipped where the block raises."""

    @abstractmethod
    def leave(self) -> None:
        """Undo what `__enter__` did."""

    __exit__: Final = _Leaving()


def inside[R](extents: Sequence[Extent], body: Callable[[], R]) -> R:
    """`with` all of these: `body()`."""
    _room(_FRAMES)
    try:
        for extent in extents:
            extent.__enter__()
        result = body()
        for extent in extents[::-1]:
            extent.complete()
            extent.leave()
    except BaseException as error:  # here and not finally: an interrupt can strike where it would begin
        try:
            for extent in extents[::-1]:
                extent.leave()
        except BaseException:  # an interrupt, after another error
            for extent in extents[::-1]:
                extent.leave()
            raise
        if (own := _hidden(error)) is not None:
            raise own.with_traceback(error.__traceback__) from None
        raise
    return result


class setting[T](Extent):
    """`with setting(variable, value):` gives a context variable a value for the block."""

    def __init__(self, variable: ContextVar[T], value: T) -> None:
        self._variable = variable
        self._value = value
        self._before: tuple[T] | None = None
        self._token: Token[T] | None = None

    def __enter__(self) -> None:
        self._before = (self._variable.get(),)
        self._token = self._variable.set(self._value)

    def leave(self) -> None:
        if self._before is not None:
            restore(self._variable, self._before[0], self._token)


def restore[T](variable: ContextVar[T], before: T, token: Token[T] | None) -> None:
    """Give a context variable the value it had before it was set, which an interrupt may have kept from a `token`."""
    if token is None:
        if variable.get(before) is not before:  # where it was never set, what is outside of all blocks goes on to hold
            variable.set(before)
        return
    try:
        variable.reset(token)
    except (RuntimeError, ValueError):  # it was reset, or set in another context than this one
        return
