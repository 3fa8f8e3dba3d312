"""How the examples compare numbers: trees of arrays, to the last digits that are written in the documents."""

from __future__ import annotations

import numpy as np

from effects import Array, tree_flatten


def close(actual: object, expected: object, rtol: float = 1e-12, atol: float = 1e-14) -> None:
    """Assert that two trees have one structure and that their leaves are equal up to rounding."""
    found, found_tree = tree_flatten(actual)
    wanted, wanted_tree = tree_flatten(expected)
    assert found_tree == wanted_tree, f"{actual} against {expected}"
    for a, b in zip(found, wanted, strict=True):
        assert isinstance(a, Array)
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=atol, strict=False)
        assert a.shape == np.shape(b)
