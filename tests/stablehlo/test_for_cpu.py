"""Reductions of many elements: in steps, or by the library, they are what NumPy and XLA's own windows give."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import combinations
from typing import Final

import ml_dtypes
import numpy as np
import pytest

import effects as fx
from effects.arrays.array import Array
from effects.arrays.concrete import Host
from effects.operations.reduction import Reduce, ReduceKind
from effects.program.chain import perform
from handlers import cond, fori_loop
from lowering import jit, lower
from lowering.pjrt import compiling
from lowering.pjrt.options import HALF_VECTORS, Options
from lowering.stablehlo import emit
from lowering.stablehlo.cpu.reductions import for_one_cpu
from tests.stablehlo.agreement import one, run

_K = ReduceKind
SHAPES: Final = (
    (10007,),
    (72, 90),
    (131, 67),
    (50, 70),
    (12, 90),
    (3, 5003),
    (9, 17, 40),
    (2100, 3),
    (4, 1, 1100),
    (70, 1100),
)
"""Axes that parts fill and do not, a few more arrays than are folded at once, short rows, an axis of one element, long
rows."""
SUMS: Final = ((10007,), (72, 90), (131, 67), (3, 5003), (9, 17, 80))
"""What the library sums, if nothing but sums is asked for."""
DTYPES: Final = ("float32", "float64", "float16", "int32", "uint8", "complex64", "bool")


def sample(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Host:
    x = np.random.default_rng(math.prod(shape)).normal(size=shape)
    if dtype.kind == "b":
        return x > -2
    return (x + 1j * x[::-1] if dtype.kind == "c" else 20 * x).astype(dtype)


def special(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Host:
    """Zeros of both signs and subnormals, of which some lines have a NaN, some infinities."""
    x = np.where(sample(shape, np.dtype(float)) > 0, -0.0, 0.0).astype(dtype)
    rng = np.random.default_rng(0)
    for value in (np.nan, np.inf, -np.inf, 1e-310 if dtype.itemsize == 8 else 1e-40, 1):
        x.reshape(-1)[rng.integers(0, x.size, max(x.size // 400, 1))] = value
    return x


def folds(dtype: np.dtype[np.generic]) -> tuple[ReduceKind, ...]:
    if dtype.kind == "b":
        return (_K.AND, _K.OR)
    return (_K.SUM,) if dtype.kind == "c" else (_K.SUM, _K.MIN)


def every(kinds: tuple[ReduceKind, ...], *hosts: Host) -> tuple[list[tuple[Host, Reduce[int]]], list[Host]]:
    """The folds of arrays over all their axes, and what XLA gives."""
    asked = [
        (i, Reduce(kind, axes, i))
        for i, host in enumerate(hosts)
        for count in range(1, host.ndim + 1)
        for axes in combinations(range(host.ndim), count)
        for kind in kinds
    ]

    def program(*xs: Array) -> list[Array]:
        return [one(perform(op.map(xs.__getitem__))) for _, op in asked]

    return [(hosts[i], op) for i, op in asked], run(program, *hosts)


@pytest.mark.parametrize("name", DTYPES)
def test_values(name: str) -> None:
    dtype = np.dtype(name)
    kinds = folds(dtype)
    asked, got = every(kinds, *[sample(shape, dtype) for shape in SHAPES])
    if _K.SUM in kinds:
        sums = every((_K.SUM,), *[sample(shape, dtype) for shape in SUMS])
        asked, got = asked + sums[0], got + sums[1]
    for (x, op), value in zip(asked, got, strict=True):
        wide = x.astype({"f": float, "c": complex}.get(dtype.kind, dtype))
        ufunc = {_K.SUM: np.add, _K.MIN: np.minimum, _K.AND: np.logical_and, _K.OR: np.logical_or}[op.kind]
        expected = ufunc.reduce(wide, axis=op.axes, dtype=wide.dtype)
        if op.kind is _K.SUM and dtype.kind in "fc":
            lost = 4 * np.finfo(np.float32 if name == "float16" else dtype).eps * np.sum(np.abs(wide), axis=op.axes)
            rounded = np.finfo(dtype).eps * np.abs(expected)
            assert np.all(np.abs(value - expected) <= lost + rounded), f"{x.shape} {op}"
        else:
            np.testing.assert_array_equal(value, expected, err_msg=f"{x.shape} {op}")


@pytest.mark.parametrize("name", ["float32", "float64", "bfloat16"])
def test_special_values_are_as_by_windows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, name))

    def both() -> tuple[list[tuple[Host, Reduce[int]]], list[Host]]:
        some = [
            every(kinds, *[special(s, dtype) for s in of]) for kinds, of in ((folds(dtype), SHAPES), ((_K.SUM,), SUMS))
        ]
        return some[0][0] + some[1][0], some[0][1] + some[1][1]

    asked, got = both()
    monkeypatch.setattr(compiling, "for_one_cpu", lambda module: (module, ()))
    for (x, op), value, expected in zip(asked, got, both()[1], strict=True):
        number = ~np.isnan(expected.astype(float))
        np.testing.assert_array_equal(np.isnan(value.astype(float)), ~number)
        assert value[number].tobytes() == expected[number].tobytes(), (x.shape, op)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_extremes_of_narrow_floats(name: str) -> None:
    """The order has zeros by their signs, subnormals beside them, and NaN of either sign before everything."""
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    hosts = [special(shape, dtype) for shape in (*SHAPES, (5,), (2, 3))]
    hosts += [np.copysign(x, np.where(np.isnan(x), -1, x).astype(dtype)) for x in hosts[:2]]
    tiny = np.ones((), np.uint16).view(dtype)
    hosts += [np.array([[tiny, 0, -0.0], [-tiny, -0.0, -0.0]], dtype), np.full((3, 2), -np.inf, dtype)]
    asked, got = every((_K.MAX, _K.MIN), *hosts)
    for (x, op), value in zip(asked, got, strict=True):
        wide = x.astype(float)
        size = np.maximum(np.abs(wide), 1e-300)  # which tells the zeros apart
        greatest = op.kind is _K.MAX
        expected = (np.max if greatest else np.min)(np.copysign(size, wide), axis=op.axes)
        number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.isnan(value.astype(float)), ~number, err_msg=f"{x.shape} {op}")
        assert value[number].tobytes() == expected[number].astype(dtype).tobytes(), f"{x.shape} {op}"


def test_rows_of_arguments_are_folded_in_a_loop() -> None:
    """Of them nothing is kept in memory but a row: of what is computed by element, by row, in functions and in loops,
    of rows that eight do not divide, and of short ones side by side.
    """

    def deviations(x: fx.Array) -> fx.Array:
        return fx.sum(fx.abs(x - fx.mean(x, axis=0)) * 2, axis=0)

    def in_a_loop(x: fx.Array) -> fx.Array:
        return fori_loop(0, 3, lambda i, y: fx.where(y > fx.max(y, axis=0) / 2, y / 2, y), x)

    for shape in ((203, 90), (2100, 3), (5, 67, 80)):
        x = sample(shape, np.dtype("float32"))
        for f in (deviations, jit(deviations), fx.std, lambda x: fx.max(x, axis=-2)):
            compiled = lower(f, fx.asarray(x)).compile()
            np.testing.assert_allclose(compiled(x), np.asarray(f(fx.asarray(x))), rtol=2e-5, atol=1e-5)
            assert compiled.memory_analysis().temporaries < x.nbytes / 4
        np.testing.assert_array_equal(jit(in_a_loop)(fx.asarray(x)), in_a_loop(fx.asarray(x)))
        compared = jit(lambda z: fx.count_nonzero(z == 1, axis=-2))(fx.asarray(np.round(x) + 0j))
        np.testing.assert_array_equal(compared, np.count_nonzero(np.round(x) == 1, axis=-2))


def test_rows_of_what_takes_long_and_is_read_again_are_folded_in_a_loop() -> None:
    """Nothing but the result and rows is in memory; what a row is subtracted from is computed of the finished row."""
    x = sample((203, 90), np.dtype("float32")) / np.float32(20)
    x[:, 3], x[:, 4], x[5, 6], x[7, 8] = -np.inf, 1e-3, np.nan, np.inf
    with np.errstate(invalid="ignore"):
        powers = np.exp(x.astype(float) - np.where(np.isfinite(most := x.max(axis=0)), most, 0))
        expected = powers / powers.sum(axis=0)
    compiled = lower(lambda x: fx.nn.softmax(x, axis=0), fx.asarray(x)).compile()
    np.testing.assert_allclose(compiled(x), expected, rtol=2e-6)
    assert compiled.memory_analysis().temporaries < x.nbytes / 16

    def pair(x: fx.Array) -> tuple[fx.Array, fx.Array, fx.Array]:
        y = fx.exp(-fx.abs(x))
        return fx.sum(y, axis=0), fx.sum(y * x, axis=0), fx.max(y, axis=0)

    z = sample((203, 90), np.dtype("float64"))
    y = np.exp(-abs(z))
    for actual, wanted in zip(
        jit(pair)(fx.asarray(z)), (y.sum(axis=0), (y * z).sum(axis=0), y.max(axis=0)), strict=True
    ):
        np.testing.assert_allclose(actual, wanted, rtol=1e-12, atol=1e-12)


def test_sums_of_equal_elements_are_products() -> None:
    """Of them nothing is kept in memory: not even where other reductions of the program go in steps."""

    def rows(x: fx.Array) -> tuple[fx.Array, fx.Array]:
        return fx.sum(fx.broadcast_to(x[0], (3000, 90)), axis=0), fx.max(x)

    x = fx.asarray(sample((2, 90), np.dtype("float32")))
    compiled = lower(rows, x).compile()
    assert compiled.memory_analysis().temporaries < 3000
    np.testing.assert_allclose(np.asarray(compiled(x)[0]), 3000 * np.asarray(x)[0], rtol=1e-6)


def test_what_the_library_has() -> None:
    """Sums of sums and products, and nothing that it computes otherwise than XLA."""
    x = fx.ones((64, 100), dtype=fx.float32)

    def has(f: Callable[[fx.Array], object]) -> bool:
        return "ynn" in lower(f, x).compile().as_text()

    def squares(x: fx.Array) -> fx.Array:
        return fx.sum((x - 1) ** 2 + fx.abs(x), axis=0)

    assert has(fx.sum)
    assert has(fx.mean)
    assert has(squares)
    assert not has(lambda x: fx.sum(fx.exp(x)))
    assert not has(lambda x: fx.sum(fx.maximum(x, 0)))
    assert not has(lambda x: (fx.sum(x), fx.max(x)))
    assert not has(lambda x: fx.sum(-x))
    assert not has(lambda x: fx.sum(fx.astype(x, fx.float16)))


def test_programs_that_compute_little_have_short_vectors() -> None:
    """Of those whose operands fit into no cache."""

    def options(f: Callable[[fx.Array], fx.Array], n: int = 1_000_000) -> Options:
        return for_one_cpu(emit(lower(f, fx.ones(n)).trace.jaxpr, "f").ir)[1]

    assert options(lambda x: fx.clip(x[1:] * 2 - x[:-1], 0, 1)) == HALF_VECTORS
    assert options(lambda x: fx.clip(x[1:] * 2 - x[:-1], 0, 1), 5000) == ()
    assert options(lambda x: x / 3) == options(fx.exp) == options(lambda x: sum([x * x] * 20, x)) == ()


def test_programs_on_few_elements_are_one_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """They give what they give in several, to the bit; so do those whose arguments XLA finds to be unread."""
    x = fx.asarray(sample((6, 90), np.dtype(float)))

    def loop(x: fx.Array) -> fx.Array:
        return fori_loop(0, 3, lambda i, y: cond(fx.any(y > 9), lambda y: y / 3, fx.sin, y), x)

    def programs(x: fx.Array) -> list[fx.Array]:
        bits = fx.bitwise_xor(fx.astype(x, fx.int32), 5)
        sums = fx.var(x, axis=0), fx.cumulative_sum(x[0]), fx.special.logsumexp(x, axis=1), fx.max(bits, axis=1)
        return [*sums, loop(x), fx.special.digamma(x), fx.nn.softmax(x), x[fx.asarray([3, 1])], fx.exp(1j * x[0])]

    unread: list[Callable[[fx.Array], object]] = [lambda x: x, lambda x: fx.argsort(x[:1, 0]), lambda x: (x, x**0, x)]

    def kernels(f: Callable[[fx.Array], object], x: fx.Array) -> int:
        main = lower(f, x).compile().as_text().partition("\nENTRY")[2]
        return len(re.findall(r" (?:call|fusion|while|dot|sort|sine|custom-call)\(", main))

    def values() -> list[bytes]:
        return [np.asarray(y).tobytes() for f in (programs, *unread) for y in fx.tree_leaves(jit(lambda x: f(x))(x))]  # noqa: B023

    assert kernels(programs, x) == kernels(loop, x) == kernels(fx.sin, fx.ones(4096)) == 1
    assert kernels(lambda x: fx.nn.softmax(x @ x.mT), x) > 1 < kernels(lambda x: fx.std(fx.tile(x, (8, 1))), x)
    assert kernels(lambda x: [fx.sin(x * i) for i in range(70)], x) > 1  # whose time to compile would be quadratic
    assert "main.body" not in jit(loop, donate_argnums=0).lower(x).compile().as_text()
    together = values()
    monkeypatch.setattr(compiling, "for_one_cpu", lambda module: (module, ()))
    assert values() == together
