"""Constants and types of StableHLO programs."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from lowering import pjrt
from lowering.stablehlo import context as c
from lowering.stablehlo.builder import Builder
from lowering.stablehlo.context import tensor_type

F32 = np.dtype("float32")
F64 = np.dtype("float64")
ELEMENTS = ["bool", "int8", "int64", "uint8", "uint16", "float16", "float32", "float64", "complex64", "complex128"]
SMALL = [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]


@pytest.mark.parametrize("dtype", [*map(np.dtype, ELEMENTS), *map(np.dtype, SMALL)], ids=str)
@pytest.mark.parametrize(
    "values", [0, 1, [1, 0, 1], [[1, 1], [1, 1]], [0] * 9, [0] * 8 + [1], np.zeros((0, 2))], ids=repr
)
def test_constants_of_every_dtype(dtype: np.dtype[np.generic], values: object) -> None:
    host = np.array(values).astype(dtype)
    builder = Builder()
    builder.open_function("main", [], public=True)
    builder.close_function([builder.constant(host), builder.fill(host.shape, dtype, 1)])
    device, kind = pjrt.devices("cpu")[0], pjrt.buffer_type(host.shape, dtype)
    constant, ones = pjrt.compile_module(pjrt.Compilation(builder.module, device, [kind, kind])).execute([])
    assert (pjrt.fetch(constant) == host).all()
    assert (pjrt.fetch(ones) == np.ones(host.shape, dtype)).all()


def test_constants_keep_the_sign_of_zero_and_nan() -> None:
    values = np.array([-0.0, -0.0], F64)
    builder = Builder()
    builder.open_function("main", [], public=True)
    builder.close_function([builder.constant(values), builder.fill((), F64, np.nan)])
    kinds = [pjrt.buffer_type((2,), F64), pjrt.buffer_type((), F64)]
    zeros, nan = pjrt.compile_module(pjrt.Compilation(builder.module, pjrt.devices("cpu")[0], kinds)).execute([])
    assert (pjrt.fetch(zeros) == 0).all() and np.signbit(pjrt.fetch(zeros)).all()
    assert np.isnan(pjrt.fetch(nan))
    assert str(c.dense(values)) == "dense<-0.000000e+00> : tensor<2xf64>"


def test_a_large_constant_is_refused_unless_it_is_uniform() -> None:
    builder = Builder()
    builder.open_function("main", [], public=True)
    with pytest.raises(ValueError, match="5000 elements is too large to be part of a program"):
        builder.constant(np.arange(5000))
    builder.constant(np.ones(5000))


@pytest.mark.parametrize("dtype", ["datetime64[s]", "U3", "O", "float128"])
def test_a_dtype_without_an_element_type_is_refused(dtype: str) -> None:
    with pytest.raises(TypeError, match="XLA has no element type for the dtype"):
        c.element_type(np.dtype(dtype))


def test_types_and_attributes_are_cached() -> None:
    assert tensor_type((2, 3), F32) is tensor_type((2, 3), F32)
    assert c.i64s((1, 2)) is c.i64s((1, 2))
