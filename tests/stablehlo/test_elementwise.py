"""Elementwise operations lowered: every kind in every dtype, conversions, broadcasting, literals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from effects import dtypes
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, from_host
from effects.arrays.promotion import scalar
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
from effects.operations.movement import Bitcast
from effects.program.chain import perform
from effects.program.operation import Operation
from effects.types.dtypes import DType
from handlers.evaluate import evaluate
from lowering.stablehlo import emit
from tests.stablehlo.agreement import (
    COMPLEX,
    F32,
    I32,
    INTEGERS,
    REAL,
    X,
    agree,
    cuts,
    one,
    pairs,
    program,
    rounded,
    run,
    same,
    sample,
    well_typed,
)

_LOOSE_IN_FLOAT8 = (UnaryKind.LOGISTIC, UnaryKind.RSQRT)  # NumPy's are made of several roundings


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_function_of_one_operand(dtype: type[DType]) -> None:
    x = np.concatenate([sample(dtype), cuts(dtype)]) if dtype in COMPLEX else sample(dtype)
    kinds = [*UnaryKind]
    if dtype.dtype.itemsize == 1 and dtype in REAL:
        kinds = [k for k in kinds if k not in _LOOSE_IN_FLOAT8]
    cases = [(Unary(kind, 0), [x]) for kind in kinds if well_typed(Unary(kind, 0), [x])]
    if cases:
        agree(*cases)


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_function_of_two_operands(dtype: type[DType]) -> None:
    operands = pairs(dtype)
    ops: list[Operation[int]] = [Binary(kind, 0, 1) for kind in BinaryKind]
    ops += [Compare(kind, 0, 1) for kind in CompareKind]
    cases = [(op, operands) for op in ops if well_typed(op, operands) and op.name != "scale"]
    scale = Binary(BinaryKind.SCALE, 0, 1)  # by whole numbers only
    if well_typed(scale, operands):
        x, y = operands
        cases.append((scale, [x, np.trunc(np.where(np.abs(y) <= 300, y, y.dtype.type(0)))]))
    agree(*cases)


def test_integer_division_and_remainder_by_zero() -> None:
    x, zero = np.array([5, -5, 0], I32), np.zeros(3, I32)

    def f(x: Array, y: Array) -> list[Array]:
        return [one(perform(Binary(kind, x, y))) for kind in (BinaryKind.DIV, BinaryKind.REM)]

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


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_powers_beside_infinity_and_nan(dtype: type[np.complexfloating]) -> None:
    inf, nan = math.inf, math.nan
    bases = [0, 1, -1, 1j, 0.5, 2, -2, 1 + 1j, inf, -inf, complex(0, inf), complex(inf, -inf), nan, complex(nan, 1)]
    exponents = [0, 1, 2, -1, 0.5, 1j, inf, -inf, complex(0, inf), complex(inf, inf), complex(1, inf), nan]
    x, y = [v.ravel() for v in np.meshgrid(np.array(bases, dtype), np.array(exponents, dtype))]
    agree((Binary(BinaryKind.POW, 0, 1), [x, y]))
    with np.errstate(all="ignore"):
        by_numpy = np.power(x, y)
    told = ~np.isnan(by_numpy)
    (got,) = run(lambda x, y: [x**y], x, y)
    np.testing.assert_allclose(got[told], by_numpy[told], 1e-5)
    positive, real = np.array([0, 0.5, 1, 2, inf, nan]), np.array([0, 0.5, 1, 2, -1, inf, -inf, nan])
    a, b = [v.ravel() for v in np.meshgrid(positive, real)]
    a, b = a[(a > 0) | (b > 0)], b[(a > 0) | (b > 0)]
    (got,) = run(lambda x, y: [x**y], a.astype(dtype), b.astype(dtype))
    np.testing.assert_allclose(got.real, np.power(a, b), 1e-5)


@pytest.mark.parametrize("dtype", [np.int8, np.int64])
@pytest.mark.parametrize("exponent", [0, 2, 5, -1, -2, 64])
def test_integer_power_with_a_literal_exponent(exponent: int, dtype: type[np.signedinteger]) -> None:
    x = np.array([-3, -1, 0, 1, 2, 3], dtype)
    (got,) = run(lambda x: [perform(Binary(BinaryKind.POW, x, scalar(exponent, dtypes.as_dtype(dtype))))], x)
    expected = evaluate(Binary(BinaryKind.POW, from_host(x), from_host(np.array(exponent, dtype))))
    assert isinstance(expected, Concrete)
    same(got, expected.host)


@pytest.mark.parametrize("source", [dtype for dtype in dtypes.ALL if dtype in (*REAL, *INTEGERS)], ids=str)
def test_every_view(source: type[DType]) -> None:
    x = np.random.default_rng(0).integers(0, 256, (3, 16), np.uint8).view(source.dtype)  # NaNs of all kinds, too
    for target in (*REAL, *INTEGERS):
        (compiled,) = run(lambda x, to=target: [perform(Bitcast(to, x))], x)
        evaluated = evaluate(Bitcast(target, from_host(x)))
        assert isinstance(evaluated, Concrete)
        assert compiled.tobytes() == evaluated.host.tobytes() == x.tobytes()
        assert compiled.shape == evaluated.aval.shape == x.view(target.dtype).shape


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
    half = scalar(0.5, dtypes.float32)

    def f(x: Array) -> list[Array]:
        y = perform(Binary(BinaryKind.MAX, x, half))
        return [perform(Binary(BinaryKind.ADD, y, half)), half]

    module = emit(program(f, [X]), "f")
    assert module.text().count("stablehlo.constant") == 2  # one of the shape of x, one scalar
    assert "broadcast" not in module.text()
    got = run(f, X)
    same(got[0], np.maximum(X, F32.type(0.5)) + F32.type(0.5))
    assert got[1] == 0.5
