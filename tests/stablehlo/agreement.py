"""Operations and programs lowered to StableHLO and run by XLA against their evaluation by NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import effects as fx
from effects import dtypes
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, Host, from_host
from effects.errors import EffaxError
from effects.operations.contraction import DotGeneral
from effects.operations.elementwise import Binary, BinaryKind, Clamp
from effects.operations.reduction import Reduce, ReduceKind
from effects.program.chain import perform
from effects.program.jaxpr import Jaxpr
from effects.program.operation import Operation
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType
from handlers.evaluate import evaluate
from handlers.stage import stage
from lowering import pjrt
from lowering.stablehlo import Module, emit

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
    executable = pjrt.compile_module(pjrt.Compilation(module.ir, device, types))
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
    got = run(lambda *xs: [one(perform(op.map(lambda i: xs[first + i]))) for op, first in shifted], *flat)  # noqa: B023
    for (op, hosts), result in zip(cases, got, strict=True):
        expected = evaluate(op.map(lambda i: from_host(hosts[i])))  # noqa: B023
        assert isinstance(expected, Concrete)
        what = f"{op.describe()} of {[h.dtype for h in hosts]}"
        same(result, np.asarray(expected.host), what, exact=exact)
        if not _gives_either_zero(op):
            same_zeros(result, np.asarray(expected.host), what)


def _gives_either_zero(op: Operation[int]) -> bool:
    """True if an operation may give any of the two zeros: an extreme of both, a sum that begins with 0."""
    extremes = (BinaryKind.MAX, BinaryKind.MIN, ReduceKind.MAX, ReduceKind.MIN)
    return isinstance(op, Clamp | DotGeneral) or (isinstance(op, Binary | Reduce) and op.kind in extremes)


def same_zeros(got: Host, expected: Host, what: str) -> None:
    """Assert that where both are zero, they are the same of the two zeros."""
    if expected.dtype.kind not in "biuc":
        a, b = got.astype(np.float64), expected.astype(np.float64)
        zeros = (a == 0) & (b == 0)
        np.testing.assert_array_equal(np.signbit(a[zeros]), np.signbit(b[zeros]), f"signs of zeros of {what}")


def one(result: Array | tuple[Array, ...]) -> Array:
    assert not isinstance(result, tuple)
    return result


def same(got: Host, expected: Host, what: str = "", *, exact: bool = False) -> None:
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape), what
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(got, expected, what)
        return
    size = expected.dtype.itemsize // (2 if expected.dtype.kind == "c" else 1)
    rtol = 0.0 if exact else {1: 0.13, 2: 1e-2, 4: 4e-6, 8: 7e-15}[size]
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
        ends = [limits.max, limits.min, limits.max - 1, limits.min + 1]
        return np.array([0, 1, 2, 3, 7, 8, 64, *ends, 31, 32, 63, 100], dtype.dtype)
    if issubclass(dtype, dtypes.Complex):
        return np.array([0, 1, -1, 1j, -1j, 0.5 + 0.3j, 2 - 3j, -0.7 + 0.2j, -4 - 1.5j], dtype.dtype)
    values = [0, 1, -1, 0.5, -0.5, 2, -3.25, 1.5, 2.5, -2.5, 0.75, 10, -40, np.inf, -np.inf, np.nan, 0.1, 300]
    far, near = float(fx.finfo(dtype).max), float(fx.finfo(dtype).smallest_normal)
    return rounded([*values, -0.0, far, -far, near, -near], dtype)


def cuts(dtype: type[DType]) -> Host:
    """Complex numbers on both sides of all branch cuts, near 0, large, and infinite."""
    real = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -3.0, 1e-9, 1e10, -1e10, np.inf)
    imaginary = (0.0, -0.0, 1.0, -1.0, 0.25, -2.0, 1e-9)
    return np.array([complex(a, b) for a in real for b in imaginary], dtype.dtype)


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
