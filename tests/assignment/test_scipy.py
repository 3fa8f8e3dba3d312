"""Functions of SciPy that are written for any array library, on arrays that can be assigned to.

In a process of its own, since SciPy reads whether it is to do so when it is imported.
"""

from __future__ import annotations

from typing import Final

from tests.assignment.separately import run

_PROGRAM: Final = """
import numpy as np
from scipy import integrate, signal, special, stats

import effects as fx
from handlers import jvp, writable
from lowering import jit

x = np.random.default_rng(0).normal(size=20)
direction = np.cos(np.arange(20.0))
eager = [
    stats.skew, stats.kurtosis, stats.variation, stats.sem, stats.iqr, lambda x: stats.entropy(abs(x)),
    lambda x: stats.pearsonr(x, x**3)[0], lambda x: stats.tmean(x, (-1, 1)), lambda x: stats.trim_mean(x, 0.1),
    lambda x: stats.rankdata(x),
]
compiled = [
    stats.zscore, integrate.trapezoid, integrate.cumulative_simpson, special.softmax, special.logsumexp,
    lambda x: signal.fftconvolve(x, x), lambda x: special.xlogy(x, abs(x)),
]
for number, f in enumerate([*eager, *compiled]):
    expected = np.asarray(f(x))
    for run in [writable(f)] if number < len(eager) else [writable(f), jit(writable(f))]:
        np.testing.assert_allclose(np.asarray(run(fx.asarray(x))), expected, rtol=1e-12, atol=1e-14)
    slope = jvp(writable(f), (fx.asarray(x),), (fx.asarray(direction),))[1]
    difference = (np.asarray(f(x + 1e-6 * direction)) - np.asarray(f(x - 1e-6 * direction))) / 2e-6
    np.testing.assert_allclose(np.asarray(slope), difference, rtol=1e-5, atol=1e-6)
print("all of", len(eager) + len(compiled))
"""


def test_scipy_and_its_derivatives() -> None:
    printed, errors = run(_PROGRAM)
    assert printed == "all of 17\n", errors
