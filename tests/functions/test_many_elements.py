"""What is computed in another way where there are many elements gives what it gives for a few."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from lowering import jit

NAN, INF = float("nan"), float("inf")
SPECIAL = [NAN, -1.0, 2.5, -0.0, 0.0, INF, -INF, 0.5, 1.0, 2.0]
BOUNDS = [-INF, -1.0, -0.0, 0.0, 1.0, INF, NAN]


def same(left: Any, right: Any) -> None:
    """Of one dtype and with the same bits, NaN being NaN."""
    a, b = np.asarray(left), np.asarray(right)
    assert a.dtype == b.dtype
    np.testing.assert_array_equal(a, b)
    apart = ~np.isnan(b)
    np.testing.assert_array_equal(np.signbit(a)[apart], np.signbit(b)[apart])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_limits_are_those_of_few_elements(dtype: Any) -> None:
    few = np.asarray(SPECIAL, dtype)
    many = np.tile(few, 200)
    for low, high in itertools.product(BOUNDS, BOUNDS):
        expected = np.tile(np.asarray(fx.clip(fx.asarray(few), low, high)), 200)
        same(fx.clip(fx.asarray(many), low, high), expected)


@pytest.mark.parametrize("kind", ["bool", "uint8", "bfloat16", "float16", "int32", "float32", "float64", "complex128"])
def test_many_elements_are_chosen_with_all_their_bits(kind: Any) -> None:
    random = np.random.default_rng(0)
    dtype = np.dtype(fx.asarray([], dtype=kind).dtype.dtype)
    x, y = (random.integers(0, 2, (150, 128, dtype.itemsize), np.uint8) * 255 for _ in "xy")
    x, y = ((v & (1 if kind == "bool" else 255)).view(dtype)[..., 0] for v in (x, y))
    for share in (0.01, 0.5, 0.99):
        pred = random.random(x.shape) < share
        for a, b in ((x, y), (x[0], y), (x[:1, :1], y[:, :1]), (x[0, 0], y[0, 0]), (x.T.copy().T, y)):
            chosen = np.asarray(fx.where(fx.asarray(pred), fx.asarray(a), fx.asarray(b)))
            assert chosen.tobytes() == np.where(pred, a, b).tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.int8, np.bool_])
@pytest.mark.parametrize("zeros", [True, False])
def test_many_elements_are_sorted_as_a_stable_sort_does(dtype: Any, zeros: bool) -> None:
    random = np.random.default_rng(0)
    x = (10 * random.normal(size=(6000, 2))).astype(dtype)
    if zeros and x.dtype.kind == "f":
        x[::7], x[5], x[9::11], x[1] = 0.0, NAN, -0.0, INF
    elif zeros:
        x[::7] = 0
    for axis, descending in itertools.product((0, 1), (False, True)):
        turned = np.flip(x, axis) if descending else x
        expected = np.sort(turned, axis, kind="stable")
        same(
            fx.sort(fx.asarray(x), axis=axis, descending=descending),
            np.flip(expected, axis) if descending else expected,
        )


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (fx.exp2, np.arange(-126, 128, dtype=np.float32), np.ldexp(np.float32(1), np.arange(-126, 128))),
        (fx.log10, (10.0 ** np.arange(-37, 39)).astype(np.float32), np.arange(-37, 39, dtype=np.float32)),
        (fx.log2, np.ldexp(np.float32(1), np.arange(-126, 128)), np.arange(-126, 128, dtype=np.float32)),
        (fx.log10, np.asarray([0.0, -1.0, INF, NAN, 1.0], np.float32), [-INF, NAN, INF, NAN, 0.0]),
        (fx.exp2, np.asarray([-INF, INF, NAN, 128.0, -0.0], np.float32), [0.0, INF, NAN, INF, 1.0]),
    ],
)
def test_powers_are_exact(f: Callable[[Any], Any], x: Any, expected: Any) -> None:
    for repeats in (1, 50):
        same(f(fx.asarray(np.tile(x, repeats))), np.tile(np.asarray(expected, np.float32), repeats))
    same(f(fx.asarray(x[0])), np.asarray(expected, np.float32)[0])


@pytest.mark.parametrize("to", [fx.int8, fx.int32, fx.int64, fx.uint8, fx.uint32, fx.uint64])
@pytest.mark.parametrize("dtype", [fx.float16, fx.bfloat16, fx.float32, fx.float64])
def test_floats_out_of_range_become_the_nearest_integer(dtype: Any, to: Any) -> None:
    """The ends of every range and what lies next to them, alone (where none is out of range) and beside NaN."""
    ends = [
        0.0,
        -0.5,
        -1.0,
        0.99,
        127.0,
        128.0,
        255.0,
        256.0,
        2.0**31,
        2.0**32,
        2.0**63,
        2.0**64,
        -(2.0**63),
        1e300,
        INF,
    ]
    with np.errstate(over="ignore"):
        near = np.asarray(ends + [-e for e in ends]).astype(dtype.dtype).astype(np.float64)
    limits = np.iinfo(to.dtype)
    for value in near:
        whole = limits.max if value >= float(limits.max) else limits.min if value <= float(limits.min) else int(value)
        assert fx.asarray([value], dtype=dtype).astype(to).tolist() == [whole]
        assert fx.asarray([value, NAN], dtype=dtype).astype(to).tolist() == [whole, 0]


def test_one_number_beside_many_elements_has_any_rank() -> None:
    many = fx.linspace(1.2, 3.0, 5000)
    for one in (fx.asarray([1.7]), fx.asarray([[1.7]])):
        compiled = jit(fx.special.zeta)(many, one)
        assert compiled.shape == (*one.shape[:-1], 5000)
        np.testing.assert_allclose(compiled, fx.special.zeta(many, one), rtol=1e-12)
