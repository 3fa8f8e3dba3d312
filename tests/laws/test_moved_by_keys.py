"""What keys move is linear: its transpose moves back, whatever the keys are, in every lane, compiled too."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import NotLinearError
from handlers import linear_transpose, vmap
from lowering import jit

_RNG: Final = np.random.default_rng(4)
KEYS: Final = np.array([[2.0, 1.0, 2.0, np.nan, 1.0], [0.0, -0.0, 3.0, -1.0, 0.0]])
MOVED: Final = _RNG.normal(size=KEYS.shape)
CT: Final = _RNG.normal(size=KEYS.shape)


@pytest.mark.parametrize("descending", [False, True])
def test_transpose_of_what_keys_move(descending: bool) -> None:
    def moved(keys: Any, x: Any) -> Any:
        return fx.sort_together([keys, x, 2 * x], descending=descending)[1:]

    def back(keys: Any, ct: Any, other: Any) -> Any:
        return linear_transpose(lambda x: moved(keys, x), ct)((ct, other))[0]

    order = np.asarray(fx.argsort(KEYS, descending=descending))
    expected = np.empty_like(CT)
    np.put_along_axis(expected, order, CT + 2 * MOVED, axis=1)
    given = [fx.asarray(x) for x in (KEYS, CT, MOVED)]
    for f in (back, vmap(back), jit(vmap(back))):
        np.testing.assert_allclose(np.asarray(f(*given)), expected, rtol=1e-14)


def test_keys_are_not_linear() -> None:
    with pytest.raises(NotLinearError):
        linear_transpose(lambda x: fx.sort_together([x, x])[1], fx.ones(3))(fx.ones(3))
