"""Forks of a process in which XLA runs: they lack its threads, and would wait for them without end.

So XLA raises an error in a fork, and a process that forks is warned, once. NumPy works there, also with arrays that XLA
computed before.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from effects.errors import DeviceError
from lowering.pjrt.protocols import native

if TYPE_CHECKING:
    from lowering.pjrt.buffers import Buffer


collect_garbage: Callable[[], None] = native.collect_garbage
"""Function that frees the Python objects that the runtime no longer uses: a few for every call; takes 50 ns.

Called, as `forks.collect_garbage`, before every use of XLA. In a fork it is replaced by a function that raises
DeviceError, so that no call needs a test.
"""


@cache
def watch_forks() -> None:
    """Watch for forks, since XLA runs in this process from now on."""
    os.register_at_fork(before=_warn, after_in_child=_refuse_from_now_on)


def refuse_waiting(buffers: Sequence[Buffer]) -> None:
    """Raise DeviceError for a buffer that will never be computed, since the process was forked meanwhile."""
    if collect_garbage is _refuse and not all([buffer.is_deleted() or buffer.is_ready() for buffer in buffers]):
        _refuse()


@cache
def _warn() -> None:
    warnings.warn(
        "this process forks while XLA runs in it. The fork has none of XLA's threads: compiled programs are refused "
        f"there, and only what NumPy computes works. {_ADVICE}",
        RuntimeWarning,
        stacklevel=2,
    )


def _refuse_from_now_on() -> None:
    global collect_garbage  # noqa: PLW0603  # a test of a flag would cost every call
    collect_garbage = _refuse


def _refuse() -> None:
    raise DeviceError(
        "this process was forked from one in which XLA ran, and has none of its threads: a compiled program would "
        f"wait for them forever. {_ADVICE}"
    )


_ADVICE = "Start processes by multiprocessing.get_context('spawn') or get_context('forkserver'), or before XLA runs"
