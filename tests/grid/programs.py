"""The checks of programs: what is staged is well typed, has the types of what is computed, and computes the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from effects import Array, Jaxpr, check_jaxpr, eval_jaxpr
from handlers import jvp, linearize, make_jaxpr, partial_eval_jaxpr
from tests.cases import Case
from tests.grid import variants
from tests.grid.checks import in_smooth, samples
from tests.grid.operands import LANES, assert_close, assert_same_type, directions


def _agree(program: Jaxpr, args: Sequence[Array], expected: Sequence[Array]) -> None:
    check_jaxpr(program).unwrap()
    results = eval_jaxpr(program, args)
    for aval, result, value in zip(program.out_avals, results, expected, strict=True):
        assert aval is result.aval, f"the program says {aval} and gives {result.aval}"
        assert_same_type(result, value)
        assert_close(result, value)


def _check(f: Callable[..., Sequence[Array]], args: Sequence[Array]) -> Jaxpr:
    program = make_jaxpr(f)(*args)
    assert len(program.inputs) == len(args), f"everything is an argument, got {program}"
    _agree(program, args, f(*args))
    return program


def check_types(case: Case) -> None:
    """The type rule says what evaluation gives: shape, dtype and weakness, and the elements have them."""
    types = case.op.types()
    expected = types if isinstance(types, tuple) else (types,)
    for result, aval in zip(case.all_on(*case.operands), expected, strict=True):
        assert result.aval is aval, f"types() says {aval}, evaluation gives {result.aval}"
        assert_same_type(result, result)


def check_staged(case: Case) -> None:
    """`make_jaxpr` of the operation itself."""
    program = _check(*variants.plain(case))
    assert len(program.eqns) == 1, f"one operation is one equation, got {program}"


def check_staged_vmap(case: Case) -> None:
    """`make_jaxpr` of the batched operation."""
    program = _check(*variants.batched(case))
    assert all(aval.shape[0] == LANES for aval in program.out_avals)


def check_staged_jvp(case: Case) -> None:
    """`make_jaxpr` of the derivative; split by known operands and unknown tangents, its parts compute the same."""
    pushed = variants.pushed(case)
    program, args = _check(*pushed), pushed.args
    steps = len(case.smooth)
    known, unknown, unknown_out = partial_eval_jaxpr(program, [False] * len(case.operands) + [True] * steps)
    check_jaxpr(known).unwrap()
    check_jaxpr(unknown).unwrap()
    assert not any(unknown_out[: len(unknown_out) // 2]), "values do not depend on tangents"
    given = eval_jaxpr(known, case.operands)
    n_known = unknown_out.count(False)
    later = iter(eval_jaxpr(unknown, [*given[n_known:], *args[len(case.operands) :]]))
    now = iter(given[:n_known])
    for expected, is_unknown in zip(eval_jaxpr(program, args), unknown_out, strict=True):
        result = next(later) if is_unknown else next(now)
        assert_same_type(result, expected)
        assert_close(result, expected)


def check_staged_linear(case: Case) -> None:
    """`make_jaxpr` of the linear function that `linearize` gives."""
    f, xs, steps = in_smooth(case), samples(case), directions(case)
    _, linear = linearize(f, *xs)
    program = make_jaxpr(linear)(*steps)
    check_jaxpr(program).unwrap()
    expected = jvp(f, tuple(xs), tuple(steps))[1]
    for result, aval, slope in zip(linear(*steps), program.out_avals, expected, strict=True):
        assert (aval.shape, aval.dtype) == (slope.shape, slope.dtype)
        assert_close(result, slope, rtol=1e-12, atol=1e-13)


def check_staged_vjp(case: Case) -> None:
    """`make_jaxpr` of the cotangents."""
    _check(*variants.pulled(case))
