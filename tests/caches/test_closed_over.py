"""An array that a loop closes over is an operand of its program: another value is no other program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import Array
from handlers import (
    associative_scan,
    checkpoint,
    cond,
    custom_jvp,
    fori_loop,
    grad,
    jvp,
    map,
    scan,
    switch,
    vmap,
    while_loop,
)
from lowering import compilation, jit
from tests.reference.agreement import close

x3: Final = fx.asarray([0.5, 1.0, 1.5])

RATES: Final[dict[str, Callable[[int], Any]]] = {
    "asarray": lambda i: fx.asarray(0.1 * i),
    "asarray of a type": lambda i: fx.asarray(0.1 * i, dtype=fx.float32),
    "full": lambda i: fx.full((), 0.1 * i),
    "computed": lambda i: fx.asarray(0.1) * i,
    "element": lambda i: fx.linspace(0.0, 1.0, 6)[i],
    "sum": lambda i: fx.sum(fx.ones(3) * i),
    "array of NumPy": lambda i: np.asarray(0.1 * i),
    "scalar of NumPy": lambda i: np.float32(0.1 * i),
}


def three(step: Callable[[Array], Array], x: Array) -> Array:
    def stepped(h: Array, _: None) -> tuple[Array, None]:
        return step(h), None

    return scan(stepped, x, length=3)[0]


def ruled(h: Array, s: Any) -> Array:
    @custom_jvp
    def f(h: Array, s: Any) -> Array:
        return fx.multiply(h, s)

    f.defjvp(lambda primals, tangents: (primals[0] * primals[1], tangents[0] * primals[1]))
    return f(h, s)


LOOPS: Final[dict[str, Callable[[Any], object]]] = {
    "scan": lambda s: three(lambda h: h * s, x3),
    "while_loop": lambda s: while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * s), (0, x3)),
    "condition": lambda s: while_loop(lambda c: c < s, lambda c: c + 1.0, 0.0),
    "fori_loop": lambda s: fori_loop(0, 3, lambda _, h: h * s, x3),
    "fori_loop to an array": lambda s: fori_loop(0, fx.asarray(3), lambda _, h: h * s, x3),
    "map": lambda s: map(lambda h: h * s, x3),
    "map in batches": lambda s: map(lambda h: h * s, x3, batch_size=2),
    "associative_scan": lambda s: associative_scan(lambda a, b: a + b * s, x3),
    "cond in scan": lambda s: three(lambda h: cond(h[0] > 0, lambda h: h * s, lambda h: h, h), x3),
    "switch in scan": lambda s: three(lambda h: switch(1, [lambda h: h * s, lambda h: h + s], h), x3),
    "scan in scan": lambda s: three(lambda h: three(lambda h: h * s, h), x3),
    "jit in scan": lambda s: three(lambda h: jit(lambda h: h * s)(h), x3),
    "checkpoint in scan": lambda s: grad(lambda x: fx.sum(three(checkpoint(lambda h: fx.sin(h * s)), x)))(x3),
    "rules in scan": lambda s: three(lambda h: ruled(h, s), x3),
    "grad of scan": lambda s: grad(lambda x: fx.sum(three(lambda h: fx.sin(h * s), x)))(x3),
    "jvp of scan": lambda s: jvp(lambda x: three(lambda h: fx.sin(h * s), x), (x3,), (x3,)),
    "vmap of scan": lambda s: vmap(lambda x: three(lambda h: fx.sin(h * s), x))(x3),
    "jit": lambda s: jit(lambda h: h * s)(x3),
    "jit of grad of scan": lambda s: jit(grad(lambda x: fx.sum(three(lambda h: fx.sin(h * s), x))))(x3),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_an_array_that_is_closed_over_is_compiled_for_once(loop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_lowered = compilation.compile_lowered

    def counted(*args: Any) -> Any:
        compiled.append(args[2])
        return compile_lowered(*args)

    monkeypatch.setattr(compilation, "compile_lowered", counted)
    for make in RATES.values():
        LOOPS[loop](make(1))
        before = len(compiled)
        for i in (2, 3):
            LOOPS[loop](make(i))
        assert len(compiled) == before


@pytest.mark.parametrize("rate", RATES)
def test_each_turn_has_its_own_value(rate: str) -> None:
    for i in range(4):
        s = RATES[rate](i)
        step: Callable[[Array], Array] = lambda h, s=s: h * s  # type: ignore[misc]  # bound now
        close(three(step, x3), np.asarray(x3) * float(s) ** 3, 1e-6)
        close(jit(step)(x3), np.asarray(x3) * float(s), 1e-6)
        close(grad(lambda x, step=step: fx.sum(three(step, x)))(x3), np.full(3, float(s) ** 3), 1e-6)


def test_a_rate_can_be_learnt_through_the_loop() -> None:
    def loss(s: Array) -> Array:
        return fx.sum(three(lambda h: h * s, x3))

    for i in range(1, 4):
        s = fx.asarray(0.5 * i)
        close(grad(loss)(s), 3 * (0.5 * i) ** 2 * 3.0, 1e-12)
