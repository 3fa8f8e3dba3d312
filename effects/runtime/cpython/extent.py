"""Context managers that are left however the `with` block ends.

An interrupt (Ctrl-C) can strike at any call while a block is entered or left, where no `try` guards it. So leaving is
attached to the callable that a `with` statement holds: it gets this before it calls `__enter__`, releases it when the
block is over, in whichever way, and nothing else refers to it, not even a traceback. If the extent was not left when
the callable is freed, it is left then. For blocks that are entered in every call, `inside`, with one `try` around
everything, costs half.
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
        leave = partial(_leave, extent)  # no bound method: calling one would release it first
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
    """The error behind NumPy's own error for an array that cannot be written into a NumPy array; None for others."""
    cause = error.__cause__
    if isinstance(cause, EffaxError) and isinstance(error, ValueError) and str(error) == _WRITTEN:
        return cause
    return None


def _room(frames: int) -> None:
    """Raise RecursionError if there is no room for this number of frames."""
    if frames > 1:
        _room(frames - 1)


class _Entered(ABCMeta):
    """Metaclass of extents: entering the class in place of an instance raises an error with advice."""

    if not TYPE_CHECKING:  # type checkers report it themselves

        def __enter__(cls) -> NoReturn:
            raise ArgumentError(f"with {cls.__name__}: {cls.__name__} is a class; write with {cls.__name__}(...):")

        def __exit__(cls, *exception: object) -> None: ...


class Extent(ABC, metaclass=_Entered):
    """A context manager that is left by `leave`, also when an interrupt strikes as the block is entered or left.

    `__enter__` records the previous state before it sets anything. `leave` may be called before `__enter__`, or after
    `__enter__` or another `leave` was interrupted: it undoes whatever was done, and nests at most two calls.
    """

    _undo: ref[Exit] | None = None

    @abstractmethod
    def __enter__(self) -> object: ...

    def complete(self) -> None:  # most need nothing
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
    """Give a context variable its previous value; there is no `token` if an interrupt came before."""
    if token is None:
        if variable.get(before) is not before:  # if it was never set, the default outside of all blocks stays in effect
            variable.set(before)
        return
    try:
        variable.reset(token)
    except (RuntimeError, ValueError):  # it was reset, or set in another context
        return
