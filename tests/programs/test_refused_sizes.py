"""Functions that are not one program for all sizes, and calls of other sizes, are refused in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from lowering import Size, SizedArray, export, jit, lower
from tests.programs.test_sizes import N, f

CALLS: Final[dict[str, tuple[Any, Any, str]]] = {
    "too small": (fx.ones((1, 4)), fx.ones(1), r"f: x must be float64\[n,4\], got float64\[1,4\]; it was exported for"),
    "too large": (fx.ones((201, 4)), fx.ones(1), r"got float64\[201,4\]; .*, y: float64\[n\]\), n from 2 to 200"),
    "another axis": (fx.ones((5, 3)), fx.ones(5), r"f: x must be float64\[n,4\], got float64\[5,3\]"),
    "another rank": (fx.ones(()), fx.ones(5), r"f: x must be float64\[n,4\], got float64\[\]"),
    "a higher rank": (fx.ones((5, 4, 1)), fx.ones(5), r"f: x must be float64\[n,4\], got float64\[5,4,1\]"),
    "another dtype": (fx.ones((5, 4), dtype=fx.float32), fx.ones(5), r"must be float64\[n,4\], got float32\[5,4\]"),
    "two sizes": (fx.ones((5, 4)), fx.ones(6), r"y must be float64\[n\], where n is 5 in x, got float64\[6\]"),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_shapes(name: str) -> None:
    x, y, message = CALLS[name]
    with pytest.raises(fx.ArgumentError, match=message):
        export(f, SizedArray((N, 4), fx.float64), SizedArray((N,), fx.float64))(x, y=y)


def branches(x: Any) -> Any:
    return fx.cos(x) if x.shape[0] > 100 else fx.sin(x)


REFUSED: Final[dict[str, tuple[Callable[[], object], str]]] = {
    "a branch": (
        lambda: export(branches, SizedArray((N,), fx.float64)),
        "branches is not one program .* 2 to 200: for n=5 it has stablehlo.sine at .*, for n=200 stablehlo.cosine at ",
    ),
    "more operations": (
        lambda: export(lambda x: sum([x[i] for i in range(x.shape[0])]), SizedArray((Size("n", 2, 5),), fx.float64)),
        r"for n=5 it has .* at .*test_refused_sizes.py:\d+ \(lambda\), for n=2 ",
    ),
    "another program at an end": (
        lambda: export(lambda x: fx.sort(x), SizedArray((Size("n", 1, 5),), fx.float64)),
        r"for n=5 it has stablehlo.* at .*test_refused_sizes.py:\d+ .*, for n=1 ",
    ),
    "roots": (lambda: export(lambda x: x / x.shape[0] ** 0.5, SizedArray((N,), fx.float64)), "is no whole number"),
    "high powers": (
        lambda: export(lambda x: x * x.shape[0] ** 4, SizedArray((N,), fx.float64)),
        "in stablehlo.constant at .* a number is no sum of products of up to three sizes, 1600000000 for n=200",
    ),
    "large numbers": (
        lambda: export(lambda x: x * x.shape[0] ** 3, SizedArray((Size("n", 2, 10**6),), fx.float32)),
        "a number may become 1000000000000000000, which is too large to be computed",
    ),
    "halves": (
        lambda: export(lambda x: x[: x.shape[0] // 2], SizedArray((N,), fx.float64)),
        r"in stablehlo.slice at .*test_refused_sizes.py:\d+ \(lambda\) a number is no sum",
    ),
    "LAPACK": (
        lambda: export(fx.linalg.cholesky, SizedArray((N, N), fx.float64)),
        "lapack_dpotrf_ffi.* at .* known sizes only",
    ),
    "Fourier": (
        lambda: export(fx.fft.fft, SizedArray((N,), fx.complex64)),
        "stablehlo.fft at .* is there for known sizes",
    ),
    "cumulative": (
        lambda: export(fx.cumulative_sum, SizedArray((N,), fx.float64)),
        "of stablehlo.reduce_window at .* depends on the size",
    ),
    "tables": (
        lambda: export(lambda x: x + fx.asarray(np.arange(x.shape[0]) ** 2), SizedArray((N,), fx.float64)),
        r"for n=5 it closes over an array, int64\[5\], for n=7 over an array, int64\[7\] \(what NumPy computes",
    ),
    "a structure": (
        lambda: export(lambda x: [x] * (1 + (x.shape[0] == 200)), SizedArray((N,), fx.float64)),
        "for n=5 its results have a structure, for n=200 another one",
    ),
    "a dtype": (
        lambda: export(lambda x: x if x.shape[0] > 5 else fx.astype(x, fx.float32), SizedArray((N,), fx.float64)),
        "for n=5 its results are of the dtypes float32, for n=7 float64",
    ),
    "reads": (
        lambda: export(lambda x, y: x * y if x.shape[0] > 5 else x, SizedArray((N,), fx.float64), 1.0),
        "for n=5 it reads x, for n=7 x, y",
    ),
    "two of a name": (
        lambda: export(fx.add, SizedArray((N,), fx.float64), SizedArray((Size("n", 2, 3),), fx.float64)),
        "two sizes have the name n",
    ),
    "no name": (lambda: Size("a b", 1, 2), "Size: name must be a name, as of a variable, got 'a b'"),
    "no range": (
        lambda: Size("a", 3, 3),
        "Size: the least a must be a size below its greatest, which is below 2\\*\\*31, got 3",
    ),
    "no size of arrays": (lambda: Size("a", 1, 2**31), "got 1 and 2147483648"),
    "no size": (
        lambda: SizedArray((N, "m"), fx.float64),  # type: ignore[arg-type]
        "SizedArray: a dimension of shape must be an int or a Size, got 'm'",
    ),
    "not for lower": (lambda: lower(f, SizedArray((N,), fx.float64)), "n is an open size, which only export accepts"),
    "no shape": (lambda: fx.zeros((N, 2)), "n is an open size, which only export accepts: give a number"),
    "not for jit": (lambda: jit(f)(SizedArray((N,), fx.float64)), "in lower, trace, eval_shape, make_jaxpr, export"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_sizes_that_cannot_be_open(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    act, message = REFUSED[name]
    with pytest.raises(fx.ArgumentError, match=message):
        act()
    assert capfd.readouterr().err == ""
