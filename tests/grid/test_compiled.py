"""Every case compiled by XLA against the evaluator, special values, too; and what transformations make of the cases.

The latter are interpreted where they can be: the operations that they consist of are cases themselves.
"""

from __future__ import annotations

import pytest

from tests.cases import Case
from tests.grid.compiled import COVERED, check_compiled, results_of
from tests.grid.unsupported import marked
from tests.grid.variants import batched, plain, pulled, pushed


@pytest.mark.parametrize("case", marked(COVERED[plain], "xla"))
def test_compiled(case: Case) -> None:
    check_compiled(case, plain, results_of(case, plain))


@pytest.mark.interpreted
@pytest.mark.parametrize("case", marked(COVERED[batched], "xla"))
def test_compiled_vmap(case: Case) -> None:
    check_compiled(case, batched, results_of(case, batched))


@pytest.mark.interpreted
@pytest.mark.parametrize("case", marked(COVERED[pushed], "xla"))
def test_compiled_jvp(case: Case) -> None:
    check_compiled(case, pushed, results_of(case, pushed))


@pytest.mark.interpreted
@pytest.mark.parametrize("case", marked(COVERED[pulled], "xla"))
def test_compiled_vjp(case: Case) -> None:
    check_compiled(case, pulled, results_of(case, pulled))
