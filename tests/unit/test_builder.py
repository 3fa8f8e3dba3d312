"""The StableHLO builder: every kind of operation that the lowering rules are made of, compiled and run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

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
    compiled = pjrt.compile_module(builder.module, device, kinds)
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


def test_reduce() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        zero = b.fill((), F32, 0)
        add = Region([f32(), f32()], lambda pair: [b.op("stablehlo.add", f32(), pair)])
        return b.ops("stablehlo.reduce", [f32(2)], [args[0], zero], {"dimensions": c.i64s((1,))}, [add])

    run(emit, X, outputs=[X.sum(1)])


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


def test_reduce_of_two_operands_gives_argmax() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        index = b.op("stablehlo.iota", tensor_type((2, 3), I64), [], {"iota_dimension": c.i64(1)})
        scalars = [f32(), tensor_type((), I64)]
        bit = tensor_type((), BOOL)

        def later(v: list[Value]) -> list[Value]:
            greater = {"comparison_direction": c.comparison_direction("GT"), "compare_type": c.comparison_type(F32)}
            wins = b.op("stablehlo.compare", bit, [v[0], v[2]], greater)
            return [b.op("stablehlo.select", s, [wins, v[i], v[i + 2]]) for i, s in enumerate(scalars)]

        start = [b.fill((), F32, -np.inf), b.fill((), I64, 0)]
        results = [f32(2), tensor_type((2,), I64)]
        region = Region(scalars * 2, later)
        return b.ops("stablehlo.reduce", results, [args[0], index, *start], {"dimensions": c.i64s((1,))}, [region])

    x = np.array([[1, 9, 3], [7, 2, 5]], F32)
    run(emit, x, outputs=[x.max(1), x.argmax(1)])


def test_dot_general_with_a_batch() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        attributes = {
            "dot_dimension_numbers": c.dot_dimensions((0,), (0,), (2,), (1,)),
            "precision_config": c.array((c.parsed("#stablehlo<precision HIGHEST>"),) * 2),
        }
        return [b.op("stablehlo.dot_general", f32(2, 2, 2), args, attributes)]

    a = np.arange(12, dtype=F32).reshape(2, 2, 3)
    d = np.arange(12, dtype=F32).reshape(2, 3, 2)
    run(emit, a, d, outputs=[a @ d])


def test_gather_rows() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        numbers = c.gather_dimensions(offset=(1,), collapsed=(0,), start_index_map=(0,), index_vector_dim=1)
        attributes = {
            "dimension_numbers": numbers,
            "slice_sizes": c.i64s((1, 3)),
            "indices_are_sorted": c.boolean(False),
        }
        return [b.op("stablehlo.gather", f32(3, 3), args, attributes)]

    rows = np.array([[1], [0], [1]], I32)
    run(emit, X, rows, outputs=[X[[1, 0, 1]]])


def test_scatter_add() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        numbers = c.scatter_dimensions(
            update_window=(1,), inserted_window=(0,), scattered_to_operand=(0,), index_vector_dim=1
        )
        attributes = {
            "scatter_dimension_numbers": numbers,
            "indices_are_sorted": c.boolean(False),
            "unique_indices": c.boolean(False),
        }
        add = Region([f32(), f32()], lambda pair: [b.op("stablehlo.add", f32(), pair)])
        return b.ops("stablehlo.scatter", [f32(2, 3)], args, attributes, [add])

    rows = np.array([[1], [1]], I32)
    run(emit, X, rows, X, outputs=[X + np.array([[0, 0, 0], [3, 5, 7]], F32)])


def test_static_and_dynamic_slices() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        x, row, column = args
        cut = {"start_indices": c.i64s((0, 1)), "limit_indices": c.i64s((2, 3)), "strides": c.i64s((1, 1))}
        fixed = b.op("stablehlo.slice", f32(2, 2), [x], cut)
        moved = b.op("stablehlo.dynamic_slice", f32(1, 2), [x, row, column], {"slice_sizes": c.i64s((1, 2))})
        placed = b.op("stablehlo.dynamic_update_slice", f32(2, 3), [x, moved, column, column])
        return [fixed, moved, placed]

    index = [np.array(1, I32), np.array(0, I32)]
    run(emit, X, *index, outputs=[X[:, 1:], X[1:, :2], np.array([[3, 4, 2], [3, 4, 5]], F32)])


def test_case_with_captured_values() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        index, x = args

        def branch(op: str) -> Region:
            return Region([], lambda _: [b.op(op, f32(3), [x])])

        branches = [branch("stablehlo.sine"), branch("stablehlo.cosine")]
        return b.ops("stablehlo.case", [f32(3)], [index], None, branches)

    run(emit, np.array(0, I32), V, outputs=[np.sin(V)])
    run(emit, np.array(1, I32), V, outputs=[np.cos(V)])


def test_while() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        carry = [f32(), tensor_type((), I32)]

        def condition(v: list[Value]) -> list[Value]:
            less = {"comparison_direction": c.comparison_direction("LT"), "compare_type": c.comparison_type(I32)}
            return [b.op("stablehlo.compare", tensor_type((), BOOL), [v[1], b.fill((), I32, 5)], less)]

        def body(v: list[Value]) -> list[Value]:
            one = b.fill((), I32, 1)
            return [b.op("stablehlo.add", carry[0], [v[0], v[0]]), b.op("stablehlo.add", carry[1], [v[1], one])]

        regions = [Region(carry, condition), Region(carry, body)]
        return b.ops("stablehlo.while", carry, [args[0], b.fill((), I32, 0)], None, regions)[:1]

    run(emit, np.array(1.5, F32), outputs=[np.array(48, F32)])


def test_shape_operations() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        (x,) = args
        padding = {
            "edge_padding_low": c.i64s((0, 1)),
            "edge_padding_high": c.i64s((1, 0)),
            "interior_padding": c.i64s((0, 0)),
        }
        return [
            b.op("stablehlo.pad", f32(3, 4), [x, b.fill((), F32, 7)], padding),
            b.op("stablehlo.broadcast_in_dim", f32(2, 4, 3), [x], {"broadcast_dimensions": c.i64s((0, 2))}),
            b.op("stablehlo.transpose", f32(3, 2), [x], {"permutation": c.i64s((1, 0))}),
            b.op("stablehlo.reshape", f32(6), [x]),
            b.op("stablehlo.reverse", f32(2, 3), [x], {"dimensions": c.i64s((0,))}),
            b.op("stablehlo.concatenate", f32(4, 3), [x, x], {"dimension": c.i64(0)}),
            b.op("stablehlo.convert", tensor_type((2, 3), I32), [x]),
        ]

    padded = np.pad(X, ((0, 1), (1, 0)), constant_values=7)
    wide = np.broadcast_to(X[:, None], (2, 4, 3))
    run(emit, X, outputs=[padded, wide, X.T, X.reshape(6), X[::-1], np.concatenate([X, X]), X.astype(I32)])


def test_sort_with_a_comparator() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        less = {
            "comparison_direction": c.comparison_direction("LT"),
            "compare_type": c.parsed("#stablehlo<comparison_type TOTALORDER>"),
        }
        before = Region([f32(), f32()], lambda v: [b.op("stablehlo.compare", tensor_type((), BOOL), v, less)])
        attributes = {"dimension": c.i64(1), "is_stable": c.boolean(True)}
        return b.ops("stablehlo.sort", [f32(2, 3)], args, attributes, [before])

    x = np.array([[3, 1, 2], [9, 8, 7]], F32)
    run(emit, x, outputs=[np.sort(x, 1)])


def test_chlo_operations_compile_as_they_are() -> None:
    v = np.array([0.1, 0.5, 0.9])
    h = 1e-5
    expected = {
        "erf": [math.erf(x) for x in v],
        "erf_inv": [NormalDist().inv_cdf((x + 1) / 2) / math.sqrt(2) for x in v],
        "lgamma": [math.lgamma(x) for x in v],
        "digamma": [(math.lgamma(x + h) - math.lgamma(x - h)) / (2 * h) for x in v],
        "asin": np.arcsin(v),
        "sinh": np.sinh(v),
    }

    def emit(b: Builder, args: list[Value]) -> list[Value]:
        return [b.op(f"chlo.{name}", tensor_type((3,), F64), args) for name in expected]

    assert "chlo.lgamma" in run(emit, v, outputs=[np.array(values) for values in expected.values()])


@pytest.mark.parametrize("name", ["acos", "acosh", "asinh", "atan", "atanh", "cosh", "tan", "erfc"])
def test_chlo_functions_exist(name: str) -> None:
    device = pjrt.devices("cpu")[0]
    builder = Builder()
    parameters = builder.open_function("main", [f32(3)], public=True)
    builder.close_function([builder.op(f"chlo.{name}", f32(3), parameters)])
    pjrt.compile_module(builder.module, device, [pjrt.buffer_type((3,), F32)])


def test_functions_call_each_other_and_nest() -> None:
    def emit(b: Builder, args: list[Value]) -> list[Value]:
        (inner,) = b.open_function("inner", [f32(3)])
        b.close_function([b.op("stablehlo.sine", f32(3), [inner])])
        (first,) = b.call("inner", [f32(3)], args)
        return b.call("inner", [f32(3)], [first])

    text = run(emit, V, outputs=[np.sin(np.sin(V))])
    assert text.count("func.func private @inner") == 1 and text.count("call @inner") == 2


def test_a_thousand_nested_functions_need_no_recursion() -> None:
    builder = Builder()
    depth = 1000
    parameters = [builder.open_function("main" if i == 0 else f"f{i}", [f32()], public=i == 0)[0] for i in range(depth)]
    results = [builder.op("stablehlo.sine", f32(), [parameters[-1]])]
    for i in reversed(range(depth)):
        builder.close_function(results)
        if i:
            results = builder.call(f"f{i}", [f32()], [parameters[i - 1]])
    assert builder.verify() is None
    assert builder.text().count("call @") == depth - 1


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
