"""How far values of a narrow dtype are apart: in steps of the dtype, which no tolerance can be too wide for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import effects as fx
from effects import Array
from effects.types.dtypes import NARROW, DType

type Host = npt.NDArray[Any]
type Function = Callable[..., Array]
type Oracle = Callable[..., Host]

DTYPES: Final = sorted(NARROW, key=str)


def rounded(values: npt.ArrayLike, dtype: type[DType]) -> Host:
    """float64 values, rounded to `dtype` once."""
    with np.errstate(all="ignore"):
        return np.asarray(values, np.float64).astype(dtype.dtype)


def wide(x: Host) -> Host:
    """The values as float64, which holds them exactly."""
    with np.errstate(invalid="ignore"):  # a signalling NaN
        return x.astype(np.float64)


def _places(x: Host) -> Host:
    """The position of each value among all of its dtype; the two zeros have one."""
    bits = 8 * x.dtype.itemsize
    pattern = x.view(f"i{x.dtype.itemsize}").astype(np.int64)
    size = pattern & (2 ** (bits - 1) - 1)
    places: Host = np.where(pattern < 0, -size, size)
    return places


def steps(x: Host, y: Host) -> Host:
    """How many values of the dtype lie from x to y: 0 for two NaNs, very many between a NaN and a number."""
    assert (x.dtype, x.shape) == (y.dtype, y.shape), f"{x.dtype}{x.shape} and {y.dtype}{y.shape}"
    lost = np.isnan(wide(x)), np.isnan(wide(y))
    apart: Host = np.abs(_places(x) - _places(y))
    return np.where(lost[0] & lost[1], 0, np.where(lost[0] != lost[1], 2**16, apart))


def assert_within(count: int, got: Host, expected: Host, what: str, of: Sequence[Host] = ()) -> None:
    """`got` is at most `count` steps from `expected`, everywhere."""
    apart = np.atleast_1d(steps(got, expected))
    if apart.size and apart.max() > count:
        worst = np.unravel_index(apart.argmax(), apart.shape)
        at = [x[worst] for x in of if x.shape == apart.shape]
        values = f"{np.atleast_1d(got)[worst]} for {np.atleast_1d(expected)[worst]}"
        raise AssertionError(f"{what}: {values}, {apart[worst]} steps apart, at {at}; {(apart > count).sum()} such")


def host(x: Array) -> Host:
    return np.asarray(x)


def random(dtype: type[DType], *shape: int, seed: int = 0) -> Array:
    """Numbers between ¼ and 1, of a sum that no narrow dtype could add up one by one."""
    return fx.asarray(rounded(np.random.default_rng(seed).uniform(0.25, 1.0, shape), dtype))
