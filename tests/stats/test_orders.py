"""Derivatives of orders 1 to 4 of all methods of distributions: at ends and medians, where formulas change, far out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

import effects as fx
from tests.derivatives import BOUNDS, Moved, table, wrong

ROWS: Final = table(Path(__file__).parent / "derivatives.txt")


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("moved", ROWS, ids=str)
def test_orders(moved: Moved, dtype: str) -> None:
    name, method = moved.name.split(".")
    f: Any = getattr(getattr(fx.stats, name), method)
    iterates = method in ("ppf", "isf")  # which the interpreter takes seconds for
    assert not wrong(f, moved, ROWS[moved], dtype, eager=iterates)
