"""Batching of every case against a Python loop over lanes, alone and with derivatives."""

from __future__ import annotations

import pytest

from tests.cases import CASES, Case
from tests.grid import batching
from tests.grid.families import check_each, families
from tests.grid.variants import one_special_an_arity

WITH_OPERANDS = [case for case in CASES if case.operands]
FEWER = one_special_an_arity(WITH_OPERANDS)
SMOOTH = [case for case in FEWER if case.smooth]


@pytest.mark.parametrize("cases", families(WITH_OPERANDS))
def test_vmap_is_loop(cases: list[Case]) -> None:
    check_each(cases, batching.check_vmap)


@pytest.mark.parametrize("cases", families(FEWER))
def test_nested_vmap_is_nested_loop(cases: list[Case]) -> None:
    check_each(cases, batching.check_nested_vmap)


@pytest.mark.parametrize("cases", families(SMOOTH))
def test_vmap_of_jvp_is_loop(cases: list[Case]) -> None:
    check_each(cases, batching.check_vmap_of_jvp)


@pytest.mark.parametrize("cases", families(SMOOTH))
def test_jvp_of_vmap_is_loop(cases: list[Case]) -> None:
    check_each(cases, batching.check_jvp_of_vmap)
