"""Batching of every case against a Python loop over lanes, alone and with derivatives."""

from __future__ import annotations

import pytest

from tests.cases import CASES, Case
from tests.grid import batching
from tests.grid.unsupported import marked
from tests.grid.variants import one_special_an_arity

WITH_OPERANDS = [case for case in CASES if case.operands]
FEWER = one_special_an_arity(WITH_OPERANDS)
SMOOTH = [case for case in FEWER if case.smooth]


@pytest.mark.parametrize("case", marked(WITH_OPERANDS, "vmap"))
def test_vmap_is_loop(case: Case) -> None:
    batching.check_vmap(case)


@pytest.mark.parametrize("case", marked(FEWER, "vmap"))
def test_nested_vmap_is_nested_loop(case: Case) -> None:
    batching.check_nested_vmap(case)


@pytest.mark.parametrize("case", marked(SMOOTH, "vmap"))
def test_vmap_of_jvp_is_loop(case: Case) -> None:
    batching.check_vmap_of_jvp(case)


@pytest.mark.parametrize("case", marked(SMOOTH, "vmap"))
def test_jvp_of_vmap_is_loop(case: Case) -> None:
    batching.check_jvp_of_vmap(case)
