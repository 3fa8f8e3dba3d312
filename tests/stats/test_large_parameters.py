"""Large parameters, where logarithms of densities are small differences of large ones: 60 digits, by mpmath."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from handlers import grad
from lowering import jit

stats: Any = fx.stats

VALUES: Final[list[tuple[str, str, tuple[float, ...], float]]] = [
    ("gamma", "logpdf", (1000001000000.0, 1000000000000.0), -15.234449757835447),
    ("gamma", "logpdf", (15.9, 16.0), -2.304484745448104),
    ("gamma", "logpdf", (15.9, 15.999), -2.3045100834765875),
    ("gamma", "logpdf", (1e8, 1.001e8), -60.11212081751681),
    ("gamma", "logpdf", (1e-300, 20.0), -13164.07491425326),
    ("gamma", "logpdf", (1e-300, 1e10), -7128013787580.172),
    ("gamma", "logpdf", (1e-300, 1e300), -1.3805510557964276e303),
    ("gamma", "logpdf", (0.0, 20.0), -math.inf),
    ("chi2", "logpdf", (20000000000.0, 20000400000.0), -15.124987845643176),
    ("poisson", "logpmf", (10000000000.0, 10000100000.0), -12.9318606648749),
    ("poisson", "logpmf", (15.0, 15.0), -2.2785183673077407),
    ("poisson", "logpmf", (16.0, 3.0), -16.09406348739092),
    ("poisson", "logpmf", (0.0, 0.5), -0.5),
    ("poisson", "logpmf", (20.0, 0.0), -math.inf),
    ("beta", "logpdf", (0.5, 1e12, 1e12), 13.936292795599394),
    ("beta", "logpdf", (0.25, 1e8, 3e8), 9.821537235214514),
    ("beta", "logpdf", (1e-9, 2.0, 1e9), 19.723265838446412),
    ("beta", "logpdf", (0.5, 16.0, 15.999), 1.4992494834377872),
    ("beta", "logpdf", (0.0, 30.0, 20.0), -math.inf),
    ("f", "logpdf", (1.0, 1e12, 3e11), 11.816829900082322),
    ("f", "logpdf", (1.5, 1e12, 4.0), -1.1634342965394915),
    ("f", "logpdf", (1.5, 4.0, 1e12), -1.208240530772945),
    ("f", "logpdf", (0.7, 40.0, 60.0), -0.06691791782710944),
    ("f", "logpdf", (0.0, 2.0, 3.0), 0.0),
    ("binom", "logpmf", (3e8, 1e9, 0.3), -10.500247577859037),
    ("binom", "logpmf", (0.0, 126543.0, 6.917749140043669e-14), -8.753927294285764e-09),
    ("binom", "logpmf", (2.0, 1e12, 3e-12), -1.495922603223226),
    ("binom", "logpmf", (20.0, 40.0, 0.25), -7.8301218781830055),
    ("binom", "logpmf", (20.0, 40.0, 1.0), -math.inf),
    ("nbinom", "logpmf", (1e15, 1310.0, 1.3e-12), -31.907250629931234),
    ("nbinom", "logpmf", (1e15, 2.0, 2e-15), -35.1524820337908),
    ("nbinom", "logpmf", (30.0, 20.0, 0.4), -3.0829599401475942),
    ("nbinom", "logpmf", (3.0, 0.5, 0.4), -3.1537730470407306),
    ("binom", "cdf", (0.0, 1e15, 1e-15), 0.3678794411714421),
    ("binom", "cdf", (2.0, 1e12, 3e-12), 0.4231900811265074),
    ("geom", "pmf", (1e10, 1e-10), 3.678794411898363e-11),
    ("binom", "pmf", (0.0, 1e10, 1e-10), 0.3678794411530483),
    ("binom", "pmf", (1.0, 1e5, 1e-5), 0.3678812805793781),
    ("nbinom", "pmf", (1e6, 0.3, 1e-5), 3.0278502907264904e-11),
    ("beta", "pdf", (1e-10, 0.3, 1e10), 1229720734.1701162),
    ("betabinom", "logpmf", (3e9, 1e10, 3e10, 7e10), -11.699195213976363),
    ("betabinom", "logpmf", (20.0, 50.0, 1e8, 2e8), -2.652284882751082),
    ("betabinom", "logpmf", (1.0, 3.0, 1e20, 1.0), -90.31164425053377),
    ("betabinom", "logpmf", (0.0, 7.0, 1e-5, 3.0), -1.3289668051319827e-05),
    ("betabinom", "logpmf", (0.0, 0.0, 0.5, 3.0), 0.0),
    ("nbinom", "sf", (5e11, 2.0, 3e-12), 0.5578254003688153),
]
SLOPES: Final[list[tuple[str, str, int, tuple[float, ...], float]]] = [
    ("gamma", "logpdf", 0, (1e10 + 1e5, 1e10), -1e-05),
    ("gamma", "logpdf", 1, (1e10 + 1e5, 1e10), 1.0000000000333332e-05),
    ("beta", "logpdf", 0, (0.2501, 1e8, 3e8), -213279.13587196457),
    ("beta", "logpdf", 1, (0.2501, 1e8, 3e8), 0.00039992377132689916),
    ("beta", "logpdf", 2, (0.2501, 1e8, 3e8), -0.00013334180634574295),
    ("f", "logpdf", 0, (1.01, 1e6, 3e6), -3704.6023554973985),
    ("f", "logpdf", 1, (1.01, 1e6, 3e6), -1.3548051605677168e-05),
    ("f", "logpdf", 2, (1.01, 1e6, 3e6), -1.5156396013746153e-06),
    ("binom", "logpmf", 2, (3e8, 1e9, 0.30001), -47618.14062951521),
    ("nbinom", "logpmf", 1, (3e6, 1e6, 0.26), 0.03922108815335946),
    ("nbinom", "logpmf", 2, (3e6, 1e6, 0.26), -207900.20790020807),
    ("betabinom", "logpmf", 2, (3e5, 1e6, 3.001e6, 7e6), -2.119275280131924e-05),
    ("betabinom", "logpmf", 3, (3e5, 1e6, 3.001e6, 7e6), 9.091990324944085e-06),
    ("betabinom", "logpmf", 2, (0.0, 7.0, 1e-5, 3.0), -1.3289653562980954),
]


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "compiled"])
def test_values(run: Any) -> None:
    actual = run(lambda: [getattr(getattr(stats, name), method)(*args) for name, method, args, _ in VALUES])()
    for (name, method, args, expected), value in zip(VALUES, actual, strict=True):
        np.testing.assert_allclose(float(value), expected, rtol=1e-12, atol=1e-15, err_msg=f"{name}.{method}{args}")


def test_slopes() -> None:
    for name, method, i, args, expected in SLOPES:
        slope = grad(getattr(getattr(stats, name), method), i)(*args)
        np.testing.assert_allclose(float(slope), expected, rtol=1e-10, err_msg=f"{name}.{method}{args}, of {i}")


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "compiled"])
def test_next_to_the_ends_of_single_precision(run: Any) -> None:
    value = run(stats.t.logpdf)(np.float32(1e37), np.float32(1e-4))
    np.testing.assert_allclose(value, -95.1081854042002, rtol=3e-7)
    value = run(stats.gamma.logpdf)(np.float32(1e-37), np.array([10.0, 1e6], np.float32))
    np.testing.assert_allclose(value, [-779.5626635272205, -98011067.82318127], rtol=3e-7)
