"""The check of compiled code: XLA gives what evaluation gives, and under transformations.

A compilation costs more than everything else here, so cases are compiled many to a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import batched as chunked, groupby

import pytest

import effects as fx
from effects import Array
from effects.operations import factoring, matrices, solving
from effects.operations.elementwise import Binary, BinaryKind, Clamp, Compare, Unary
from effects.operations.reduction import Reduce, ReduceKind
from effects.operations.special import Special
from effects.types.dtypes import Inexact
from lowering import jit
from tests.cases import CASES, Case
from tests.grid.families import check_each, family
from tests.grid.operands import assert_close, assert_same_type, assert_same_zeros, tolerance
from tests.grid.variants import Variant, batched, one_special_an_arity, plain, pulled, pushed
from tests.interpretation import INTERPRETABLE

_ELEMENTWISE = (Unary, Binary, Compare, Special)


def _one_per_kind(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Of the elementwise operations the first case of each kind: what the others add is compiled as it is."""
    kinds = {case.op.kind: case for case in reversed(cases) if isinstance(case.op, _ELEMENTWISE)}
    few = set(kinds.values())
    return tuple([case for case in cases if case in few or not isinstance(case.op, _ELEMENTWISE)])


COVERED: dict[Variant, tuple[Case, ...]] = {
    plain: CASES,
    batched: _one_per_kind(one_special_an_arity([case for case in CASES if case.operands])),
    pushed: _one_per_kind(one_special_an_arity([case for case in CASES if case.smooth])),
    pulled: _one_per_kind([case for case in CASES if case.smooth and not isinstance(case.op, Special)]),
}
"""The cases that are compiled under each transformation."""

_PER_PROGRAM = 40
_FAMILIES = (factoring, matrices, solving)
MATRICES = [kind for family in _FAMILIES for kind in vars(family).values() if isinstance(kind, type)]


def compiled_results(cases: Sequence[Case], variant: Variant) -> list[tuple[Array, ...]]:
    """The results of all cases, computed by one compiled program."""
    applied = [variant(case) for case in cases]

    def program(*args: Array) -> list[tuple[Array, ...]]:
        given = iter(args)
        return [function(*[next(given) for _ in own]) for function, own in applied]

    return list(jit(program)(*[x for _, own in applied for x in own]))


def _kind(case: Case) -> tuple[str, bool]:
    """What cases of one program have in common: the operation, and whether the interpreter knows their elements."""
    return family(case), {x.dtype for x in case.operands} <= INTERPRETABLE


def of_programs(variant: Variant) -> list[object]:
    """The cases of a variant as parameters of a test, those that are one program as one.

    Special functions are interpreted: tests/special compares what XLA makes of each, at many more arguments.
    """
    return [
        pytest.param(
            cases,
            id=f"{name}-{'interpretable' if known else 'others'}-{part}",
            marks=[pytest.mark.interpreted] * (name == Special.__name__),
        )
        for (name, known), members in groupby(sorted(COVERED[variant], key=_kind), _kind)
        for part, cases in enumerate(chunked(members, _PER_PROGRAM))
    ]


def check_program(cases: Sequence[Case], variant: Variant) -> None:
    """Check all cases, compiled as one program."""
    try:
        results = compiled_results(cases, variant)
    except Exception:  # one bad case must not hide the others: each is then compiled by itself
        check_each(cases, lambda case: check_compiled(case, variant))
        raise
    by_case = dict(zip(cases, results, strict=True))
    check_each(cases, lambda case: check_compiled(case, variant, by_case[case]))


def either_zero(case: Case) -> bool:
    """Whether the operation may give any of the two zeros: the extreme of 0 and -0, which are equal."""
    extremes = (BinaryKind.MAX, BinaryKind.MIN, ReduceKind.MAX, ReduceKind.MIN)
    return isinstance(case.op, Clamp) or (isinstance(case.op, Binary | Reduce) and case.op.kind in extremes)


def of_the_whole(x: Array) -> float:
    """What rounding of the greatest element explains: factors of matrices are right as a whole, not in each element."""
    return tolerance(x.dtype) * float(fx.max(fx.abs(x))) if x.size and issubclass(x.dtype, Inexact) else 0.0


def check_compiled(case: Case, variant: Variant = plain, results: Sequence[Array] | None = None) -> None:
    """The compiled function gives the types and the values of the evaluated one."""
    if results is None:
        (results,) = compiled_results([case], variant)
    for actual, expected in zip(results, variant(case)(), strict=True):
        assert_same_type(actual, expected)
        rtol = None if variant is plain else max(1e-12, tolerance(actual.dtype))
        assert_close(actual, expected, rtol, of_the_whole(expected) if type(case.op) in MATRICES else None)
        if variant is plain and not either_zero(case) and type(case.op) not in MATRICES:
            assert_same_zeros(actual, expected)
