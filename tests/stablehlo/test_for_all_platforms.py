"""What is tuned for CPUs is what the plain form, which other platforms get, gives on the same CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import pytest

import effects as fx
from effects.arrays.array import Array
from effects.arrays.concrete import Device, Host
from lowering import pjrt
from lowering.pjrt import compiling
from lowering.stablehlo import emit
from tests.stablehlo.agreement import program, run_module

type Program = Callable[[Array], Array | tuple[Array, ...] | list[Array]]

EXACT: Final[Mapping[str, tuple[Program, tuple[int, ...]]]] = {
    "greatest of many lines": (lambda x: list(fx.top_k(x, 3)), (130, 40)),
    "greatest of long lines": (lambda x: list(fx.top_k(x, 2)), (70, 900)),
    "greatest of one line": (lambda x: list(fx.top_k(x, 4)), (5000,)),
    "order": (lambda x: [fx.sort(x, axis=0), fx.argsort(x, axis=0)], (301, 7)),
    "running maximum": (lambda x: fx.cummax(x, axis=0), (9001, 5)),
    "maxima of windows": (lambda x: fx.window_max(x, (3, 2), strides=(2, 1), padding="same"), (41, 30)),
    "maxima": (lambda x: [fx.max(x, axis=0), fx.min(x, axis=1), fx.max(x)], (300, 130)),
}
ROUNDED: Final[Mapping[str, tuple[Program, tuple[int, ...]]]] = {
    "running sum": (lambda x: fx.cumulative_sum(x, axis=0), (9001, 5)),
    "sums of windows": (lambda x: fx.window_sum(x, (3, 2), strides=(2, 1), padding="same"), (41, 30)),
    "long sum of products": (lambda x: fx.matmul(x.T, x[:, :1]), (40_000, 3)),
    "sums": (lambda x: [fx.sum(x, axis=0), fx.mean(x, axis=1), fx.std(x)], (300, 130)),
    "logarithms": (lambda x: [fx.log(fx.abs(x)), fx.log1p(fx.abs(x))], (5000,)),
}


def operand(shape: tuple[int, ...], dtype: str, *, special: bool) -> Host:
    x = np.random.default_rng(0).normal(size=shape)
    if special:
        x.ravel()[::97] = np.resize([np.nan, np.inf, -np.inf, 0.0, -0.0], x.ravel()[::97].shape)
    return x.astype(np.dtype(dtype))


def both(f: Program, x: Host, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Host, Host]]:
    """The results of the program as it is for the CPU, and as it is for every platform."""

    def results(x: Array) -> list[Array]:
        y = f(x)
        return list(y) if isinstance(y, tuple | list) else [y]

    jaxpr = program(results, [x])

    def on(device: Device | None) -> list[Host]:
        return run_module(emit(jaxpr, "test", (), device), jaxpr.out_avals, [x])

    tuned = on(pjrt.default_device())
    with monkeypatch.context() as patched:
        patched.setattr(compiling, "for_one_cpu", lambda module: (module, ()))
        return list(zip(tuned, on(None), strict=True))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@pytest.mark.parametrize("name", EXACT)
def test_choices_are_the_same_to_the_bit(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    f, shape = EXACT[name]
    x = (
        operand(shape, dtype, special="float" in dtype)
        if "float" in dtype
        else operand(shape, "float64", special=False)
    )
    for tuned, plain in both(f, x if "float" in dtype else (x * 40).astype(dtype), monkeypatch):
        np.testing.assert_array_equal(tuned, plain)
        assert tuned.dtype.kind != "f" or np.array_equal(np.signbit(tuned)[tuned == 0], np.signbit(plain)[plain == 0])


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", ROUNDED)
def test_sums_are_the_same_but_for_rounding(
    name: str, dtype: str, special: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    f, shape = ROUNDED[name]
    tolerance = 64 * float(np.finfo(dtype).eps)
    for tuned, plain in both(f, operand(shape, dtype, special=special), monkeypatch):
        np.testing.assert_allclose(tuned.astype(float), plain.astype(float), rtol=tolerance, atol=64 * tolerance)
