"""Programs of every case under every transformation: well typed, of the types of the results, computing the same."""

from __future__ import annotations

import pytest

from tests.cases import CASES, Case
from tests.grid import programs
from tests.grid.families import check_each, families
from tests.grid.variants import one_special_an_arity

SMOOTH = families(one_special_an_arity([case for case in CASES if case.smooth]))


@pytest.mark.parametrize("cases", families(CASES))
def test_types_are_those_of_results(cases: list[Case]) -> None:
    check_each(cases, programs.check_types)


@pytest.mark.parametrize("cases", families(CASES))
def test_staged(cases: list[Case]) -> None:
    check_each(cases, programs.check_staged)


@pytest.mark.parametrize("cases", families([case for case in CASES if case.operands]))
def test_staged_vmap(cases: list[Case]) -> None:
    check_each(cases, programs.check_staged_vmap)


@pytest.mark.parametrize("cases", SMOOTH)
def test_staged_jvp_and_its_parts(cases: list[Case]) -> None:
    check_each(cases, programs.check_staged_jvp)


@pytest.mark.parametrize("cases", SMOOTH)
def test_staged_linear_function(cases: list[Case]) -> None:
    check_each(cases, programs.check_staged_linear)


@pytest.mark.parametrize("cases", SMOOTH)
def test_staged_vjp(cases: list[Case]) -> None:
    check_each(cases, programs.check_staged_vjp)
