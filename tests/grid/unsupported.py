"""The cells of the grid that are not supported, each with its reason, under strict xfail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import pytest

from tests.cases import Case

type Column = Literal["jvp", "second order", "transpose", "vmap", "types", "staging", "xla", "precision"]


class Cell(NamedTuple):
    """One case under one column of tests."""

    case: str
    column: Column
    reason: str


UNSUPPORTED: Final[tuple[Cell, ...]] = ()


def marked(cases: Sequence[Case], column: Column) -> list[object]:
    """The cases as parameters of a test of `column`, those of the table as expected failures."""
    reasons = {cell.case: cell.reason for cell in UNSUPPORTED if cell.column == column}
    return [
        pytest.param(
            case,
            id=case.name,
            marks=[pytest.mark.xfail(strict=True, reason=reasons[case.name])] if case.name in reasons else [],
        )
        for case in cases
    ]
