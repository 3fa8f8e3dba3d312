"""Programs of every case under every transformation: well typed, of the types of the results, computing the same."""

from __future__ import annotations

import pytest

from tests.cases import CASES, VALUES, Case
from tests.grid import programs
from tests.grid.unsupported import marked

SMOOTH = [case for case in CASES if case.smooth]


@pytest.mark.parametrize("case", marked([*CASES, *VALUES], "types"))
def test_types_are_those_of_results(case: Case) -> None:
    programs.check_types(case)


@pytest.mark.parametrize("case", marked(CASES, "staging"))
def test_staged(case: Case) -> None:
    programs.check_staged(case)


@pytest.mark.parametrize("case", marked([case for case in CASES if case.operands], "staging"))
def test_staged_vmap(case: Case) -> None:
    programs.check_staged_vmap(case)


@pytest.mark.parametrize("case", marked(SMOOTH, "staging"))
def test_staged_jvp_and_its_parts(case: Case) -> None:
    programs.check_staged_jvp(case)


@pytest.mark.parametrize("case", marked(SMOOTH, "staging"))
def test_staged_linear_function(case: Case) -> None:
    programs.check_staged_linear(case)


@pytest.mark.parametrize("case", marked(SMOOTH, "staging"))
def test_staged_vjp(case: Case) -> None:
    programs.check_staged_vjp(case)
