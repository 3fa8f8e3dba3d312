"""Compilation on another thread, so that an interrupt takes effect at once and a long wait is reported.

An interrupted compilation goes on in the background, and its result is unused. If it still runs at the end of the
process, the process exits without C++'s cleanup, which would free objects that the compilation uses. A thread that ends
while Python exits would abort the process; so the exit waits a second for compilations.
"""

from __future__ import annotations

import atexit
import ctypes
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

from effects.runtime.cpython.source import Source, user_location

REPORT_AFTER: Final = 5.0
"""Seconds after which a compilation is reported in the log."""
_NAME: Final = "effax compiles"
_EXIT_WAIT: Final = 1.0
"""Seconds that the end of the process waits for compilations."""
_DEFAULT_STACK_DEPTH: Final = 100
_STACK_PER_LEVEL: Final = 2**18
_MOST_STACK: Final = 2**30
_stack_size_lock: Final = threading.Lock()
_log: Final = logging.getLogger("effax")


def compile_on_thread[T](compile_now: Callable[[], T], depth: int, describe: Callable[[], str]) -> T:
    """Run `compile_now` on a thread of its own, which costs 0.1 ms, and return its result or raise its error.

    XLA recurses over nested calls, `depth` deep, and the thread gets a stack that they fit in. `describe` says what is
    compiled, for the line that the logger `effax` writes when it takes long.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(compile_now())
        except BaseException as error:  # raised again by the thread that waits
            outcome.set_exception(error)

    thread = threading.Thread(target=run, name=_NAME, daemon=True)
    if depth <= _DEFAULT_STACK_DEPTH:
        thread.start()
    else:
        _start_with_stack(thread, min(_STACK_PER_LEVEL * depth, _MOST_STACK))
    try:
        return outcome.result(REPORT_AFTER)
    except TimeoutError:
        if outcome.done():  # XLA's own thread
            raise
    location = user_location()
    line = "" if location is None else f", for {Source(*location)}"
    _log.warning("effax: XLA has been compiling %s for %g s%s", describe(), REPORT_AFTER, line)
    return outcome.result()


def _start_with_stack(thread: threading.Thread, size: int) -> None:
    with _stack_size_lock:
        before = threading.stack_size()
        try:
            threading.stack_size(size)
            thread.start()
        finally:
            threading.stack_size(before)


@atexit.register
def _end_before_compilations() -> None:
    """End the process with Python's status, when Python has ended and something is still being compiled.

    Only glibc passes the status to exit functions; elsewhere the runtime's objects are freed as usual.
    """
    until = time.monotonic() + _EXIT_WAIT
    compiling = [thread for thread in threading.enumerate() if thread.name == _NAME]
    for thread in compiling:
        thread.join(max(0.0, until - time.monotonic()))
    if sys.platform == "linux" and any([thread.is_alive() for thread in compiling]):
        libc = ctypes.CDLL(None)
        if hasattr(libc, "on_exit"):
            libc.on_exit(libc._exit, None)  # the function registered last is called first, with the status


def usable_cores() -> int:
    """The number of processor cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
