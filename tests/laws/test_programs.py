"""Programs: evaluating what was written down is calling the function, and equal programs are one object."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import effects as fx
from effects import Array, ShapedArray, check_jaxpr, eval_jaxpr
from effects.jaxpr import dead_code_eliminated
from handlers import make_jaxpr, partial_eval_jaxpr
from handlers.partial_eval import merge
from tests.laws.expressions import CONSTANT, MATRIX, Expression, expressions, many, points
from tests.reference.agreement import close


@many
@given(f=expressions(), x=points(), y=points())
def test_evaluating_the_program_is_calling_the_function(f: Expression, x: Array, y: Array) -> None:
    program = make_jaxpr(f)(x, y)
    check_jaxpr(program).unwrap()
    captured = captured_of(f, len(program.inputs) - 2)
    result = tuple(eval_jaxpr(program, [*captured, x, y]))
    close(result, f(x, y), 1e-12, 1e-13)
    assert tuple(v.aval.shape for v in result) == tuple(aval.shape for aval in program.out_avals)
    close(tuple(eval_jaxpr(dead_code_eliminated(program), [*captured, x, y])), result, 0, 0)
    close(tuple(eval_jaxpr(program.interned(), [*captured, x, y])), result, 0, 0)


def captured_of(f: Expression, expected: int) -> list[Array]:
    """The arrays that a program closes over, in the order in which its steps first use them."""
    found: list[Array] = []
    for name, _, _ in f.steps:
        for array in {"where": [CONSTANT], "jit": [CONSTANT], "cond": [CONSTANT], "matmul": [MATRIX]}.get(name, []):
            if not any(array is other for other in found):
                found.append(array)
    assert len(found) == expected
    return found


@many
@given(f=expressions(), x=points(), y=points())
def test_equal_programs_are_one_object(f: Expression, x: Array, y: Array) -> None:
    first = make_jaxpr(f)(x, y).interned()
    again = make_jaxpr(lambda a, b: f(a, b))(y, x).interned()
    assert first is again
    assert first.interned() is first
    other = make_jaxpr(lambda a, b: (*f(a, b), a))(x, y).interned()
    assert other is not first
    assert make_jaxpr(lambda a, b: f(b, a))(x, y).interned().in_avals == first.in_avals


@many
@given(shape=st.lists(st.integers(0, 5), max_size=4).map(tuple), dtype=st.sampled_from([fx.float32, fx.int64, fx.bool]))
def test_equal_types_are_one_object(shape: tuple[int, ...], dtype: type[fx.DType]) -> None:
    assert ShapedArray(shape, dtype) is ShapedArray((*shape[:1], *shape[1:]), dtype)
    assert fx.zeros(shape, dtype=dtype).aval is ShapedArray(shape, dtype)
    assert ShapedArray((*shape, 1), dtype) is not ShapedArray(shape, dtype)


@many
@given(f=expressions(), x=points(), y=points(), unknown=st.tuples(st.booleans(), st.booleans()))
def test_the_parts_of_a_program_make_the_whole(f: Expression, x: Array, y: Array, unknown: tuple[bool, bool]) -> None:
    program = make_jaxpr(f)(x, y)
    captured = captured_of(f, len(program.inputs) - 2)
    values = [*captured, x, y]
    mask = [*(False for _ in captured), *unknown]
    parts = partial_eval_jaxpr(program, mask)
    check_jaxpr(parts.known).unwrap()
    check_jaxpr(parts.unknown).unwrap()
    now = eval_jaxpr(parts.known, [v for v, later in zip(values, mask, strict=True) if not later])
    n_known = parts.unknown_out.count(False)
    later = eval_jaxpr(parts.unknown, [*now[n_known:], *[v for v, later in zip(values, mask, strict=True) if later]])
    close(merge(parts.unknown_out, now[:n_known], later), f(x, y), 1e-12, 1e-13)
