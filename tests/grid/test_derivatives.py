"""Derivatives of every case: forward mode against difference quotients to the second order, reverse against forward."""

from __future__ import annotations

import pytest

from tests.cases import CASES, Case
from tests.grid import checks
from tests.grid.unsupported import marked

SMOOTH = [case for case in CASES if case.smooth]


@pytest.mark.parametrize("case", marked(SMOOTH, "jvp"))
def test_jvp_is_limit_of_differences(case: Case) -> None:
    checks.check_jvp(case)


@pytest.mark.parametrize("case", marked(SMOOTH, "second order"))
def test_second_jvp_is_limit_of_differences(case: Case) -> None:
    checks.check_second_jvp(case)


@pytest.mark.parametrize("case", marked(SMOOTH, "transpose"))
def test_vjp_is_adjoint_of_jvp(case: Case) -> None:
    checks.check_vjp(case)


@pytest.mark.parametrize("case", marked(SMOOTH, "second order"))
def test_second_derivatives_agree_in_all_modes(case: Case) -> None:
    checks.check_second_orders(case)


@pytest.mark.parametrize("case", marked([case for case in CASES if case.linear], "transpose"))
def test_transpose_of_linear_operands(case: Case) -> None:
    for positions in case.linear:
        checks.check_transpose(case, positions)
