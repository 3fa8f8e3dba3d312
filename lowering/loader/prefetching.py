"""An iterator over batches, which a thread prepares ahead."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Iterator
from contextvars import Context
from types import TracebackType
from typing import Final, Self, final

from effects.errors import EffaxError
from effects.runtime.cpython.source import user_location
from effects.types.dtypes import DType, default_float, default_of
from lowering.pjrt import forks

_JOIN_TIMEOUT: Final = 5.0
"""Seconds that the end of a program waits for the thread."""


def _interrupt_of(error: RuntimeError) -> BaseException:
    """The interrupt that left Python's condition without its lock, which the condition releases once more."""
    return error.__context__ if error.__context__ is not None and "lock" in str(error) else error


class _Buffer[B]:
    """A bounded queue of batches from the thread that prepares them, and the error that ended it."""

    def __init__(self, capacity: int) -> None:
        self._capacity, self._ready = capacity, deque[B]()
        self._lock = threading.RLock()  # taken by itself: an interrupt may come where a condition takes its own
        self._changed = threading.Condition(self._lock)
        self._ended = self._closed = False
        self._error: BaseException | None = None

    def put(self, batch: B) -> bool:
        """Add a batch when there is room; False if the consumer has closed the buffer."""
        with self._lock:
            self._changed.wait_for(lambda: self._closed or len(self._ready) < self._capacity)
            if not self._closed:
                self._ready.append(batch)
                self._changed.notify_all()
            return not self._closed

    def end(self, error: BaseException | None) -> None:
        """Mark the end of the batches."""
        with self._lock:
            self._ended, self._error = True, None if self._closed else error
            self._changed.notify_all()

    def get(self) -> B:
        """Wait for a batch; raises the error of the thread, once, and then StopIteration."""
        try:
            with self._lock:
                self._changed.wait_for(lambda: self._ready or self._ended or self._closed)
                if self._ready:
                    self._changed.notify_all()
                    return self._ready.popleft()
                error, self._error = self._error, None
        except RuntimeError as released:
            raise _interrupt_of(released) from None
        raise StopIteration if error is None else error

    def close(self) -> None:
        """Drop the waiting batches, and refuse more."""
        with self._lock:
            self._closed, self._error = True, None
            self._ready.clear()
            self._changed.notify_all()


def _next_batch[B](batches: Iterator[B], floats: type[DType]) -> B:
    """The next batch, under this default dtype of floats."""
    with default_float(floats):
        return next(batches)


def _fill[B](buffer: _Buffer[B], batches: Iterator[B], floats: type[DType]) -> None:
    try:
        while buffer.put(_next_batch(batches, floats)):  # keeps no batch alive while the next one is prepared
            pass
    except StopIteration:
        buffer.end(None)
    except BaseException as error:  # the consumer raises it
        buffer.end(error)


def _stop[B](buffer: _Buffer[B], thread: threading.Thread) -> None:
    buffer.close()
    if (
        thread.is_alive() and thread is not threading.current_thread()
    ):  # called by garbage collection in the thread itself
        thread.join(_JOIN_TIMEOUT)


@final
class Batches[B]:
    """The batches of a loader: an iterator, and a context that closes it. `Loader.batches` makes it.

    An error of the source is raised at its batch, and ends the iterator.
    """

    def __init__(self, batches: Iterator[B], prefetch: int) -> None:
        self._batches, self._reading = batches, threading.RLock()
        self._context, self._floats = Context(), default_of(float)  # outside of the consumer's handlers
        self._buffer: _Buffer[B] | None = None
        if prefetch:
            self._buffer = buffer = _Buffer[B](prefetch)
            self._thread = threading.Thread(
                target=self._context.run, args=(_fill, buffer, batches, self._floats), name="effax-loader", daemon=True
            )
            weakref.finalize(self, _stop, buffer, self._thread)  # before it starts: an interrupt may come in between
            try:
                self._thread.start()  # it refers to the buffer, so that the iterator can be collected
            except RuntimeError as released:
                raise _interrupt_of(released) from None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> B:
        try:
            if self._buffer is None:
                with self._reading:
                    return self._context.run(_next_batch, self._batches, self._floats)
            forks.collect_garbage()  # raises in a fork, which lacks the thread
            return self._buffer.get()
        except EffaxError as error:
            if error.source is None and (location := user_location()) is not None:  # its traceback is the thread's
                error.at(location)
            raise

    def close(self) -> None:
        """Read no more, and wait until the thread has ended; there are no further batches."""
        with self._reading:
            self._batches = iter(())
        if self._buffer is not None:
            self._buffer.close()
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
