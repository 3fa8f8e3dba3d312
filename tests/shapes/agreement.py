"""Shape rules against NumPy: both give the same shape, or both refuse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import settings, strategies as st

from effects.errors import ShapeError

dims = st.integers(0, 3)
ints = st.lists(dims, max_size=4).map(tuple)
many = settings(max_examples=150, deadline=None)


def same(rule: Callable[[], object], numpy: Callable[[], object]) -> None:
    """Both give the same shape, or both refuse."""
    try:
        expected = numpy()
    except (ValueError, IndexError, TypeError):
        with pytest.raises(ShapeError):
            rule()
        return
    assert rule() == expected


def blank(shape: tuple[int, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.zeros(shape)
