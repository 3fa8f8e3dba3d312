"""Every case compiled by XLA against the evaluator; and what transformations make of the cases.

The latter are interpreted where they can be: the operations that they consist of are cases themselves.
"""

from __future__ import annotations

import pytest

from tests.cases import Case
from tests.grid.compiled import check_program, of_programs
from tests.grid.variants import batched, plain, pulled, pushed


@pytest.mark.parametrize("cases", of_programs(plain))
def test_compiled(cases: list[Case]) -> None:
    check_program(cases, plain)


@pytest.mark.interpreted
@pytest.mark.parametrize("cases", of_programs(batched))
def test_compiled_vmap(cases: list[Case]) -> None:
    check_program(cases, batched)


@pytest.mark.interpreted
@pytest.mark.parametrize("cases", of_programs(pushed))
def test_compiled_jvp(cases: list[Case]) -> None:
    check_program(cases, pushed)


@pytest.mark.interpreted
@pytest.mark.parametrize("cases", of_programs(pulled))
def test_compiled_vjp(cases: list[Case]) -> None:
    check_program(cases, pulled)
