"""Every case, and every special value, compiled by XLA against the evaluator."""

from __future__ import annotations

import pytest

from tests.cases import CASES, VALUES, Case
from tests.grid.compiled import check_compiled, results_of
from tests.grid.unsupported import marked


@pytest.mark.parametrize("case", marked([*CASES, *VALUES], "xla"))
def test_compiled_is_evaluated(case: Case) -> None:
    check_compiled(case, results_of(case))
