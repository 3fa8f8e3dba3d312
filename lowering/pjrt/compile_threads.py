"""Compilation on another thread, so that an interrupt takes effect at once and a long wait is reported.

An interrupted compilation goes on in the background, its result unused, and ends with the process at the latest: then
with nothing of C++ run, whose objects would go while the compilation works with them. A thread that ends while Python
does would abort the process, since C++ does not bear how Python then ends its thread; so the last second of one is
waited for.
"""

from __future__ import annotations

import atexit
import ctypes
import logging
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

from effects.runtime.cpython.source import Source, user_place

PATIENCE: Final = 5.0
"""Seconds after which a compilation says that it still runs."""
_NAME: Final = "effax compiles"
_LAST: Final = 1.0
"""Seconds that the end of the process waits for compilations."""
_SHALLOW: Final = 100
_STACK_PER_LEVEL: Final = 2**18
_MOST_STACK: Final = 2**30
_stack_size: Final = threading.Lock()
_log: Final = logging.getLogger("effax")


def compiled_apart[T](compile_now: Callable[[], T], depth: int, describe: Callable[[], str]) -> T:
    """Run `compile_now` on a thread of its own, 0.1 ms slower than here; gives or raises what it does.

    XLA recurses over nested calls, `depth` deep, and the thread gets a stack that they fit in. `describe` says what is
    compiled, for the line that the logger `effax` writes when it takes long.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(compile_now())
        except BaseException as error:  # raised again where it is waited for
            outcome.set_exception(error)

    thread = threading.Thread(target=run, name=_NAME, daemon=True)
    if depth <= _SHALLOW:
        thread.start()
    else:
        _start_with_stack(thread, min(_STACK_PER_LEVEL * depth, _MOST_STACK))
    try:
        return outcome.result(PATIENCE)
    except TimeoutError:
        if outcome.done():  # it is XLA's own
            raise
    place = user_place()
    line = "" if place is None else f", for {Source(*place)}"
    _log.warning("effax: XLA has been compiling %s for %g s%s", describe(), PATIENCE, line)
    return outcome.result()


def _start_with_stack(thread: threading.Thread, size: int) -> None:
    with _stack_size:
        before = threading.stack_size()
        try:
            threading.stack_size(size)
            thread.start()
        finally:
            threading.stack_size(before)


@atexit.register
def _end_before_compilations() -> None:
    """End the process, with Python's status, once Python has ended while something is still compiled.

    Only glibc tells it. Elsewhere the runtime's objects go as they do.
    """
    until = time.monotonic() + _LAST
    compiling = [thread for thread in threading.enumerate() if thread.name == _NAME]
    for thread in compiling:
        thread.join(max(0.0, until - time.monotonic()))
    if sys.platform == "linux" and any([thread.is_alive() for thread in compiling]):
        libc = ctypes.CDLL(None)
        if hasattr(libc, "on_exit"):
            libc.on_exit(libc._exit, None)  # the last registered is called first, with the status
