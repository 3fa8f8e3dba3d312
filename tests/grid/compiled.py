"""The check of compiled code: XLA gives what evaluation gives, on special values too.

A compilation costs more than everything else here, so cases are compiled many to a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby

from effects import Array
from lowering import jit

from tests.cases import CASES, VALUES, Case
from tests.grid.operands import assert_close, assert_same_type

_PER_PROGRAM = 40


def compiled_results(cases: Sequence[Case]) -> list[tuple[Array, ...]]:
    """The results of all cases, computed by one compiled program."""
    counts = [len(case.operands) for case in cases]

    def program(*operands: Array) -> list[tuple[Array, ...]]:
        results: list[tuple[Array, ...]] = []
        start = 0
        for case, count in zip(cases, counts, strict=True):
            results.append(case.all_on(*operands[start : start + count]))
            start += count
        return results

    return list(jit(program)(*[x for case in cases for x in case.operands]))


def family(case: Case) -> str:
    """The operation a case is about."""
    return type(case.op).__name__


@cache
def _groups() -> dict[Case, tuple[Case, ...]]:
    groups: dict[Case, tuple[Case, ...]] = {}
    for _, members in groupby(sorted((*CASES, *VALUES), key=family), key=family):
        cases = tuple(members)
        for start in range(0, len(cases), _PER_PROGRAM):
            group = cases[start : start + _PER_PROGRAM]
            groups.update(dict.fromkeys(group, group))
    return groups


@cache
def _results(group: tuple[Case, ...]) -> dict[Case, tuple[Array, ...]]:
    try:
        return dict(zip(group, compiled_results(group), strict=True))
    except Exception:  # one bad case must not hide the others: each is then compiled by itself
        return {}


def check_compiled(case: Case, results: Sequence[Array] | None = None) -> None:
    """The compiled operation gives the types and the values of the evaluated one."""
    if results is None:
        (results,) = compiled_results([case])
    for actual, expected in zip(results, case.all_on(*case.operands), strict=True):
        assert_same_type(actual, expected)
        assert_close(actual, expected)


def results_of(case: Case) -> Sequence[Array] | None:
    """The results of a case from the program of its group."""
    return _results(_groups()[case]).get(case)
