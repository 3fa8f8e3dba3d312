"""Threads and asyncio tasks have chains of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import effects as fx
from effects import Array, chain
from effects.program.chain import ROOT
from handlers import Jvp, grad, jvp, vmap
from lowering import jit
from tests.reference.agreement import close


def test_a_thread_starts_from_the_root() -> None:
    chains: list[object] = []
    with Jvp() as handler:
        thread = threading.Thread(target=lambda: chains.append(chain()))
        thread.start()
        thread.join()
        assert chain() == (handler, ROOT)
    assert chains == [(ROOT,)]


def test_threads_do_not_see_each_others_handlers() -> None:
    both_are_inside = threading.Barrier(8, timeout=20)

    def work(k: int) -> Array:
        def f(x: Array) -> Array:
            both_are_inside.wait()
            y = fx.sin(x * float(k))
            both_are_inside.wait()
            return y * y

        transformed: list[Callable[[Array], Array]] = [
            grad(f),
            lambda x: jvp(f, (x,), (fx.asarray(1.0),))[1],
            jit(grad(f)),
            lambda x: vmap(grad(f))(x[None])[0],
        ]
        return transformed[k % 4](fx.asarray(0.4))

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(8)))
    for k, result in enumerate(results):
        expected = grad(lambda x, k=k: fx.sin(x * float(k)) ** 2)(fx.asarray(0.4))
        close(result, expected, 1e-12, 1e-14)
    assert chain() == (ROOT,)


def test_one_jitted_function_in_many_threads() -> None:
    f: Callable[[Array], Array] = jit(lambda x: fx.sin(x) * 2.0)

    def work(k: int) -> Array:
        summed: Callable[[Array], Array] = lambda x: fx.sum(f(x))
        return grad(summed)(fx.ones(1 + k % 3) * k)

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(24)))
    for k, result in enumerate(results):
        close(result, fx.cos(fx.ones(1 + k % 3) * k) * 2.0, 1e-12)


def test_tasks_do_not_see_each_others_handlers() -> None:
    async def task(k: int, ready: asyncio.Event) -> tuple[Array, bool]:
        with Jvp() as handler:
            x = handler.dual(fx.asarray(0.4), fx.asarray(1.0))
            await ready.wait()
            y = fx.sin(x * float(k))
            await asyncio.sleep(0)
            mine = chain() == (handler, ROOT)
            result = handler.lift(y).tangent
        assert result is not None
        return result, mine

    async def main() -> list[tuple[Array, bool]]:
        ready = asyncio.Event()
        tasks = [asyncio.create_task(task(k, ready)) for k in range(1, 6)]
        await asyncio.sleep(0)
        assert chain() == (ROOT,)
        ready.set()
        return await asyncio.gather(*tasks)

    for k, (tangent, mine) in enumerate(asyncio.run(main()), 1):
        assert mine
        close(tangent, fx.cos(fx.asarray(0.4 * k)) * float(k), 1e-12)
    assert chain() == (ROOT,)
