"""The dtype of Python's floats that stand alone, and where float64 comes into a program."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError
from handlers import custom_jvp, float64_origins, grad, scan, vmap
from lowering import jit

NARROW = fx.ones(3, dtype=fx.float32)
WIDE = fx.asarray([1.0, 2.0, 3.0])


@pytest.fixture
def in_float32() -> Iterator[None]:
    fx.default_float.set(fx.float32)
    yield
    fx.default_float.set(fx.float64)


def _made() -> list[str]:
    arrays: list[Any] = [fx.zeros(2), fx.asarray(0.5), fx.arange(3) / 2, fx.sin(1.0), fx.asarray(1j).real]
    return [str(array.dtype) for array in arrays]


def test_the_default_of_the_process_holds_in_all_threads_under_blocks() -> None:
    Context().run(_check_the_default_of_the_process)


def _check_the_default_of_the_process() -> None:
    f: Any = jit(lambda x: x + fx.ones(2))
    assert str(f(1.0).dtype) == "float64" and _made() == ["float64"] * 5
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(_made).result() == ["float64"] * 5  # the thread is there before
        fx.default_float.set("float32")
        try:
            assert pool.submit(_made).result() == _made() == ["float32"] * 5
            assert str(f(1.0).dtype) == "float32" == str(pool.submit(f, 1.0).result().dtype)
            with fx.default_float(fx.bfloat16):
                assert str(fx.zeros(2).dtype) == str(f(1.0).dtype) == "bfloat16"
                fx.default_float.set(fx.float64)
                assert str(fx.zeros(2).dtype) == "bfloat16"
            assert _made() == ["float64"] * 5
        finally:
            fx.default_float.set(fx.float64)
    for refused in (fx.int32, fx.complex64):
        with pytest.raises(ArgumentError, match=r"default_float.set takes a real floating dtype such as float32, got"):
            fx.default_float.set(refused)


@pytest.mark.usefixtures("in_float32")
def test_nothing_is_wide_then() -> None:
    def work() -> None:
        with float64_origins() as origins:
            fx.mean(fx.arange(4) / 3), fx.linspace(0.0, 1.0, 3), fx.sum(NARROW * fx.asarray([1.0, 2.0, 3.0]))
        assert not origins and repr(origins) == "0 origins of float64"

    Context().run(work)


@custom_jvp(lambda primals, tangents: (primals[0] * 2.0, tangents[0] * np.float64(2.0)))
def twice(x: Any) -> Any:
    return (x * WIDE).astype(fx.float32)


def _loop(x: Any) -> Any:
    return fx.sum(scan(lambda c, _: ((c * np.float64(2.0)).astype(fx.float32), None), x, length=2)[0])


ORIGINS: Any = {
    "meeting": (lambda: NARROW * WIDE, 1),
    "meeting, compiled": (lambda: jit(lambda x: x * WIDE)(NARROW), 1),
    "quotient of integers": (lambda: fx.arange(3) / fx.arange(1, 4), 1),
    "astype": (lambda: NARROW.astype(float), 1),
    "loop": (lambda: jit(_loop)(NARROW), 1),
    "derivative of a loop": (lambda: grad(_loop)(NARROW), 1),
    "lanes": (lambda: vmap(lambda x: x * fx.ones(()))(NARROW), 1),
    "function with rules": (lambda: twice(NARROW), 1),
    "only wide": (lambda: fx.sin(WIDE) * 2.0, 0),
    "numbers": (lambda: NARROW * 2.0 + fx.sqrt(2.0) * NARROW, 0),
}


@pytest.mark.parametrize("name", ORIGINS)
def test_origins_have_the_line_where_float64_comes_in(name: str) -> None:
    run, count = ORIGINS[name]
    with float64_origins() as origins:
        run()
    lines = {(origin.source.file, origin.source.line) for origin in origins if origin.source}
    assert len(lines) == count and {file for file, _ in lines} <= {__file__}
    assert all(str(origin.result.dtype) == "float64" for origin in origins)


def test_another_block_looks_again_at_what_is_compiled() -> None:
    f: Any = jit(lambda x: x * WIDE)
    for _ in range(2):
        with float64_origins() as origins:
            f(NARROW)
            f(NARROW)
        assert [str(origin).split("\n")[0] for origin in origins] == ["convert gives float64[3] of float32[3]"]
