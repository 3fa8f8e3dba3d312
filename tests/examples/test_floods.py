"""A fit by SciPy's L-moments beside quadrature of the distribution that it gives, differences, and a loop."""

from __future__ import annotations

from typing import Final

from tests.assignment.separately import run

_PROGRAM: Final = """
import numpy as np
import scipy.integrate
from scipy import stats

import effects as fx
from examples.floods import YEARS, fit, flood, repeated
from handlers import grad, vmap
from lowering import jit

x = stats.genextreme.rvs(-0.1, 3.0, 0.8, size=60, random_state=3)
maxima = fx.asarray(x)
shape, location, scale = map(float, jit(fit)(maxima))
quantile = lambda u: stats.genextreme.ppf(u, shape, location, scale)
weights = [lambda u: 1.0, lambda u: 2 * u - 1, lambda u: 6 * u * u - 6 * u + 1]
moments = [scipy.integrate.quad(lambda u: quantile(u) * w(u), 0.0, 1.0, limit=200)[0] for w in weights]
np.testing.assert_allclose(moments[:2], stats.lmoment(x, order=[1, 2]), rtol=1e-5)
np.testing.assert_allclose(moments[2] / moments[1], stats.lmoment(x, order=3), atol=1e-3)  # as good as Hosking's shape
np.testing.assert_allclose(float(flood(maxima)), quantile(1.0 - 1.0 / YEARS), rtol=1e-10)

slopes = np.asarray(jit(grad(flood))(maxima))
for number in (0, 17, int(np.argmax(x))):
    step = 1e-5 * (np.arange(60) == number)
    difference = float(flood(fx.asarray(x + step)) - flood(fx.asarray(x - step))) / 2e-5
    np.testing.assert_allclose(slopes[number], difference, rtol=1e-5, atol=1e-8)

key = fx.random.key(5)
samples = np.asarray(fx.random.choice(key, maxima, (2000, 60)))
several = [float(flood(fx.asarray(sample))) for sample in samples[:3]]
np.testing.assert_allclose(np.asarray(repeated(key, maxima))[:3], several, rtol=1e-10)
print("all")
"""


def test_the_fit_and_its_uncertainty() -> None:
    printed, errors = run(_PROGRAM)
    assert printed == "all\n", errors
