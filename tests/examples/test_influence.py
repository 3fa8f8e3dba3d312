"""Derivatives through scikit-learn beside those of its own fits, in a process that lets SciPy take any array."""

from __future__ import annotations

from typing import Final

from tests.assignment.separately import run

_PROGRAM: Final = """
import numpy as np
import scipy.optimize
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge

import effects as fx
from examples.influence import LEARNT, best_penalty, loss
from handlers import grad

x, y = load_diabetes(return_X_y=True)


def theirs(penalty, weights):
    model = Ridge(alpha=penalty, solver="svd").fit(x[:LEARNT], y[:LEARNT], sample_weight=weights)
    return np.mean((model.predict(x[LEARNT:]) - y[LEARNT:]) ** 2)


weights = np.linspace(0.5, 1.5, LEARNT)
arguments = fx.asarray(0.3), fx.asarray(weights), fx.asarray(x), fx.asarray(y)
np.testing.assert_allclose(float(loss(*arguments)), theirs(0.3, weights), rtol=1e-12)
by_penalty, by_weights = grad(loss, argnums=(0, 1))(*arguments)
np.testing.assert_allclose(float(by_penalty), (theirs(0.3001, weights) - theirs(0.2999, weights)) / 2e-4, rtol=1e-6)
for number in (0, 7, 299):
    step = 1e-4 * (np.arange(LEARNT) == number)
    difference = (theirs(0.3, weights + step) - theirs(0.3, weights - step)) / 2e-4
    np.testing.assert_allclose(np.asarray(by_weights)[number], difference, rtol=1e-5)
best = scipy.optimize.minimize_scalar(lambda p: theirs(np.exp(p), weights), bounds=(-4.0, 0.0)).x
np.testing.assert_allclose(np.log(float(best_penalty(*arguments))), best, atol=1e-5)
print("all")
"""


def test_derivatives_are_those_of_scikit_learns_own_fits() -> None:
    printed, errors = run(_PROGRAM)
    assert printed == "all\n", errors
