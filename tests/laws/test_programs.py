"""Programs: evaluating what was written down is calling the function, and programs of one structure are equal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given, strategies as st

import effects as fx
from effects import Array, CustomOp, ShapedArray, check_jaxpr, eval_jaxpr, operation
from effects.program.dead_code import dead_code_eliminated
from handlers import custom_jvp, eval_shape, jvp, make_jaxpr, partial_eval_jaxpr, scan
from handlers.partial_eval import merge
from lowering import jit
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
def test_programs_of_one_structure_are_equal(f: Expression, x: Array, y: Array) -> None:
    first = make_jaxpr(f)(x, y)
    again = make_jaxpr(lambda a, b: f(a, b))(y, x)
    assert first is not again
    assert first == again and hash(first) == hash(again)
    assert first.interned() is again.interned()
    assert make_jaxpr(lambda a, b: (*f(a, b), a))(x, y) != first
    assert first != 1


@operation
class Table[V](CustomOp[V]):
    """A table of zeros with a row for each of `rows` and a column for each of `columns`."""

    rows: tuple[V, ...]
    columns: tuple[V, ...]

    def types(self) -> ShapedArray:
        return ShapedArray((len(self.rows), len(self.columns)), fx.float32)

    def evaluate(self: Table[Array]) -> Array:
        return fx.zeros((len(self.rows), len(self.columns)), dtype=fx.float32)


def test_which_operand_is_in_which_field_is_part_of_the_structure() -> None:
    def table(n: int) -> Callable[..., Array]:
        return lambda *values: fx.perform(Table(values[:n], values[n:]))

    values = [fx.asarray(float(i)) for i in range(3)]
    for n in (1, 2, 3):
        assert eval_shape(table(n), *values).shape == (n, 3 - n)
        assert jit(table(n))(*values).shape == (n, 3 - n)
    assert make_jaxpr(table(1))(*values) != make_jaxpr(table(2))(*values)


def test_what_is_derived_of_a_loop_serves_the_next_of_the_same_meaning() -> None:
    asked: list[Array] = []

    def rule(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
        asked.append(tangents[0])
        return fx.sin(primals[0]), tangents[0] * fx.cos(primals[0])

    @custom_jvp(rule)
    def sine(x: Array) -> Array:
        return fx.sin(x)

    for x in (0.5, 1.0):
        _, tangent = jvp(lambda x: scan(lambda c, _: (sine(c), None), x, None, 2)[0], (x,), (1.0,))
        close(tangent, np.cos(np.sin(x)) * np.cos(x), 1e-12)
    assert len(asked) == 1


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
