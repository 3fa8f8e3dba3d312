"""Derivatives of every case in narrow dtypes."""

from __future__ import annotations

import pytest

from effects import HigherOrder
from tests.cases import CASES, Case
from tests.grid.families import check_each, families
from tests.grid.precisions import check_dtypes_of_derivatives, check_narrow_values
from tests.grid.variants import one_special_an_arity

SMOOTH = families(one_special_an_arity([c for c in CASES if c.smooth and not isinstance(c.op, HigherOrder)]))


@pytest.mark.parametrize("cases", SMOOTH)
def test_derivatives_keep_dtypes(cases: list[Case]) -> None:
    check_each(cases, check_dtypes_of_derivatives)


@pytest.mark.parametrize("cases", SMOOTH)
def test_derivatives_in_float32(cases: list[Case]) -> None:
    check_each(cases, check_narrow_values)
