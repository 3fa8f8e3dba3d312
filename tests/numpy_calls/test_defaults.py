"""Every function of NumPy's that is taken, called with what it needs and nothing else: it gives what NumPy gives."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from tests.each import each

PAGE: Final = Path(__file__).parents[2] / "docs" / "numpy.md"
TAKEN: Final = re.findall(r"`(\w+)`", re.findall(r"^\| taken \|.*\| (.*) \|$", PAGE.read_text(), re.MULTILINE)[0])

V, M, I, B = np.array([3.0, 1.0, 2.0]), np.arange(9.0).reshape(3, 3), np.array([1, 0, 2]), np.array([True, False, True])
PLAIN: Final[list[tuple[Any, ...]]] = [(V,), (V, V), (I,), (I, I), (V, I)]
"""What most functions take one of."""

NEEDED: Final[dict[str, tuple[Any, ...]]] = {
    **dict.fromkeys(
        ("block", "column_stack", "concat", "concatenate", "dstack", "hstack", "stack", "vstack"), ([V, V],)
    ),
    **dict.fromkeys(("diag_indices_from", "diagonal", "fliplr", "matrix_transpose", "rot90", "trace", "tril"), (M,)),
    **dict.fromkeys(("histogramdd", "tril_indices_from", "triu", "triu_indices_from", "unstack"), (M,)),
    **dict.fromkeys(("argwhere", "count_nonzero", "flatnonzero", "nonzero"), (B,)),
    **dict.fromkeys(("geomspace", "linspace", "logspace"), (V, V + 1)),
    **dict.fromkeys(("percentile", "quantile", "nanpercentile", "nanquantile"), (V, 0.5)),
    **dict.fromkeys(("array_split", "hsplit", "split"), (V, 3)),
    **dict.fromkeys(("argpartition", "pad", "partition", "repeat", "roll", "tile"), (V, 1)),
    "apply_along_axis": (np.cumsum, 0, M),
    "apply_over_axes": (np.sum, M, [0]),
    "astype": (V, "float32"),
    "broadcast_to": (V, (2, 3)),
    "can_cast": (np.float32, np.float64),
    "choose": (I, [V, V, V]),
    "compress": (B, V),
    "delete": (V, 1),
    "digitize": (V, np.array([0.0, 2.0])),
    "dsplit": (M.reshape(3, 1, 3), 3),
    "einsum": ("i,i", V, V),
    "einsum_path": ("i,i", V, V),
    "expand_dims": (V, 0),
    "full_like": (V, 1.0),
    "insert": (V, 1, 5.0),
    "interp": (V, np.array([1.0, 2.0, 3.0]), V),
    "lexsort": ((V, I),),
    "matvec": (M, V),
    "moveaxis": (M, 0, 1),
    "piecewise": (V, [V < 2, V >= 2], [0.0, 1.0]),
    "polydiv": (V, V[:2]),
    "polyfit": (V, V, 1),
    "ravel_multi_index": ((I, I), (3, 3)),
    "reshape": (V, (3, 1)),
    "resize": (V, (4,)),
    "rollaxis": (M, 1),
    "select": ([V < 2, V >= 2], [V, -V]),
    "swapaxes": (M, 0, 1),
    "take": (V, I),
    "take_along_axis": (V, I),
    "tensordot": (M, M),
    "unpackbits": (np.array([3, 5], np.uint8),),
    "unravel_index": (I, (3,)),
    "vecmat": (V, M),
    "vsplit": (M, 3),
    "where": (B, V, V),
}


def _ours(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)([_ours(entry) for entry in value])
    return fx.asarray(value) if isinstance(value, np.ndarray) else value


def same(got: Any, expected: Any) -> None:
    if isinstance(expected, list | tuple):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            same(one, other)
    elif isinstance(expected, np.dtype | type):
        assert got.dtype == expected
    elif isinstance(expected, str):  # of a path of einsum: who takes it, and a report in words
        assert type(got) is type(expected)
    else:
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore:numpy.fix is deprecated")
def test_called_with_what_it_needs() -> None:
    each([name for name in TAKEN if name != "empty_like"], check)


def check(name: str) -> None:
    function = getattr(np, name)
    calls = [NEEDED[name]] if name in NEEDED else PLAIN
    for args in calls:
        try:
            expected = function(*args)
        except TypeError:  # that many arguments, or of this dtype, it does not take
            continue
        same(function(*_ours(args)), expected)
        return
    raise AssertionError(f"numpy.{name} takes none of the arguments here")
