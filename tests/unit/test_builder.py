"""The StableHLO builder: reductions that it copies, functions, lines, and what goes wrong while it builds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from jaxlib.mlir import ir
from numpy.typing import NDArray

from lowering import pjrt
from lowering.stablehlo import context as c
from lowering.stablehlo.builder import Builder, Region
from lowering.stablehlo.context import Type, Value, tensor_type

F32 = np.dtype("float32")
F64 = np.dtype("float64")
I32 = np.dtype("int32")
I64 = np.dtype("int64")
BOOL = np.dtype("bool")

type Host = NDArray[np.generic]


def run(emit: Callable[[Builder, list[Value]], Sequence[Value]], *arguments: Host, outputs: Sequence[Host]) -> str:
    """Emits `main`, compiles and runs it, compares with `outputs`; the module's text."""
    device = pjrt.devices("cpu")[0]
    builder = Builder()
    parameters = builder.open_function("main", [tensor_type(a.shape, a.dtype) for a in arguments], public=True)
    builder.close_function(emit(builder, parameters))
    assert builder.verify() is None, builder.verify()
    kinds = [pjrt.buffer_type(o.shape, o.dtype) for o in outputs]
    compiled = pjrt.compile_module(pjrt.Compilation(builder.module, device, kinds))
    buffers = [pjrt.put(a, pjrt.buffer_type(a.shape, a.dtype), device) for a in arguments]
    for result, expected in zip(compiled.execute(buffers), outputs, strict=True):
        actual = pjrt.fetch(result)
        assert actual.dtype == expected.dtype and actual.shape == expected.shape
        np.testing.assert_allclose(actual.astype(F64), expected.astype(F64), rtol=1e-6)
    return builder.text()


def f32(*shape: int) -> Type:
    return tensor_type(shape, F32)


X = np.arange(6, dtype=F32).reshape(2, 3)
V = np.array([0.5, 1.5, 2.5], F32)


def test_reductions_of_one_kind_differ_in_their_lines_and_operands() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        zero, one = b.fill((), F32, 0), b.fill((), F32, 1)
        results: list[Value] = []
        for line in (1, 2):
            b.at("f.py", line)
            for x, start in ((args[0], zero), (args[1], one)):
                rows = b.reduce("stablehlo.add", f32(2), x, start, (1,))
                columns = b.reduce("stablehlo.maximum", f32(3), x, start, (0,))
                for value in (rows, columns):
                    assert isinstance(value.owner, ir.OpView)
                    assert value.owner.location == c.location("f.py", line)
                results += [rows, columns]
        return results

    y = X - 3
    expected = [X.sum(1), np.maximum(X.max(0), 0), y.sum(1) + 1, np.maximum(y.max(0), 1)]
    run(emit, X, y, outputs=expected * 2)


def test_a_reduction_is_no_copy_of_one_that_was_given_up() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        zero = b.fill((), F32, 0)

        def give_up(_: list[Value]) -> list[Value]:
            b.reduce("stablehlo.add", f32(2), args[0], zero, (1,))
            raise ValueError

        with pytest.raises(ValueError):
            b.ops("stablehlo.case", [f32(2)], [b.fill((), I32, 0)], None, [Region([], give_up)])
        return [b.reduce("stablehlo.add", f32(2), args[0], zero, (1,))]

    run(emit, X, outputs=[X.sum(1)])


def test_an_ill_formed_module_is_reported_in_words() -> None:
    builder = Builder()
    x, y = builder.open_function("main", [f32(3), f32(2)], public=True)
    builder.close_function([builder.op("stablehlo.add", f32(3), [x, y])])
    assert "stablehlo.add" in (builder.verify() or "")


def test_source_lines_are_kept() -> None:
    builder = Builder()
    (x,) = builder.open_function("main", [f32(3)], public=True)
    builder.at("model.py", 42)
    builder.close_function([builder.op("stablehlo.sine", f32(3), [x])])
    assert '"model.py":42' in builder.text(locations=True)
    assert b"model.py" in builder.bytecode()


def test_a_body_that_raises_leaves_the_builder_where_it_was() -> None:
    builder = Builder()
    (x,) = builder.open_function("main", [f32(3)], public=True)

    def body(_: list[Value]) -> list[Value]:
        raise KeyError("user")

    with pytest.raises(KeyError):
        builder.ops("stablehlo.case", [f32(3)], [builder.fill((), I32, 0)], None, [Region([], body)])
    builder.close_function([builder.op("stablehlo.sine", f32(3), [x])])
    assert builder.verify() is None and "stablehlo.case" not in builder.text()
