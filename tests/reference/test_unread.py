"""Arguments that a program does not read are no arguments of what is compiled, unless `keep_unused` asks for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array
from handlers import grad, vmap
from lowering import device_put, jit, trace
from tests.reference.agreement import close


def some(n: int) -> list[Array]:
    return [device_put(fx.asarray([float(i), 1.0])) for i in range(n)]


def few(*xs: Array) -> Array:
    return xs[1] + 10.0 * xs[3]


@pytest.mark.parametrize("keep", [False, True])
def test_what_is_read_decides_what_is_taken(keep: bool) -> None:
    xs = some(5)
    jitted = jit(few, keep_unused=keep)
    for _ in range(2):
        close(jitted(*xs), np.asarray(xs[1]) + 10 * np.asarray(xs[3]))
    lowered = trace(jitted, *xs).lower()
    assert lowered.as_text().count("%arg") > 0
    assert ("%arg4" in lowered.as_text()) is keep
    compiled = lowered.compile()
    assert compiled.memory_analysis().arguments == (80 if keep else 32)
    close(compiled(*xs), np.asarray(xs[1]) + 10 * np.asarray(xs[3]))


def test_trees_names_captured_and_unread_results() -> None:
    weights = dict(zip("abcd", some(4), strict=True))
    closed, ignored = some(2)

    def f(tree: dict[str, Array], *, scale: Array, unread: Array) -> Any:
        fx.sin(ignored + unread)  # a result that nobody reads
        return {"b": tree["b"] * scale + closed, "d": tree["d"]}

    jitted = jit(f)
    for _ in range(2):
        out = jitted(weights, scale=closed, unread=ignored)
        close(out["b"], np.asarray(weights["b"]) * np.asarray(closed) + np.asarray(closed))
        close(out["d"], np.asarray(weights["d"]))
    assert trace(jitted, weights, scale=closed, unread=ignored).live_inputs.positions != ()


def test_nothing_is_read() -> None:
    x = some(1)[0]
    assert jit(lambda x: 3.0)(x) == 3.0
    assert vmap(jit(lambda x, y: y))(x, x).shape == (2,)
    close(grad(jit(lambda x, y: fx.sum(y)))(x, x), np.zeros(2))


def test_numbers_and_arrays_of_the_host() -> None:
    jitted = jit(few)
    for _ in range(2):
        close(jitted(1, 2.0, np.ones(3), 4.0, True), 42.0)  # type: ignore[arg-type]  # numbers are arrays


@pytest.mark.parametrize("keep", [False, True])
def test_a_donated_argument_that_is_not_read_stays(keep: bool) -> None:
    x, y, z = some(3)
    result = jit(lambda x, y, z: y + 1.0, donate_argnums=(0, 1), keep_unused=keep)(x, y, z)
    close(result, np.full(2, 2.0))
    assert x.stored.is_deleted() is keep  # type: ignore[attr-defined]  # it is on a device
    assert y.stored.is_deleted()  # type: ignore[attr-defined]  # as above
    if not keep:
        close(x + z, np.asarray([2.0, 2.0]))


@pytest.mark.parametrize("f", [lambda x, y: y + 1.0, lambda x, y: x + 1.0], ids=["given away", "beside"])
def test_an_array_that_is_donated_and_given_again_where_one_of_both_is_not_read(f: Any) -> None:
    for again in (False, True):
        jitted, (x, y) = jit(f, donate_argnums=0), some(2)
        if again:
            jitted(y, some(1)[0])
        close(jitted(x, x), np.asarray([1.0, 2.0]))
        x = some(1)[0]
        close(trace(jitted, x, x).lower().compile()(x, x), np.asarray([1.0, 2.0]))


@pytest.mark.parametrize("again", [False, True])
def test_an_array_that_is_gone_may_be_given_where_it_is_not_read(again: bool) -> None:
    def second(x: Array, y: Array) -> Array:
        return y + 1.0

    gone, x, y = some(3)
    jit(second, donate_argnums=1)(x, gone)
    jitted = jit(second)
    if again:
        jitted(x, y)
    close(jitted(gone, y), np.asarray(y) + 1.0)
    close(trace(jitted, x, y).lower().compile()(gone, y), np.asarray(y) + 1.0)
