"""scikit-learn's Ridge, unchanged, differentiated by its penalty and by the weight of each training example.

Run with SCIPY_ARRAY_API=1, which SciPy reads when it is imported: `SCIPY_ARRAY_API=1 python -m examples.influence`.
"""

from __future__ import annotations

import numpy as np
from sklearn import config_context
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from tqdm import tqdm

import effects as fx
from effects import Array
from handlers import grad, writable

LEARNT = 300


@writable
def loss(penalty: Array, weights: Array, x: Array, y: Array) -> Array:
    """The mean squared error on held-out examples; `weights` are those of the training examples."""
    with config_context(array_api_dispatch=True):
        model = Ridge(alpha=penalty, solver="svd").fit(x[:LEARNT], y[:LEARNT], sample_weight=weights)
        error: Array = model.predict(x[LEARNT:]) - y[LEARNT:]
    return fx.mean(error**2)


def best_penalty(penalty: Array, weights: Array, x: Array, y: Array, steps: int = 20) -> Array:
    """The penalty after Newton steps on its logarithm, along which the loss is nearly a parabola.

    The searches of `optimize` are compiled; a fit that looks at the values of its data cannot be.
    """
    by_log = lambda log: loss(fx.exp(log), weights, x, y)
    log = fx.log(penalty)
    for _ in tqdm(range(steps), desc="Newton's steps", disable=None):
        log = log - fx.clip(grad(by_log)(log) / fx.abs(grad(grad(by_log))(log)), -1.0, 1.0)
    return fx.exp(log)


def main() -> None:
    """Prints the best penalty, and the examples without which the model would be better or worse."""
    data = load_diabetes()
    x, y, weights = fx.asarray(data.data), fx.asarray(data.target), fx.ones(LEARNT)
    penalty = best_penalty(fx.asarray(1.0), weights, x, y)
    print(f"penalty {float(penalty):.4f}, loss {float(loss(penalty, weights, x, y)):.1f}")
    influence = np.asarray(grad(loss, argnums=1)(penalty, weights, x, y))
    order = np.argsort(influence)
    print("without these it would be worse:", *order[:3], " better:", *order[-3:])


if __name__ == "__main__":
    main()
