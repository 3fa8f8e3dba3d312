"""Programs lowered to StableHLO and run by XLA against the evaluation of the same operations by NumPy."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import effects as fx
from effects import dtypes
from effects.array import Array
from effects.avals import ShapedArray
from effects.chain import perform
from effects.concrete import Concrete, Host, from_host
from effects.custom import CustomOp
from effects.dtypes import DType
from effects.errors import ArgumentError, EffaxError, IllTyped, MissingRule
from effects.jaxpr import Jaxpr
from effects.operation import Operation, operation
from effects.operations.contraction import DotGeneral
from effects.operations.creation import Iota
from effects.operations.elementwise import (
    Binary,
    BinaryKind,
    Clamp,
    Compare,
    CompareKind,
    Convert,
    Select,
    Unary,
    UnaryKind,
)
from effects.operations.higher_order import Call, Cond
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.operations.movement import Broadcast, Concat, Flip, Pad, PermuteDims, Reshape
from effects.operations.reduction import ArgReduce, ArgReduceKind, Reduce, ReduceKind
from handlers.evaluate import evaluate
from handlers.stage import stage
from lowering import pjrt
from lowering.stablehlo import Builder, Module, emit

F32, F64, I32 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int32)
X = np.arange(12, dtype=F32).reshape(3, 4)
REAL = [d for d in dtypes.ALL if issubclass(d, dtypes.Floating)]
INTEGERS = [d for d in dtypes.ALL if issubclass(d, dtypes.Integer)]
COMPLEX = [dtypes.complex64, dtypes.complex128]


def program(f: Callable[..., Sequence[Array]], hosts: Sequence[Host]) -> Jaxpr:
    jaxpr, captured = stage(f, [from_host(host).aval for host in hosts])
    assert captured == []
    return jaxpr


def run_module(module: Module, outputs: Sequence[ShapedArray], hosts: Sequence[Host]) -> list[Host]:
    assert module.verify() is None
    device = pjrt.default_device()
    types = [pjrt.buffer_type(aval.shape, aval.dtype.dtype) for aval in outputs]
    executable = pjrt.compile_module(module.ir, device, types)
    buffers = [pjrt.put(host, pjrt.buffer_type(host.shape, host.dtype), device, copy=True) for host in hosts]
    return [pjrt.fetch(buffer) for buffer in executable.execute(buffers)]


def run(f: Callable[..., Sequence[Array]], *hosts: Host) -> list[Host]:
    jaxpr = program(f, hosts)
    return run_module(emit(jaxpr, "test"), jaxpr.out_avals, hosts)


def agree(*cases: tuple[Operation[int], Sequence[Host]], exact: bool = False) -> None:
    """Each operation (its operands are the numbers of the arrays) gives what NumPy gives; one program for all."""
    flat: list[Host] = []
    shifted: list[tuple[Operation[int], int]] = []
    for op, hosts in cases:
        shifted.append((op, len(flat)))
        flat.extend(hosts)
    got = run(lambda *xs: [_one(perform(op.map(lambda i: xs[first + i]))) for op, first in shifted], *flat)  # noqa: B023
    for (op, hosts), result in zip(cases, got, strict=True):
        expected = evaluate(op.map(lambda i: from_host(hosts[i])))  # noqa: B023
        assert isinstance(expected, Concrete)
        same(result, np.asarray(expected.host), f"{op.describe()} of {[h.dtype for h in hosts]}", exact=exact)


def _one(result: Array | tuple[Array, ...]) -> Array:
    assert not isinstance(result, tuple)
    return result


def same(got: Host, expected: Host, what: str = "", *, exact: bool = False) -> None:
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape), what
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(got, expected, what)
        return
    size = expected.dtype.itemsize // (2 if expected.dtype.kind == "c" else 1)
    rtol = 0.0 if exact else {1: 0.13, 2: 1e-2, 4: 1e-5, 8: 1e-12}[size]
    wide = np.dtype(np.complex128 if expected.dtype.kind == "c" else np.float64)
    with np.errstate(all="ignore"):
        got, expected = got.astype(wide), expected.astype(wide)
    lost = np.isnan(got) & np.isnan(expected)  # of complex numbers, which part is NaN does not matter
    np.testing.assert_allclose(
        np.where(lost, 0, got), np.where(lost, 0, expected), rtol=rtol, atol=rtol / 10, err_msg=what
    )


def sample(dtype: type[DType]) -> Host:
    """Ordinary and special values."""
    if dtype is dtypes.bool_:
        return np.array([True, False, True, False, False])
    if issubclass(dtype, dtypes.Integer):
        limits = np.iinfo(dtype.dtype.name)
        return np.array([0, 1, 2, 3, 7, 8, 64, limits.max, limits.min, limits.max - 1, limits.min + 1], dtype.dtype)
    if issubclass(dtype, dtypes.Complex):
        return np.array([0, 1, -1, 1j, -1j, 0.5 + 0.3j, 2 - 3j, -0.7 + 0.2j, -4 - 1.5j], dtype.dtype)
    values = [0, 1, -1, 0.5, -0.5, 2, -3.25, 1.5, 2.5, -2.5, 0.75, 10, -40, np.inf, -np.inf, np.nan, 0.1, 300]
    return rounded(values, dtype)


def rounded(values: Sequence[float], dtype: type[DType]) -> Host:
    with np.errstate(all="ignore"):
        return np.array(values, np.float64).astype(dtype.dtype)


def pairs(dtype: type[DType]) -> list[Host]:
    values = sample(dtype)
    return [np.ascontiguousarray(a).ravel() for a in np.broadcast_arrays(values[:, None], values)]


def well_typed(op: Operation[int], hosts: Sequence[Host]) -> bool:
    try:
        op.map(lambda i: from_host(hosts[i])).types()
    except EffaxError:
        return False
    return True


# -- elementwise ---------------------------------------------------------------------------------------------------

_NOT_IN_NUMPY = (UnaryKind.DIGAMMA, UnaryKind.ERF, UnaryKind.ERFC, UnaryKind.LGAMMA)
_LOOSE_IN_FLOAT8 = (UnaryKind.LOGISTIC, UnaryKind.RSQRT)  # NumPy's are made of several roundings


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_function_of_one_operand(dtype: type[DType]) -> None:
    x = sample(dtype)
    kinds = [k for k in UnaryKind if k not in _NOT_IN_NUMPY]
    if dtype.dtype.itemsize == 1 and dtype in REAL:
        kinds = [k for k in kinds if k not in _LOOSE_IN_FLOAT8]
    cases = [(Unary(kind, 0), [x]) for kind in kinds if well_typed(Unary(kind, 0), [x])]
    if cases:
        agree(*cases)


def test_functions_that_numpy_lacks() -> None:
    v = np.array([0.25, 0.5, 0.9, 3.5])

    def f(x: Array) -> list[Array]:
        return [_one(perform(Unary(kind, x))) for kind in (UnaryKind.ERF, UnaryKind.ERFC, UnaryKind.LGAMMA)]

    for got, function in zip(run(f, v), (math.erf, math.erfc, math.lgamma), strict=True):
        same(got, np.array([function(x) for x in v]))
    (digamma,) = run(lambda x: [perform(Unary(UnaryKind.DIGAMMA, x))], v)
    slopes = np.array([(math.lgamma(x + 1e-5) - math.lgamma(x - 1e-5)) / 2e-5 for x in v])
    assert np.allclose(digamma.astype(F64), slopes, rtol=1e-7)


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_function_of_two_operands(dtype: type[DType]) -> None:
    operands = pairs(dtype)
    ops: list[Operation[int]] = [Binary(kind, 0, 1) for kind in BinaryKind]
    ops += [Compare(kind, 0, 1) for kind in CompareKind]
    cases = [(op, operands) for op in ops if well_typed(op, operands)]
    agree(*cases)


def test_integer_division_and_remainder_by_zero() -> None:
    x, zero = np.array([5, -5, 0], I32), np.zeros(3, I32)

    def f(x: Array, y: Array) -> list[Array]:
        return [_one(perform(Binary(kind, x, y))) for kind in (BinaryKind.DIV, BinaryKind.REM)]

    quotient, remainder = run(f, x, zero)
    assert quotient.tolist() == [-1, -1, -1]
    assert remainder.tolist() == [5, -5, 0]


def test_shifts_by_the_width_or_more_leave_nothing() -> None:
    x, y = np.array([-8, 8], np.int8), np.array([8, 100], np.int8)
    agree((Binary(BinaryKind.SHIFT_RIGHT, 0, 1), [x, y]), (Binary(BinaryKind.SHIFT_LEFT, 0, 1), [x, y]))


@pytest.mark.parametrize("dtype", [d for d in INTEGERS if d.dtype.itemsize > 1], ids=str)
def test_large_integer_powers_wrap_around(dtype: type[DType]) -> None:
    base = np.array([3, 3, 2, 5, 0, 1], dtype.dtype)
    exponent = np.array([63, 64, 64, 1000, 64, 30000], dtype.dtype)
    agree(
        (Binary(BinaryKind.POW, 0, 1), [base, exponent]),
        (Binary(BinaryKind.POW, 0, 1), [base[:1].reshape(()), exponent[3:4].reshape(())]),
        (Binary(BinaryKind.POW, 0, 1), [base.reshape(2, 3), exponent[:1].reshape(())]),
    )


@pytest.mark.parametrize("dtype", [np.int8, np.int64])
@pytest.mark.parametrize("exponent", [0, 2, 5, -1, -2, 64])
def test_integer_power_with_a_literal_exponent(exponent: int, dtype: type[np.signedinteger]) -> None:
    x = np.array([-3, -1, 0, 1, 2, 3], dtype)
    (got,) = run(lambda x: [perform(Binary(BinaryKind.POW, x, from_host(np.array(exponent, dtype))))], x)
    expected = evaluate(Binary(BinaryKind.POW, from_host(x), from_host(np.array(exponent, dtype))))
    assert isinstance(expected, Concrete)
    same(got, expected.host)


@pytest.mark.parametrize("source", dtypes.ALL, ids=str)
def test_every_conversion(source: type[DType]) -> None:
    x = sample(source)
    if source in REAL:
        ends = [127.5, -128.9, 255.4, 256, 65504, 2.0**31, -(2.0**31), 2.0**63, -(2.0**63), 1e20, -1e20]
        x = np.concatenate([x, rounded(ends, source)])
    agree(*[(Convert(target, False, 0), [x]) for target in dtypes.ALL], exact=True)


def test_operands_broadcast() -> None:
    row, column, one = X[:1], X[:, :1], np.array(2.5, F32)
    pred = np.array([True, False, True, False])
    agree(
        (Binary(BinaryKind.ADD, 0, 1), [row, column]),
        (Binary(BinaryKind.MUL, 0, 1), [X[0], X]),
        (Binary(BinaryKind.SUB, 0, 1), [one, X]),
        (Compare(CompareKind.LT, 0, 1), [X, one]),
        (Select(0, 1, 2), [pred, column, one]),
        (Select(0, 1, 2), [np.array(True), row, column]),
        (Clamp(0, 1, 2), [np.array(2, F32), X, X[0] + 4]),
    )


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d not in COMPLEX], ids=str)
def test_clamp_and_select(dtype: type[DType]) -> None:
    x = sample(dtype)
    low, high = np.roll(x, 1), np.roll(x, 2)
    agree((Clamp(0, 1, 2), [low, x, high]), (Select(0, 1, 2), [x.astype(bool), low, high]))


def test_literals_become_one_constant_each() -> None:
    half = from_host(np.array(0.5, F32))

    def f(x: Array) -> list[Array]:
        y = perform(Binary(BinaryKind.MUL, x, half))
        return [perform(Binary(BinaryKind.ADD, y, half)), half]

    module = emit(program(f, [X]), "f")
    assert module.text().count("stablehlo.constant") == 2  # one of the shape of x, one scalar
    assert "broadcast" not in module.text()
    got = run(f, X)
    same(got[0], X * F32.type(0.5) + F32.type(0.5))
    assert got[1] == 0.5


# -- reductions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_reduction(dtype: type[DType]) -> None:
    x = np.resize(np.roll(np.concatenate([sample(dtype)[:7], sample(dtype)[:6]]), 3), (2, 3, 4))
    folded = ((), (1,), (0, 2), (0, 1, 2))
    cases = [(Reduce(kind, axes, 0, kept), [x]) for kind in ReduceKind for axes in folded for kept in (False, True)]
    if dtype in REAL and dtype.dtype.itemsize == 1:  # NumPy rounds after each step
        cases = [(op, hosts) for op, hosts in cases if op.kind in (ReduceKind.MAX, ReduceKind.MIN)]
    agree(*[(op, hosts) for op, hosts in cases if well_typed(op, hosts)])


def test_reductions_pass_nan_on() -> None:
    x = np.array([[1, np.nan, 3], [np.inf, 2, -np.inf]], F32)
    agree(*[(Reduce(kind, (1,), 0), [x]) for kind in (ReduceKind.MAX, ReduceKind.MIN, ReduceKind.SUM)])


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.int8, dtypes.uint16, dtypes.float16], ids=str)
def test_reductions_of_nothing(dtype: type[DType]) -> None:
    kinds = (ReduceKind.MAX, ReduceKind.MIN, ReduceKind.SUM, ReduceKind.PROD)
    agree(*[(Reduce(kind, (0,), 0), [np.zeros((0, 2), dtype.dtype)]) for kind in kinds])


def test_narrow_floats_are_summed_in_float32() -> None:
    x = np.ones(5000, np.float16)
    agree((Reduce(ReduceKind.SUM, (0,), 0), [x]), exact=True)


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d not in COMPLEX], ids=str)
@pytest.mark.parametrize("kind", list(ArgReduceKind), ids=lambda kind: str(kind.value))
def test_positions_of_extremes(kind: ArgReduceKind, dtype: type[DType]) -> None:
    x = sample(dtype)
    rows = np.stack([np.roll(x, shift) for shift in range(4)])
    nan = np.where(np.isnan(rows.astype(F32)), dtype.dtype.type(1), rows) if dtype in REAL else rows
    agree(*[(ArgReduce(kind, axis, 0), [a]) for axis in (0, 1) for a in (rows, nan)])


# -- movement, indexing, creation ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_movement_in_every_dtype(dtype: type[DType]) -> None:
    x = np.resize(sample(dtype), (2, 3))
    value = sample(dtype)[1:2].reshape(())
    agree(
        (Broadcast((4, 2, 3), (1, 2), 0), [x]),
        (Reshape((3, 2), 0), [x]),
        (PermuteDims((1, 0), 0), [x]),
        (Flip((1,), 0), [x]),
        (Concat(1, (0, 1)), [x, x]),
        (Pad(((1, 2, 1), (-1, 0, 0)), 0, 1), [x, value]),
        (Slice((0, 1), (2, 3), (1, 2), 0), [x]),
        exact=True,
    )


def test_movement_at_the_edges() -> None:
    empty = np.zeros((0, 4), F32)
    agree(
        (Broadcast((3, 4, 5), (0, 1), 0), [X]),
        (Broadcast((4, 3), (1, 0), 0), [X]),
        (Broadcast((3, 7), (0, 1), 0), [X[:, :1]]),
        (Broadcast((2, 2), (), 0), [np.array(3, F32)]),
        (Reshape((), 0), [np.ones((1, 1), F32)]),
        (Concat(0, (0, 1)), [empty, X]),
        (Pad(((0, 0, 3), (2, 1, 0)), 0, 1), [empty, np.array(9, F32)]),
        (Pad(((-1, 0, 1), (-4, 4, 2)), 0, 1), [X, np.array(9, F32)]),
        (Slice((0, 4), (3, 4), (2, 1), 0), [X]),
        (Flip((), 0), [X]),
        exact=True,
    )


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_dynamic_slices_clamp_their_starts(dtype: type[DType]) -> None:
    limits = np.iinfo(dtype.dtype.name)
    long = np.arange(300, dtype=F32).reshape(300, 1)
    zero = np.array(0, I32)
    update = np.full((290, 1), -1, F32)
    for first in (0, 1, 5, limits.min, limits.max):
        start = np.array(first, dtype.dtype)
        agree(
            (DynamicSlice((290, 1), 0, (1, 2)), [long, start, zero]),
            (DynamicUpdateSlice(0, 1, (2, 3)), [long, update, start, zero]),
            exact=True,
        )


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_iota(dtype: type[DType]) -> None:
    (got,) = run(lambda: [perform(Iota((2, 5), dtype, 1))])
    expected = evaluate(Iota((2, 5), dtype, 1))
    assert isinstance(expected, Concrete)
    same(got, np.ascontiguousarray(expected.host), exact=True)


# -- contraction ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_dot_general_in_every_dtype(dtype: type[DType]) -> None:
    rng = np.random.default_rng(0)
    low = 0 if issubclass(dtype, dtypes.Unsigned | dtypes.bool_) else -2
    x = rng.integers(low, 3, (2, 3, 4)).astype(dtype.dtype)
    y = rng.integers(low, 3, (2, 4, 5)).astype(dtype.dtype)
    agree(
        (DotGeneral(((2,), (1,)), ((0,), (0,)), 0, 1), [x, y]),
        (DotGeneral(((1,), (0,)), ((), ()), 0, 1), [x[0], y[0]]),
        (DotGeneral(((0, 2), (0, 1)), ((), ()), 0, 1), [x, y]),
        (DotGeneral(((), ()), ((0,), (0,)), 0, 1), [x, y]),
        (DotGeneral(((0,), (0,)), ((), ()), 0, 1), [x[0, 0], y[0, :, 0]]),
    )


def test_dots_over_nothing_are_zero() -> None:
    agree((DotGeneral(((1,), (0,)), ((), ()), 0, 1), [np.zeros((2, 0), F32), np.zeros((0, 3), F32)]))


def test_narrow_dots_accumulate_widely() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 40, 40)).astype(np.float16)
    agree((DotGeneral(((1,), (0,)), ((), ()), 0, 1), [x, y]))


# -- programs ------------------------------------------------------------------------------------------------------


def _sin(x: Array) -> Array:
    return _one(perform(Unary(UnaryKind.SIN, x)))


def _body(f: Callable[..., Sequence[Array]], *hosts: Host) -> Jaxpr:
    return program(f, hosts).interned()


def test_inputs_and_literals_as_outputs() -> None:
    got = run(lambda x, y: [y, x, y, from_host(np.array(7, I32))], X, np.array(3, I32))
    for result, expected in zip(got, [np.array(3, I32), X, np.array(3, I32), np.array(7, I32)], strict=True):
        same(result, expected)


def test_a_program_without_inputs_and_one_without_outputs() -> None:
    assert run(lambda: [from_host(np.array(2.0))]) == [2.0]
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
    executable = pjrt.compile_module(module.ir, device, [pjrt.buffer_type((3, 4), F32)] * 2)
    buffers = [pjrt.put(X, pjrt.buffer_type((3, 4), F32), device, copy=True) for _ in range(2)]
    executable.execute(buffers)
    assert [buffer.is_deleted() for buffer in buffers] == [True, False]


def test_operations_know_the_users_line() -> None:
    text = emit(program(lambda x: [_sin(x)], [X]), "f").text(locations=True)
    line = inspect.getsourcelines(_sin)[1] + 1
    assert f'{__file__}":{line}:' in text


# -- users' operations ---------------------------------------------------------------------------------------------


@operation
class Square[V](CustomOp[V]):
    """x²; `evaluate` is written with functions of `effects`."""

    x: V

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def evaluate(self: Square[Array]) -> Array:
        return fx.multiply(self.x, self.x)


@operation
class Sine[V](CustomOp[V]):
    """Lowers itself."""

    x: V

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def lower(self, builder: Builder) -> object:
        return builder.op("stablehlo.sine", builder.results[0], (self.x,))  # type: ignore[arg-type]  # V is Value here


@operation
class SumAndTable[V](CustomOp[V]):
    """Two results, a parameter, a nested operation of a user, and an array from outside."""

    scale: float
    x: V

    def types(self) -> tuple[ShapedArray, ShapedArray]:
        return self.x.aval, ShapedArray((3,), fx.float64)  # type: ignore[attr-defined]  # V is typed here

    def evaluate(self) -> tuple[Array, Array]:
        squared = perform(Square(self.x))  # type: ignore[arg-type]  # V is Array here
        return fx.multiply(squared, self.scale), from_host(np.array([1.0, 2, 3]))


@operation
class InNumPy[V](CustomOp[V]):
    """Evaluates by NumPy only."""

    x: V

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def evaluate(self) -> Array:
        return np.asarray(self.x) * 2  # type: ignore[return-value]  # arrays of NumPy are taken too


@operation
class Mistyped[V](CustomOp[V]):
    """Says float32 and gives a scalar."""

    x: V

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def evaluate(self) -> Array:
        return from_host(np.array(1.0))


@operation
class HoldsALot[V](CustomOp[V]):
    """Uses a large array that is no operand."""

    x: V

    def types(self) -> ShapedArray:
        return ShapedArray((5000,), fx.float64)

    def evaluate(self) -> Array:
        return from_host(np.arange(5000.0))


@operation
class Endless[V](CustomOp[V]):
    """Performs itself."""

    x: V

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def evaluate(self) -> Array:
        return _one(perform(Endless(self.x)))  # type: ignore[arg-type]  # V is Array here


@operation
class Growing[V](CustomOp[V]):
    """Performs itself with another parameter each time."""

    x: V
    count: int = 0

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def evaluate(self) -> Array:
        return _one(perform(Growing(self.x, self.count + 1)))  # type: ignore[arg-type]  # V is Array here


def test_users_operations() -> None:
    def f(x: Array) -> list[Array]:
        both = perform(SumAndTable(3.0, x))
        assert isinstance(both, tuple)
        return [_one(perform(Square(x))), _one(perform(Square(x))), _one(perform(Sine(x))), *both]

    got = run(f, X)
    for result, expected in zip(got, [X * X, X * X, np.sin(X), 3 * X * X, np.array([1.0, 2, 3])], strict=True):
        same(result, expected)
    assert emit(program(f, [X]), "f").text().count("func.func private") == 2


def test_users_operations_that_cannot_be_lowered() -> None:
    for op, error, words in (
        (Endless, MissingRule, "performs Endless again, without an end"),
        (Growing, MissingRule, "performs Growing again, without an end"),
        (InNumPy, MissingRule, r"write the method `lower\(self, builder\)` of InNumPy"),
        (Mistyped, IllTyped, r"Mistyped.evaluate\(self\): the result must be float32\[3,4\], got float64\[\]"),
        (HoldsALot, ArgumentError, "make it an operand of HoldsALot"),
    ):
        jaxpr = program(lambda x: [_one(perform(op(x)))], [X])  # noqa: B023
        with pytest.raises(error, match=words):
            emit(jaxpr, "f")
