"""Derivatives of every case in narrow dtypes."""

from __future__ import annotations

import pytest

import effects as fx
from effects import HigherOrder
from effects.operations import Fourier
from effects.operations.reduction import Norm
from tests.cases import CASES, Case
from tests.grid.compiled import MATRICES
from tests.grid.precisions import check_dtypes_of_derivatives, check_narrow_values
from tests.grid.unsupported import marked

SMOOTH = [case for case in CASES if case.smooth and not isinstance(case.op, HigherOrder)]


@pytest.mark.parametrize("case", marked(SMOOTH, "precision"))
def test_derivatives_keep_dtypes(case: Case) -> None:
    single = (Fourier, Norm, *MATRICES)  # whose functions convert what is narrower
    narrow = () if isinstance(case.op, single) else (fx.float16, fx.bfloat16)
    for dtype in (fx.float32, *narrow):
        check_dtypes_of_derivatives(case, dtype)


@pytest.mark.parametrize("case", marked(SMOOTH, "precision"))
def test_derivatives_in_float32(case: Case) -> None:
    check_narrow_values(case)
