"""Derivatives at poles, at infinity and where functions overflow or underflow: their limits, in both modes, compiled.

Those that are numbers are compared with mpmath's.
"""

from __future__ import annotations

from math import inf, pi
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest

import effects as fx
from effects import special
from handlers import grad
from lowering import jit
from tests.special.reference_derivatives import SPECIAL
from tests.special.test_undefined import FUNCTIONS, _backwards, _forwards

GROWING: Final = (inf, inf)
LIMITS: Final[dict[str, dict[float, tuple[float, float]]]] = {
    "si": {inf: (0.0, 0.0), -inf: (0.0, 0.0)},
    "ci": {inf: (0.0, 0.0), 0.0: (inf, -inf)},
    "expi": {-inf: (0.0, 0.0), 0.0: (inf, -inf), **dict.fromkeys((717.0, 1e3, 1e8, 1e300, inf), GROWING)},
    "exprel": {-inf: (0.0, 0.0), -1e20: (1e-40, 2e-60), **dict.fromkeys((717.0, 1e3, 1e8, 1e300, inf), GROWING)},
    "fresnel_s": {1e18: (0.0, pi * 1e18), 1e160: (0.0, pi * 1e160)},
    "fresnel_c": {1e18: (1.0, 0.0), -1e160: (1.0, 0.0)},
    "spence": {0.0: (-inf, inf), inf: (0.0, 0.0)},
    "gamma": dict.fromkeys((172.0, 1e300, 1.7e308, inf), GROWING),
    "factorial": {-1.0: (0.0, 0.0), -2.5: (0.0, 0.0), -inf: (0.0, 0.0), inf: GROWING},
    "rgamma": {-inf: (0.0, 0.0), inf: (0.0, 0.0)},
    "i1": {-1e3: (inf, -inf), -inf: (inf, -inf), 1e3: GROWING, 1e300: GROWING, inf: GROWING},
    "y0": {0.0: (inf, -inf), inf: (0.0, 0.0)},
    "y1": {0.0: (inf, -inf), 1e-160: (inf, -inf)},
    "k0e": {0.0: (-inf, inf), 1e-200: (-1e200, inf), inf: (0.0, 0.0)},
    "k1e": {0.0: (-inf, inf), 1e-160: (-inf, inf), inf: (0.0, 0.0)},
    "log_ndtr": {-1e12: (1e12, -1.0), -1e200: (1e200, -1.0), -inf: (inf, -1.0), inf: (0.0, 0.0)},
    "zeta(s)": {1.0: (-inf, inf), -302.0: (-inf, inf), -304.0: (inf, -inf), inf: (0.0, 0.0)},
}
NUMBERS: Final = {
    "expi": (-700.0, 700.0, 715.0),
    "exprel": (-50.0, -1.0, 1.0, 1.5, 709.9, 715.0),
    "rgamma": (169.5, 170.5, 171.4, 171.6),
    "gamma": (169.5, 170.5),
    "k1e": (1e-101, 1e-99, 1e-30),
    "y1": (1e-101, 1e-99, 1e-30),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits(name: str) -> None:
    expected = {**LIMITS[name]}
    if name in NUMBERS:
        with mp.workdps(250):
            f = SPECIAL[name][0]
            for point in NUMBERS[name]:
                h = mp.mpf(point) * mp.mpf(10) ** -40
                below, at, above = [f(mp.mpf(point) + k * h) for k in (-1, 0, 1)]
                expected[point] = (float((above - below) / (2 * h)), float((above - 2 * at + below) / h**2))
    x = fx.asarray(np.array([*expected]))
    for along in (_forwards, _backwards):
        first: Any = along(FUNCTIONS[name], 0)
        orders = [first, along(first, 0)]
        for run in (lambda f: f, jit):
            for order, actual in enumerate(run(lambda x, orders=orders: [f(x) for f in orders])(x)):
                exact = [derivatives[order] for derivatives in expected.values()]
                if name.startswith("zeta") and order:  # beside the pole 1, and where its values are too large
                    continue
                np.testing.assert_allclose(actual, exact, rtol=1e-12, atol=1e-300, err_msg=f"{order + 1}")


def test_of_the_largest_numbers() -> None:
    """Γ functions of sums that overflow, and numbers of things whose inverses would count as 0."""
    n = 1.7e308
    for f in (lambda f: f, jit):
        slopes: Any = f(grad(special.betaln, (0, 1)))(fx.asarray(n), fx.asarray(n))
        np.testing.assert_allclose(slopes, [-np.log(2.0)] * 2, rtol=1e-12)
        values = [f(special.binom)(fx.asarray(n), fx.asarray(k)) for k in (n, 1.0, 1.5)]
        np.testing.assert_allclose(values, [1.0, n, inf], rtol=1e-12)
    assert special.k1(5e-324) == special.k1e(5e-324) == inf
