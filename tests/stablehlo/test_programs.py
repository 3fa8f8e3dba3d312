"""Modules: inputs and outputs, calls, branches, donation, source lines."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from effects import dtypes
from effects.arrays.array import Array
from effects.arrays.concrete import Host
from effects.arrays.promotion import scalar
from effects.operations.elementwise import Binary, BinaryKind, Unary, UnaryKind
from effects.operations.higher_order import Call, Cond
from effects.program.chain import perform
from effects.program.jaxpr import Jaxpr
from effects.types.dtypes import DType
from lowering import emission, pjrt
from lowering.stablehlo import emit
from tests.stablehlo.agreement import F32, I32, INTEGERS, X, one, program, run, run_module, same


def _sin(x: Array) -> Array:
    return one(perform(Unary(UnaryKind.SIN, x)))


def _body(f: Callable[..., Sequence[Array]], *hosts: Host) -> Jaxpr:
    return program(f, hosts).interned()


def test_inputs_and_literals_as_outputs() -> None:
    got = run(lambda x, y: [y, x, y, scalar(7, dtypes.int32)], X, np.array(3, I32))
    for result, expected in zip(got, [np.array(3, I32), X, np.array(3, I32), np.array(7, I32)], strict=True):
        same(result, expected)


def test_a_module_is_what_compilation_takes() -> None:
    written: emission.Module = emit(program(lambda x: [x], [X]), "f")
    assert "module @f" in written.text()
    assert written.devices == frozenset()


def test_a_program_without_inputs_and_one_without_outputs() -> None:
    assert run(lambda: [scalar(2.0, dtypes.float64)]) == [2.0]
    assert run(lambda x: [], X) == []


def test_equal_bodies_are_one_function() -> None:
    inner = _body(lambda x: [_sin(x)], X)
    again = _body(lambda x: [_sin(x)], X)
    other = _body(lambda x: [_sin(_sin(x))], X)

    def f(x: Array) -> list[Array]:
        (y,) = perform(Call(inner, "step", (x,)))
        (z,) = perform(Call(again, "step", (y,)))
        return [*perform(Call(other, "step", (z,))), *perform(Call(other, "main", (x,)))]

    text = emit(program(f, [X]), "f").text()
    assert text.count("func.func private") == 2
    assert "@step(" in text
    assert "@step_1(" in text
    same(run(f, X)[0], np.sin(np.sin(np.sin(np.sin(X)))))


def test_deeply_nested_calls_need_no_recursion() -> None:
    body = _body(lambda x: [_sin(x)], np.zeros(2, F32))
    for _ in range(1000):
        inner = body
        body = _body(lambda x: perform(Call(inner, "<lambda>", (x,))), np.zeros(2, F32))  # noqa: B023
    frames = len(inspect.stack())
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(frames + 60)
    try:
        module = emit(body, "deep")
    finally:
        sys.setrecursionlimit(limit)
    assert module.verify() is None
    assert module.text().count("func.func private") == 1000
    assert "@lambda_999(" in module.text()
    assert module.depth == 1000


@pytest.mark.parametrize("dtype", [*INTEGERS, dtypes.bool_], ids=str)
def test_cond_chooses_and_clamps(dtype: type[DType]) -> None:
    v = np.array([1, 2, 3], F32)
    negate = _body(lambda x: [perform(Unary(UnaryKind.NEG, x)), x], v)
    double = _body(lambda x: [perform(Binary(BinaryKind.ADD, x, x)), x], v)
    same_ = _body(lambda x: [x, x], v)
    branches = (negate, double) if dtype is dtypes.bool_ else (negate, double, same_)
    jaxpr = program(lambda i, x: perform(Cond(branches, i, (x,))), [np.zeros((), dtype.dtype), v])
    module = emit(jaxpr, "choose")
    indices = [False, True] if dtype is dtypes.bool_ else [0, 1, 2, 100, np.iinfo(dtype.dtype.name).min]
    for index in indices:
        got = run_module(module, jaxpr.out_avals, [np.array(index, dtype.dtype), v])
        expected = [-v, v + v, v][min(max(int(index), 0), 2)]
        same(got[0], expected)
        same(got[1], v)


def test_donated_inputs_give_their_memory_away() -> None:
    jaxpr = program(lambda x, y: [_sin(y), _sin(x)], [X, X])
    text = emit(jaxpr, "f", (True, False)).text()
    assert "tf.aliasing_output = 0" in text
    assert "tf.aliasing_output = 1" in emit(jaxpr, "f", (True, True)).text()
    only = program(lambda x, y: [_sin(y)], [X[0], X])
    assert "jax.buffer_donor = true" in emit(only, "f", (True, False)).text()
    assert "donor" not in emit(only, "f").text()
    device = pjrt.default_device()
    module = emit(jaxpr, "f", (True, False))
    executable = pjrt.compile_module(pjrt.Compilation(module.ir, device, [pjrt.buffer_type((3, 4), F32)] * 2))
    buffers = [pjrt.put(X, pjrt.buffer_type((3, 4), F32), device, copy=True) for _ in range(2)]
    executable.execute(buffers)
    assert [buffer.is_deleted() for buffer in buffers] == [True, False]


def test_operations_know_the_users_line() -> None:
    text = emit(program(lambda x: [_sin(x)], [X]), "f").text(locations=True)
    line = inspect.getsourcelines(_sin)[1] + 1
    assert f'{__file__}":{line}:' in text
