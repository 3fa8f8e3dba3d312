"""The cases of an operation, which are checked together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

import pytest

from tests.cases import Case
from tests.each import each


def family(case: Case) -> str:
    """The operation a case is about."""
    return type(case.op).__name__


def families(cases: Iterable[Case]) -> list[object]:
    """The cases as parameters of a test, those of one operation as one."""
    return [pytest.param([*group], id=name) for name, group in groupby(sorted(cases, key=family), family)]


def check_each(cases: Sequence[Case], check: Callable[[Case], None]) -> None:
    """Check every case; what fails is reported with the names of the cases."""
    each(cases, check, lambda case: case.name)
