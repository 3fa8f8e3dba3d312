"""What is seen of a program before it runs: who holds what, what devices tell each other, the memory of each."""

from __future__ import annotations

import inspect
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from handlers import all_gather, pmean, ppermute, psum, psum_scatter, shard_map
from lowering import Mesh, collectives
from lowering.reports.collectives import _groups
from tests.errors.untyped import device_put, grad, jit, lowering, scan

MESH: Final = Mesh({"a": 4, "b": 2})
X: Final[Any] = np.ones((8, 4))


def _line(f: Any, words: str) -> int:
    lines, first = inspect.getsourcelines(f)
    return first + next(i for i, line in enumerate(lines) if words in line)


def exchange(x: Any) -> Any:
    y = scan(lambda c, _: (fx.sin(ppermute(c, "a", [(0, 1), (1, 0)])), None), x, length=3)[0]
    z = all_gather(y, "b")
    return psum_scatter(fx.sum(fx.cos(z), axis=0), "a", scatter_dimension=1, tiled=True)


def test_collectives_of_a_program_over_blocks() -> None:
    f = jit(shard_map(exchange, MESH, MESH.sharding("a", None), MESH.sharding(None, "a")))
    table = collectives(f.lower(X.astype("float32")))
    assert len(table) == 3
    by_kind = {row.kind: row for row in table}
    permute, gather, scatter = by_kind["collective-permute"], by_kind["all-gather"], by_kind["reduce-scatter"]
    assert permute.looped and not gather.looped and not scatter.looped
    assert (permute.axes, gather.axes, scatter.axes) == (("a",), ("b",), ("a",))
    assert (permute.bytes, gather.bytes, scatter.bytes) == (32, 64, 8) and table.bytes == 104
    assert permute.types == ("f32[2,4]",)
    assert {row.file for row in table} == {__file__}
    assert permute.line == _line(exchange, "ppermute") and gather.line == _line(exchange, "all_gather")
    assert scatter.line in (_line(exchange, "return"), _line(exchange, "fx.sum(fx.cos"))
    assert "all-gather  f32[2,2,4]  64 bytes  along 'b'  at" in str(table) and "in a loop" in str(table)


def test_what_the_partitioner_put_in() -> None:
    def layer(x: Any, w: Any) -> Any:
        hidden = fx.tanh(x @ w)
        return hidden @ w.T

    x, w = device_put(X, MESH.sharding("a")), device_put(np.ones((4, 6)), MESH.sharding(None, "b"))
    (row,) = collectives(jit(layer).lower(x, w).compile())
    assert (row.kind, row.axes, row.bytes) == ("all-reduce", ("b",), 64)
    assert row.line == _line(layer, "w.T") and row.file == __file__
    assert len(collectives(jit(layer).lower(X, np.ones((4, 6))))) == 0


@pytest.mark.parametrize("names", [("a", "b", "c"), ("it's", "\\", '2]"{')])
def test_axes_of_what_the_partitioner_put_in(names: tuple[str, str, str]) -> None:
    """Along those that cut what is summed, whatever they are called."""
    a, b, c = names
    mesh, total = Mesh(dict.fromkeys(names, 2)), jit(lambda x: fx.sum(x, axis=0))
    for cut in ((a,), (b,), (c,), (a, b), (b, c), (c, a), (c, b, a)):
        for other in {a, b, c, None}.difference(cut):
            (row,) = collectives(total.lower(device_put(X, mesh.sharding(cut, other))))
            assert row.kind == "all-reduce" and set(row.axes or ()) == set(cut)
    over = shard_map(lambda x: psum(x, c), mesh, mesh.sharding(c, a), mesh.sharding(None, a))
    np.testing.assert_array_equal(np.asarray(jit(over)(X)), 2 * X[:4])
    assert [row.axes for row in collectives(jit(over).lower(X))] == [(c,)]


@pytest.mark.parametrize(
    ("told", "groups"),
    [
        ("{{0,2},{1,3}}", [[0, 2], [1, 3]]),
        ("[2,4]<=[4,2]T(1,0)", [[0, 2, 4, 6], [1, 3, 5, 7]]),
        ("mesh['a'=4,'b'=2] {'b'}", [[0, 1], [2, 3], [4, 5], [6, 7]]),
        ("mesh['a'=4,'b'=2] {'a':(1)2}", [[0, 4], [1, 5], [2, 6], [3, 7]]),
        ("mesh['a'=4,'b'=2] {'b','a':(2)2}", [[0, 1, 2, 3], [4, 5, 6, 7]]),
    ],
)
def test_groups_of_devices(told: str, groups: list[list[int]]) -> None:
    assert _groups(told) == groups


def test_gradients_over_both_axes() -> None:
    def loss(w: Any, x: Any) -> Any:
        return pmean(fx.mean(fx.tanh(x @ w)), ("a", "b"))

    f = jit(grad(shard_map(loss, MESH, (None, MESH.sharding(("a", "b"))), None)))
    (row,) = collectives(f.lower(np.ones((4,)), X))
    assert row.kind == "all-reduce" and row.axes == ("a", "b") and row.bytes == 32


def test_memory_is_that_of_each_device() -> None:
    double = jit(lambda x: x * 2)
    whole, cut = double.lower(X).compile(), double.lower(device_put(X, MESH.sharding("a", "b"))).compile()
    assert cut.memory_analysis().arguments == X.nbytes // 8 and cut.memory_analysis().outputs == X.nbytes // 8
    assert whole.memory_analysis().arguments == X.nbytes
    assert cut.cost_analysis()["flops"] == whole.cost_analysis()["flops"] / 8


@pytest.mark.parametrize(
    ("spec", "drawn"),
    [
        (("a",), ["cpu:0, cpu:1", "cpu:2, cpu:3", "cpu:4, cpu:5", "cpu:6, cpu:7"]),
        ((None, "b"), ["cpu:0, cpu:2, cpu:4, cpu:6 | cpu:1, cpu:3, cpu:5, cpu:7"]),
        (("a", "b"), ["cpu:0 | cpu:1", "cpu:2 | cpu:3", "cpu:4 | cpu:5", "cpu:6 | cpu:7"]),
        (("b", None, "a"), ["cpu:0 | cpu:2 | cpu:4 | cpu:6", "cpu:1 | cpu:3 | cpu:5 | cpu:7"]),
        ((), ["cpu:0, cpu:1, cpu:2, cpu:3, cpu:4, cpu:5, cpu:6, cpu:7"]),
    ],
)
def test_who_holds_what(spec: tuple[Any, ...], drawn: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lowering.visualize(MESH.sharding(*spec))
    title, *lines = capsys.readouterr().out.splitlines()
    assert title == repr(MESH.sharding(*spec))
    assert [line.strip("| ") for line in lines if "cpu" in line] == drawn
    if len(spec) == 2:
        lowering.visualize(device_put(X, MESH.sharding(*spec)))
        assert capsys.readouterr().out.splitlines() == [title, *lines]
