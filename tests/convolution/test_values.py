"""Values of convolutions, against a loop over the kernel in NumPy, scipy, and the definition of the transpose."""

from __future__ import annotations

from itertools import product
from typing import Any, Final, Literal

import numpy as np
import pytest
import scipy.signal

import effects as fx
from effects.functions.windows.layout import Words
from effects.types.dtypes import DType
from handlers import linear_transpose
from lowering import jit

type Host = np.ndarray[tuple[int, ...], np.dtype[Any]]
type Pairs = tuple[tuple[int, int], ...]

BOTH: Final = (slice(None), slice(None))
_RNG: Final = np.random.default_rng(3)


def normal(*shape: int) -> Host:
    return _RNG.normal(size=shape)


def spread(x: Host, axis: int, by: int) -> Host:
    """Zeros between the elements along an axis."""
    shape = list(x.shape)
    shape[axis] = (shape[axis] - 1) * by + 1 if shape[axis] else 0
    out = np.zeros(shape, x.dtype)
    out[(slice(None),) * axis + (slice(None, None, by),)] = x
    return out


def loop(
    x: Host,
    kernel: Host,
    strides: tuple[int, ...],
    padding: Pairs,
    x_dilation: tuple[int, ...],
    kernel_dilation: tuple[int, ...],
    groups: int,
) -> Host:
    """The definition, of operands with batch and features first; padding that cuts is not for this."""
    for i, (before, after) in enumerate(padding):
        x = spread(x, 2 + i, x_dilation[i])
        kernel = spread(kernel, 2 + i, kernel_dilation[i])
        x = np.pad(x, [(0, 0)] * (2 + i) + [(before, after)] + [(0, 0)] * (x.ndim - 3 - i))
    parts = []
    for own, of_kernel in zip(np.split(x, groups, 1), np.split(kernel, groups, 0), strict=True):
        places = [n - k + 1 for n, k in zip(x.shape[2:], kernel.shape[2:], strict=True)]
        out = np.zeros((x.shape[0], of_kernel.shape[0], *places))
        for at in np.ndindex(kernel.shape[2:]):
            under = own[(*BOTH, *[slice(k, k + n) for k, n in zip(at, places, strict=True)])]
            out += np.einsum("nc...,oc->no...", under, of_kernel[(*BOTH, *at)])
        parts.append(out[(*BOTH, *[slice(None, None, s) for s in strides])])
    return np.concatenate(parts, 1)


WINDOWS: Final = [
    (strides, padding, x_dilation, kernel_dilation, groups)
    for strides, padding, x_dilation, kernel_dilation, groups in product(
        ((1, 1), (2, 3)), (((0, 0), (0, 0)), ((1, 2), (0, 3))), ((1, 1), (2, 1)), ((1, 1), (1, 2)), (1, 2)
    )
]


@pytest.mark.parametrize("case", WINDOWS, ids=str)
def test_is_the_loop(case: Any) -> None:
    strides, padding, x_dilation, kernel_dilation, groups = case
    x, kernel = normal(2, 4, 7, 6), normal(6, 4 // groups, 3, 2)
    actual = fx.conv(
        x,
        kernel,
        strides=strides,
        padding=padding,
        x_dilation=x_dilation,
        kernel_dilation=kernel_dilation,
        feature_groups=groups,
    )
    np.testing.assert_allclose(actual, loop(x, kernel, *case), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("mode", ["valid", "same"])
def test_is_scipys_correlation(n: int, mode: Literal["valid", "same"]) -> None:
    x, kernel = normal(*[6] * n), normal(*[3] * n)
    actual = fx.conv(x[None, None], kernel[None, None], padding=mode)
    np.testing.assert_allclose(actual[0, 0], scipy.signal.correlate(x, kernel, mode), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("size", [1, 4, 5, 8])
@pytest.mark.parametrize("reach", [1, 2, 3, 6])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_same_gives_a_place_for_each_stride(size: int, reach: int, stride: int) -> None:
    x, kernel = normal(1, 1, size), normal(1, 1, reach)
    total = max((-(-size // stride) - 1) * stride + reach - size, 0)
    words: dict[Words, int] = {"same": total // 2, "SAME": total // 2, "same_lower": total - total // 2}
    for word, before in words.items():
        actual = fx.conv(x, kernel, strides=stride, padding=word)
        assert actual.shape == (1, 1, -(-size // stride))
        expected = loop(x, kernel, (stride,), ((before, total - before),), (1,), (1,), 1)
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


LAYOUTS: Final = [
    ("NCHW", "OIHW", "NCHW"),
    ("NHWC", "HWIO", "NHWC"),
    ("CHWN", "IHWO", "CHWN"),
    ("HNCW", "WOHI", "WCNH"),
    ("NC01", "10OI", "N10C"),
]


@pytest.mark.parametrize("numbers", LAYOUTS, ids=str)
def test_layouts_are_permutations(numbers: tuple[str, str, str]) -> None:
    x, kernel = normal(2, 4, 5, 6), normal(6, 2, 3, 2)
    places = "01" if "0" in numbers[0] else "HW"
    sides = ("NC" + places, "OI" + places, "NC" + places)
    options: dict[str, Any] = {"strides": (2, 1), "padding": ((1, 0), (2, 1)), "feature_groups": 2}
    expected = np.asarray(fx.conv(x, kernel, **options))
    moved_x = x.transpose([sides[0].index(letter) for letter in numbers[0]])
    moved_kernel = kernel.transpose([sides[1].index(letter) for letter in numbers[1]])
    actual = fx.conv(moved_x, moved_kernel, dimension_numbers=numbers, **options)
    moved = expected.transpose([sides[2].index(letter) for letter in numbers[2]])
    np.testing.assert_allclose(actual, moved, rtol=1e-12, atol=1e-12)


def test_groups_of_the_batch_see_their_own_results() -> None:
    x, kernel = normal(6, 4, 5), normal(9, 4, 2)
    parts = [fx.conv(a, k) for a, k in zip(np.split(x, 3), np.split(kernel, 3), strict=True)]
    np.testing.assert_allclose(fx.conv(x, kernel, batch_groups=3), fx.concat(parts, axis=1), rtol=1e-12)


TRANSPOSES: Final = [
    (strides, padding, dilation, groups)
    for strides, padding, dilation, groups in product((1, 2, 3), ("same", "valid", (1, 0), 1), (1, 2), (1, 2))
]


@pytest.mark.parametrize("case", TRANSPOSES, ids=str)
def test_transposed_is_the_transpose(case: Any) -> None:
    strides, padding, dilation, groups = case
    options = {
        "strides": strides,
        "padding": [padding] if isinstance(padding, tuple) else padding,
        "kernel_dilation": dilation,
        "feature_groups": groups,
    }
    kernel, ct = normal(4, 2, 3), normal(2, 4, 5)
    actual = fx.conv_transpose(ct, kernel, **options)
    like = np.zeros(actual.shape)
    assert fx.conv(like, kernel, **options).shape == ct.shape
    (expected,) = linear_transpose(lambda x: fx.conv(x, kernel, **options), fx.asarray(like))(fx.asarray(ct))
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)
    assert actual.shape[1] == 2 * groups
    reach = 2 * dilation + 1
    expected_size = {"same": 5 * strides, "valid": 5 * strides + max(reach - strides, 0)}
    pads = {"(1, 0)": 1, "1": 2}
    assert actual.shape[2] == expected_size.get(str(padding), 4 * strides + reach - pads.get(str(padding), 0))


def test_transposed_makes_room_for_what_a_stride_left_over() -> None:
    kernel, ct = normal(3, 2, 3), normal(1, 3, 4)
    for more in (0, 1):
        actual = fx.conv_transpose(ct, kernel, strides=2, padding=1, output_padding=more)
        assert actual.shape == (1, 2, 7 + more)
        pull = linear_transpose(lambda x: fx.conv(x, kernel, strides=2, padding=1), fx.zeros((1, 2, 7 + more)))
        np.testing.assert_allclose(actual, pull(fx.asarray(ct))[0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [fx.float16, fx.bfloat16, fx.float8_e5m2, fx.float8_e4m3fn])
def test_narrow_floats_are_added_in_float32(dtype: type[DType]) -> None:
    x = fx.astype(fx.asarray(normal(2, 40, 12)), dtype)
    kernel = fx.astype(fx.asarray(normal(3, 40, 5)), dtype)
    wide = np.asarray(fx.conv(fx.astype(x, fx.float32), fx.astype(kernel, fx.float32)))
    expected = wide.astype(dtype.dtype).astype(np.float64)
    for f in (fx.conv, jit(fx.conv)):
        actual = f(x, kernel)
        assert actual.dtype is dtype
        step = 2 * float(fx.finfo(dtype).eps)
        found = np.asarray(fx.astype(actual, fx.float64))
        np.testing.assert_allclose(found, expected, rtol=step, atol=1e-4)
        assert (found == expected).mean() > 0.95


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "complex128"])
def test_long_lines_are_added_in_parts(dtype: str) -> None:
    x, kernel = [(normal(n) * 100 + (1j if dtype == "complex128" else 0)).astype(dtype) for n in (9000, 3000)]
    actual = fx.convolve(fx.asarray(x), fx.asarray(kernel))
    assert actual.dtype.__name__ == dtype
    wide = np.convolve(x, kernel) if dtype[0] == "i" else scipy.signal.fftconvolve(x.astype(complex), kernel)
    np.testing.assert_allclose(actual, wide, rtol=0, atol=1.0 if dtype == "float32" else 1e-5)


def test_wider_results_of_narrow_integers() -> None:
    x, kernel = np.full((1, 1, 4), 100, np.int8), np.full((1, 1, 3), 100, np.int8)
    actual = fx.conv(x, kernel, preferred_element_type="int32")
    assert actual.dtype is fx.int32 and actual.shape == (1, 1, 2)
    np.testing.assert_array_equal(actual, np.full((1, 1, 2), 30000))


@pytest.mark.parametrize("precision", ["default", "high", "highest"])
def test_precision_changes_nothing_on_a_cpu(precision: Literal["default", "high", "highest"]) -> None:
    x, kernel = normal(2, 3, 6).astype(np.float32), normal(3, 3, 2).astype(np.float32)
    compiled = jit(lambda x, k: fx.conv(x, k, precision=precision))(x, kernel)
    np.testing.assert_allclose(compiled, fx.conv(x, kernel), rtol=1e-5, atol=1e-6)


def test_what_stands_beside_meets_no_infinity_of_the_kernel() -> None:
    random = np.random.default_rng(0)
    nan, inf = np.nan, np.inf
    for _ in range(100):
        x, kernel = [random.choice([1.0, -2.0, 0.5, inf, -inf, nan], n) for n in random.integers(1, 6, 2)]
        for mode in ("full", "same", "valid"):
            with np.errstate(invalid="ignore"):
                expected = np.convolve(x, kernel, mode)
            np.testing.assert_array_equal(fx.convolve(fx.asarray(x), fx.asarray(kernel), mode=mode), expected)
    images, kernel = normal(2, 2, 5, 5), normal(4, 2, 3, 3)
    kernel.flat[::7] = [nan, inf, -inf, nan, inf, -inf, nan, inf, -inf, nan, inf]
    functions: list[Any] = [
        lambda x, w: fx.conv(x, w, padding="same"),
        lambda x, w: fx.conv(x, w, strides=(2, 2), padding=[(3, 1), (-1, 2)], x_dilation=(2, 1)),
    ]
    for f in functions:
        np.testing.assert_allclose(f(images, kernel), jit(f)(images, kernel))
