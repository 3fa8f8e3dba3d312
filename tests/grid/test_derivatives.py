"""Derivatives of every case: forward mode against difference quotients to the second order, reverse against forward.

Of special functions one for each number of operands has second orders here: tests/special has four of all of them.
"""

from __future__ import annotations

import pytest

from tests.cases import CASES, Case
from tests.grid import checks
from tests.grid.families import check_each, families
from tests.grid.variants import one_special_an_arity

SMOOTH = [case for case in CASES if case.smooth]
FEWER = one_special_an_arity(SMOOTH)


@pytest.mark.parametrize("cases", families(SMOOTH))
def test_jvp_is_limit_of_differences(cases: list[Case]) -> None:
    check_each(cases, checks.check_jvp)


@pytest.mark.parametrize("cases", families(FEWER))
def test_second_jvp_is_limit_of_differences(cases: list[Case]) -> None:
    check_each(cases, checks.check_second_jvp)


@pytest.mark.parametrize("cases", families(SMOOTH))
def test_vjp_is_adjoint_of_jvp(cases: list[Case]) -> None:
    check_each(cases, checks.check_vjp)


@pytest.mark.parametrize("cases", families(FEWER))
def test_second_derivatives_agree_in_all_modes(cases: list[Case]) -> None:
    check_each(cases, checks.check_second_orders)


@pytest.mark.parametrize("cases", families([case for case in CASES if case.linear]))
def test_transpose_of_linear_operands(cases: list[Case]) -> None:
    check_each(cases, checks.check_transposes)
