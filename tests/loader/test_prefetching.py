"""The thread that reads ahead: how far, what becomes of errors, and that it ends whatever happens."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import effects as fx
from handlers import vmap
from lowering import Batch, Batches, Loader, jit
from lowering.loader.prefetching import _Buffer
from tests.errors.test_interrupts import instructions, interrupt
from tests.processes import printed


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "effax-loader"]


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.002)
    return condition()


class Counted:
    """Numbers without end, which knows how many it gave; from `bad` on it fails."""

    def __init__(self, bad: int | None = None) -> None:
        self.given, self.bad, self.closed = 0, bad, False

    def gave(self, number: int) -> bool:
        return self.given == number

    def __iter__(self) -> Iterator[int]:
        try:
            while self.given != self.bad:
                self.given += 1
                yield self.given
            raise OSError("the disk is gone")
        finally:
            self.closed = True


@pytest.mark.parametrize("ahead", [1, 3])
def test_so_many_are_ahead(ahead: int) -> None:
    source = Counted()
    with Loader[object](source, 2, prefetch=ahead).batches() as batches:
        for used in range(1, 5):
            np.testing.assert_array_equal(next(batches).data, [2 * used - 1, 2 * used])
            most = 2 * (used + ahead + 1)  # those that wait, and the one that waits for room
            assert eventually(partial(source.gave, most))
            time.sleep(0.01)
            assert source.given == most
    assert not threads() and source.closed
    assert next(batches, None) is None


@pytest.mark.parametrize("ahead", [0, 1, 8])
def test_an_error_comes_with_its_batch_and_once(ahead: int) -> None:
    batches = Loader[object](Counted(bad=5), 2, prefetch=ahead).batches()
    assert [list(map(int, next(batches).data)) for _ in range(2)] == [[1, 2], [3, 4]]  # type: ignore[call-overload]  # arrays
    with pytest.raises(OSError, match="the disk is gone") as caught:
        next(batches)
    assert "__iter__" in [entry.name for entry in caught.traceback]  # of the source
    assert next(batches, None) is None
    assert eventually(lambda: not threads())


def test_an_interrupt_in_the_loop_ends_it() -> None:
    source = Counted()

    def train() -> None:
        for batch in Loader[object](source, 2).batches():
            if batch.position.example == 6:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train()
    gc.collect()
    assert eventually(lambda: not threads() and source.closed)


def test_an_interrupt_at_any_instruction_ends_it() -> None:
    def program() -> None:
        with Loader[object](Counted(), 2).batches() as batches:
            next(batches)

    program()
    codes = {method.__code__ for method in (Batches.__init__, Batches.__next__, Batches.close)}
    places = [place for place in instructions(program) if place[0] in codes]
    stopped = sum([interrupt(program, place) is not None for place in places])
    assert stopped > 0.9 * len(places) > 50
    gc.collect()
    assert eventually(lambda: not threads())


def test_an_interrupt_while_a_batch_is_waited_for_is_one() -> None:
    class Slow(Counted):
        def __iter__(self) -> Iterator[int]:
            for each in super().__iter__():
                time.sleep(0.02)
                yield each

    def program() -> None:
        with Loader[object](Slow(), 2, prefetch=1).batches() as batches:
            next(batches)

    waiting = {threading.Condition.wait.__code__, threading.Condition.wait_for.__code__, _Buffer.get.__code__}
    ends = [type(interrupt(program, place)) for place in instructions(program) if place[0] in waiting]
    assert ends.count(KeyboardInterrupt) > 50 and {*ends} <= {KeyboardInterrupt, type(None)}, {*ends}
    gc.collect()
    assert eventually(lambda: not threads())


def test_it_ends_when_nobody_holds_the_batches() -> None:
    source = Counted()
    batches: Batches[Batch[object]] | None = Loader[object](source, 2).batches()
    assert batches is not None and next(batches).examples == 2 and threads()
    batches = None
    gc.collect()
    assert eventually(lambda: not threads() and source.closed)


def test_closing_waits_for_what_is_read() -> None:
    begun, go_on, closed = threading.Event(), threading.Event(), threading.Event()

    def source() -> Iterator[int]:
        begun.set()
        go_on.wait(20)
        yield 1

    batches = Loader[object](source(), 1).batches()

    def close() -> None:
        batches.close()
        closed.set()

    assert begun.wait(20)
    closing = threading.Thread(target=close)
    closing.start()
    assert not closed.wait(0.05)
    go_on.set()
    assert closed.wait(20) and not threads()
    closing.join()
    batches.close()


def test_two_loops_do_not_disturb_each_other() -> None:
    loader = Loader[np.ndarray](np.arange(12), 3)
    with loader.batches() as first, loader.batches() as second:
        pairs = [(int(a.data[0]), int(b.data[0])) for a, b in zip(first, second, strict=True)]
    assert pairs == [(i, i) for i in (0, 3, 6, 9)]


@pytest.mark.parametrize("ahead", [0, 2])
def test_threads_share_batches(ahead: int) -> None:
    batches = Loader[np.ndarray](map(int, np.arange(4000)), 4, prefetch=ahead).batches()
    with ThreadPoolExecutor(4) as pool:
        parts = pool.map(lambda _: [int(batch.data[0]) for batch in batches], range(4))
    assert sorted([first for part in parts for first in part]) == list(range(0, 4000, 4))


@pytest.mark.parametrize("ahead", [0, 2])
def test_sources_are_out_of_reach_of_handlers(ahead: int) -> None:
    """Operations of a source are no part of a program that is staged while a batch is asked for."""

    class Squares:
        def __len__(self) -> int:
            return 4

        def __getitem__(self, position: int) -> object:
            return fx.square(fx.asarray(position))

    batches = Loader[fx.Array](Squares(), 2, key=fx.random.key(1), prefetch=ahead).batches()
    order = np.asarray(fx.random.permutation(fx.random.fold_in(fx.random.key(1), 0), 4))
    np.testing.assert_array_equal(jit(lambda x: x + next(batches).data)(1), 1 + order[:2] ** 2)
    np.testing.assert_array_equal(vmap(lambda x: x + next(batches).data)(fx.ones(1))[0], 1 + order[2:] ** 2)


def test_a_fork_is_refused_batches_of_the_thread_that_it_has_not() -> None:
    program = """if True:
        import os, signal, numpy, lowering
        from effects.errors import DeviceError
        batches = lowering.Loader(numpy.arange(9.0), 3, prefetch=1).batches(None)
        next(batches)
        if child := os.fork():
            os._exit(os.waitpid(child, 0)[1])
        signal.alarm(20)
        try:
            for _ in range(4):
                next(batches)
        except DeviceError:
            os._exit(0)
    """
    printed(program, PYTHONWARNINGS="ignore")


def test_a_program_ends_while_batches_are_made() -> None:
    program = "import numpy, lowering; b = lowering.Loader(numpy.arange(9.0), 3).batches(None); print(next(b).examples)"
    assert printed(program) == "3\n"
