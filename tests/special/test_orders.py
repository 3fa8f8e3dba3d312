"""Derivatives of orders 1 to 4 of every special function: at roots and poles, where formulas change over, far out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import effects as fx
from effects import special
from tests.derivatives import BOUNDS, Moved, table, wrong

ROWS: Final = table(Path(__file__).parent / "derivatives.txt")
FUNCTIONS: Final[dict[str, Callable[..., fx.Array]]] = {
    "logaddexp": fx.logaddexp,
    "si": lambda x: special.sici(x)[0],
    "ci": lambda x: special.sici(x)[1],
    "fresnel_s": lambda x: special.fresnel(x)[0],
    "fresnel_c": lambda x: special.fresnel(x)[1],
    "multigammaln": lambda a: special.multigammaln(a, 3),
}
LOOSE: Final = {
    "float64": {
        "beta": 1e2,
        "betainc": 1e4,
        "dawsn": 1e2,
        "gammainc": 3e2,
        "gammaincc": 3e2,
        "i0e": 3e2,
        "i1e": 3e2,
        "k0e": 1e2,
        "k1e": 1e2,
    },
    "float32": {"log_ndtr": 10.0},
}
"""Those with derivatives along a polynomial or a continued fraction, or of differences: they lose more digits."""


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("moved", ROWS, ids=str)
def test_orders(moved: Moved, dtype: str) -> None:
    f: Any = FUNCTIONS.get(moved.name) or getattr(special, moved.name)
    loose = LOOSE[dtype].get(moved.name, 1.0)
    assert not wrong(f, moved, ROWS[moved], dtype, [bound * loose for bound in BOUNDS[dtype]])
