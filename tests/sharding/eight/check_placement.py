"""Arrays over a mesh: placed, read, moved, made of parts, and what cannot be."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, DeviceError, DTypeError, EffaxError, ShapeError, TreeError
from lowering import Mesh, Sharding, array_from_callback, devices, with_sharding_constraint
from lowering.backend import XlaBackend
from tests.errors.untyped import device_put, grad, jit, vmap

MESH: Final = Mesh({"a": 4, "b": 2})
BACKWARDS: Final = Mesh({"a": 4, "b": 2}, devices()[::-1])
X: Final[Any] = np.arange(64.0).reshape(8, 8)
SPECS: Final = [
    spec
    for spec in itertools.product((None, "a", "b", ("a", "b"), ("b", "a")), repeat=2)
    if not set(spec[0] or ()) & set(spec[1] or ())
]


@pytest.mark.parametrize("mesh", [MESH, BACKWARDS])
def test_every_cut_is_placed_read_and_moved(mesh: Mesh) -> None:
    start = device_put(X, mesh.sharding("a", "b"))
    for spec in SPECS:
        sharding = mesh.sharding(*spec)
        for x in (
            device_put(X, sharding),
            device_put(start, sharding),
            array_from_callback((8, 8), sharding, X.__getitem__),
        ):
            assert x.sharding == sharding and x.shape == (8, 8) and x.dtype is fx.float64
            assert np.array_equal(np.asarray(x), X)
            assert [shard.device for shard in x.shards] == list(mesh.devices)
            for shard in x.shards:
                assert np.array_equal(np.asarray(shard.block), X[shard.index]) and shard.block.device == shard.device


def test_regions_are_row_major_in_the_order_of_the_axes() -> None:
    """Against positions worked out by hand: device 2i + j stands at a=i, b=j."""
    x = device_put(np.arange(8), MESH.sharding(("b", "a")))
    assert [int(shard.block[0]) for shard in x.shards] == [4 * j + i for i in range(4) for j in range(2)]
    y = device_put(np.arange(8), MESH.sharding(("a", "b")))
    assert [int(shard.block[0]) for shard in y.shards] == list(range(8))
    z = device_put(np.arange(8), BACKWARDS.sharding("a"))
    assert [(s.device, s.block.tolist()) for s in z.shards][:3] == [
        ("cpu:7", [0, 1]),
        ("cpu:6", [0, 1]),
        ("cpu:5", [2, 3]),
    ]


def test_other_meshes_and_devices() -> None:
    x = device_put(X, MESH.sharding("a"))
    line = Mesh({"c": 8})
    assert device_put(x, line.sharding("c")).sharding == line.sharding("c")
    pair = Mesh({"c": 2}, ["cpu:5", "cpu:1"])
    assert [shard.device for shard in device_put(x, pair.sharding("c")).shards] == ["cpu:5", "cpu:1"]
    assert device_put(x, "cpu:3").device == "cpu:3" and np.array_equal(device_put(x, "cpu:3"), X)
    assert device_put(device_put(X, "cpu:3"), MESH.sharding("a")).sharding == x.sharding
    alone = fx.ones(2, device="cpu:4")
    assert alone.sharding == Mesh({}, ["cpu:4"]).sharding() and alone.shards[0].device == "cpu:4"
    assert np.array_equal(x.to_device(MESH.sharding("b")), X)
    tree = device_put({"w": X, "b": [1.0, X[0]]}, MESH.sharding())
    assert tree["w"].sharding == tree["b"][0].sharding == MESH.sharding()


def test_moves_between_meshes_of_the_same_devices_stay_on_them(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Over every other mesh, in any order of the devices, without reading the array here or a word of XLA."""
    mixed = [devices()[i] for i in (3, 0, 6, 5, 1, 7, 2, 4)]
    cube, line, turned = Mesh({"x": 2, "y": 2, "z": 2}), Mesh({"c": 8}, mixed), Mesh({"b": 2, "a": 4}, mixed[::-1])
    cuts = [
        MESH.sharding("b", "a"),
        cube.sharding(("z", "x"), "y"),
        line.sharding(None, "c"),
        line.sharding(),
        turned.sharding("a"),
        turned.sharding(None, ("a", "b")),
        BACKWARDS.sharding("a", "b"),
    ]
    placed = [device_put(X, cut) for cut in cuts]
    monkeypatch.setattr(XlaBackend, "fetch", lambda self, array: pytest.fail("it was read"))
    pairs = [(x, cuts[(i + by) % len(cuts)]) for by in (1, 3) for i, x in enumerate(placed)]
    moved = [device_put(x, cut) for x, cut in pairs]
    assert "not expected" not in capfd.readouterr().err
    monkeypatch.undo()
    for x, (_, cut) in zip(moved, pairs, strict=True):
        assert x.sharding == cut and [shard.device for shard in x.shards] == list(cut.mesh.devices)
        assert all([np.array_equal(shard.block, X[shard.index]) for shard in x.shards])
        assert np.array_equal(x, X) and np.array_equal(x * 2 + device_put(X, cut), 3 * X)
    empty = device_put(device_put(np.ones((0, 8)), MESH.sharding("a")), line.sharding("c"))
    assert empty.shape == (0, 8) and device_put(empty, cube.sharding()).sharding == cube.sharding()


@pytest.mark.parametrize("put", [device_put, with_sharding_constraint])
@pytest.mark.parametrize("target", [BACKWARDS.sharding("b"), MESH.sharding(None, "b"), Mesh({}, ["cpu:5"]).sharding()])
@pytest.mark.parametrize("start", [MESH.sharding("a"), "cpu:3", "cpu:5"])
def test_a_cotangent_goes_back_to_where_the_array_was(start: Any, target: Sharding, put: Any) -> None:
    x = device_put(X, start)
    whole = target.mesh.sharding()
    slope = grad(lambda x: fx.sum(put(x, target) ** 2) + device_put(fx.sum(x * 3), whole))(x)
    assert np.array_equal(slope, 2 * X + 3) and slope.sharding.mesh == x.sharding.mesh
    assert np.array_equal(x - slope, -X - 3)  # so a step is taken there
    inside = grad(lambda x: fx.sum(vmap(lambda row: put(row, whole) ** 2)(x)))(x)
    assert np.array_equal(inside, 2 * X)


def test_trees_of_places() -> None:
    tree = {"a": X, "b": (X, X[0])}
    rows = MESH.sharding("a")
    moved = device_put(tree, {"a": rows, "b": (MESH.sharding(None, "b"), "cpu:3")})
    assert moved["a"].sharding == rows and moved["b"][0].sharding == MESH.sharding(None, "b")
    assert moved["b"][1].device == "cpu:3" and np.array_equal(moved["a"], X)
    some = device_put(tree, {"a": rows, "b": None})
    assert some["b"][1].device == "cpu:0" and some["a"].sharding == rows
    with pytest.raises(TreeError, match=r"device_put: device .* structure differs at the top: \['c'\] is missing"):
        device_put(tree, {"a": rows, "c": rows})
    with pytest.raises(ShapeError, match=r"tree\['b'\]\[1\] has shape \[8\]"):
        device_put(tree, {"a": None, "b": MESH.sharding("a", "b")})
    with pytest.raises(DeviceError, match="or a tree of them, got Mesh"):
        device_put(tree, {"a": rows, "b": MESH})


def test_every_dtype() -> None:
    for dtype in (
        "bool",
        "int8",
        "uint64",
        "float16",
        "bfloat16",
        "float8_e4m3fn",
        "float32",
        "complex64",
        "complex128",
    ):
        host = fx.asarray(np.arange(8) % 3).astype(dtype)
        x = device_put(host, MESH.sharding("a"))
        assert x.dtype is host.dtype and fx.all(fx.asarray(np.asarray(x)) == host)
        assert fx.all(device_put(x, MESH.sharding(("b", "a"))) == x)


def test_scalars_and_nothing() -> None:
    assert device_put(2.0, MESH.sharding()).item() == 2.0
    empty = device_put(np.zeros((0, 3)), MESH.sharding("a"))
    assert empty.shape == (0, 3) and (empty + 1).shape == (0, 3) and empty.shards[0].block.shape == (0, 3)


def test_axes_of_size_1_cut_nothing() -> None:
    """Programs written for two axes run where one of them is of size 1."""
    mesh = Mesh({"a": 8, "one": 1})
    for spec in ((None, "one"), ("one",), ("a", "one"), (("one", "a"),), ("one", "a")):
        sharding = mesh.sharding(*spec)
        plain = mesh.sharding(*[tuple(set(names) - {"one"}) for names in sharding.names(2)])
        assert sharding == plain and hash(sharding) == hash(plain) and sharding.replicated == (not plain.spec)
        x, f = device_put(X, sharding), jit(lambda x, to=sharding: with_sharding_constraint(x + 1, to))
        for given in (x, f(x), device_put(X, plain), f(X)):
            assert np.array_equal(f(given), np.asarray(given) + 1) and f(given).sharding == plain


def test_values() -> None:
    again = Mesh({"a": 4, "b": 2})
    assert again == MESH and hash(again) == hash(MESH) and BACKWARDS != MESH and Mesh({"b": 2, "a": 4}) != MESH
    assert again.sharding("a", None) == MESH.sharding(("a",)) != MESH.sharding(None, "a")
    for value in (MESH, BACKWARDS.sharding("a")):
        assert pickle.loads(pickle.dumps(value)) == value
    assert repr(MESH.sharding("a", None, ("b",))) == "Mesh(a=4, b=2).sharding('a', None, 'b')"
    x = device_put(X, MESH.sharding("a"))
    assert copy.copy(x).sharding == x.sharding and np.array_equal(pickle.loads(pickle.dumps(x)), X)
    assert repr(device_put(np.arange(2.0), MESH.sharding())) == "Array([0., 1.], float64)"


def test_memory_is_not_shared() -> None:
    host = np.arange(8.0)
    x = device_put(host, MESH.sharding("a"))
    y = array_from_callback(8, MESH.sharding("a"), host.__getitem__)
    host[:] = -1
    assert x.tolist() == y.tolist() == list(range(8))
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(x)[0] = 3.0


def part(index: Any) -> Any:
    return X[index]


REFUSED: Final[dict[str, tuple[type[EffaxError], Callable[[], object], str]]] = {
    "sizes": (
        DeviceError,
        lambda: Mesh({"a": 3}),
        "a=3 needs 3 devices, but there are 8; name its devices",
    ),
    "too many": (DeviceError, lambda: Mesh({"a": 4, "b": 4}), "a=4 · b=4 needs 16 devices, but there are 8"),
    "twice": (DeviceError, lambda: Mesh({"a": 2}, ["cpu:0", "cpu:0"]), "the device cpu:0 appears twice"),
    "no device": (DeviceError, lambda: Mesh({"a": 1}, ["cpu:9"]), "there is no device cpu:9; there are cpu:0"),
    "devices that are given": (
        DeviceError,
        lambda: Mesh({"a": 2}, devices()),
        "a=2 needs 2 devices, but devices has 8; the sizes of the axes multiply to the number of devices",
    ),
    "more than there are": (DeviceError, lambda: Mesh({"a": 16}), "EFFAX_CPU_DEVICES=16 gives one process this many"),
    "which device": (DeviceError, lambda: Mesh({"a": 2}, ["cpu:0", "gpu:0"]), "Mesh: devices[1]: there is no platform"),
    "a size that is no int": (ArgumentError, lambda: Mesh({"a": 8.0}), "axes['a'] must be an int, got 8.0"),  # type: ignore[dict-item]  # refused
    "no rank": (ArgumentError, lambda: MESH.sharding("a").names("x"), "ndim must be an int"),  # type: ignore[arg-type]  # refused
    "a place in a tree": (
        DeviceError,
        lambda: device_put((X, X), (MESH.sharding(), "cpu:99")),
        "device_put: device[1] must be one of devices()",
    ),
    "a negative shape": (
        ShapeError,
        lambda: array_from_callback(-8, MESH.sharding("a"), lambda index: X[0]),
        "array_from_callback: dimension -8 is negative in shape [-8]",
    ),
    "an axis of size 0": (ArgumentError, lambda: Mesh({"a": 0}), "axes['a'] must be a positive int, got 0"),
    "axes": (ArgumentError, lambda: Mesh([4]), "axes must be a dict of names and sizes"),  # type: ignore[arg-type]  # refused
    "devices": (ArgumentError, lambda: Mesh({"a": 1}, 3), "devices must be a sequence of devices"),  # type: ignore[arg-type]  # refused
    "unknown axis": (ArgumentError, lambda: MESH.sharding("c"), "no axis 'c' to split dimension 0; its axes: 'a', 'b'"),
    "axis twice": (ArgumentError, lambda: MESH.sharding("a", "a"), "the axis 'a' splits dimensions 0 and 1"),
    "axis twice in one": (ArgumentError, lambda: MESH.sharding(("a", "a")), "the axis 'a' splits dimension 0 twice"),
    "an entry": (ArgumentError, lambda: MESH.sharding(3), "spec[0] must be a name of an axis"),  # type: ignore[arg-type]  # refused
    "rank": (ShapeError, lambda: device_put(X, MESH.sharding(None, None, "a")), "tree has shape [8, 8]"),
    "uneven": (ShapeError, lambda: device_put({"w": np.ones(10)}, MESH.sharding("a")), "of tree['w'], of shape [10]"),
    "in parts": (ShapeError, lambda: device_put(np.ones(6), MESH.sharding(("a", "b"))), "into 8 equal parts"),
    "nowhere": (
        DeviceError,
        lambda: device_put(X, {"a": 3}),
        "one of devices(), its name such as 'cpu:0', or a sharding",
    ),
    "axes for a place": (
        DeviceError,
        lambda: device_put(X, ("a", None)),
        "to shard an array, write mesh.sharding('a', None)",
    ),
    "an axis": (DeviceError, lambda: device_put({"w": X}, {"w": "b"}), "to shard an array, write mesh.sharding('b')"),
    "a mesh": (DeviceError, lambda: device_put(X, MESH), "got Mesh(a=4, b=2); to shard an array, write"),
    "no shape": (ArgumentError, lambda: MESH.sharding("a").block(8.0), "shape must be"),  # type: ignore[arg-type]  # refused
    "no sizes": (ArgumentError, lambda: MESH.sharding("a").regions(("a",)), "shape must be"),  # type: ignore[arg-type]  # refused
    "no axes": (ArgumentError, lambda: MESH.parts("ac"), "names must be a tuple of axes of Mesh(a=4, b=2)"),  # type: ignore[arg-type]  # refused
    "mixed": (DeviceError, lambda: device_put(X, MESH.sharding("a")) + device_put(X, "cpu:1"), "operand 1 is on cpu:1"),
    "meshes": (
        DeviceError,
        lambda: device_put(X, MESH.sharding("a")) + device_put(X, BACKWARDS.sharding("a")),
        "move one of them with device_put",
    ),
    "a part's shape": (
        ShapeError,
        lambda: array_from_callback(8, MESH.sharding("a"), lambda index: X[0]),
        "has the shape [8], and that of its index is [2]",
    ),
    "parts' dtypes": (
        DTypeError,
        lambda: array_from_callback(
            8, MESH.sharding("a"), lambda index: np.ones(2, "float32" if index[0].start else "int32")
        ),
        "parts have the dtypes int32, float32",
    ),
    "no sharding": (ArgumentError, lambda: array_from_callback(8, MESH, part), "sharding must be a Sharding"),  # type: ignore[arg-type]  # refused
    "a mesh alone": (ArgumentError, lambda: Sharding("a", ("a",)), "mesh must be a Mesh"),  # type: ignore[arg-type]  # refused
    "in a program": (ArgumentError, lambda: jit(lambda x: x.shards)(X), "x.shards needs the value"),
}


def test_meshes_are_values() -> None:
    """Nobody changes what others hold, and equal ones, also of NumPy's sizes, are one."""
    with pytest.raises(TypeError):
        MESH.axes["c"] = 1  # type: ignore[index]  # refused
    four: Any = np.int64(4)
    mesh, shape = Mesh({"a": four, "b": 2}), cast(Any, 8)
    assert mesh == MESH == pickle.loads(pickle.dumps(MESH)) == copy.deepcopy(MESH) and type(mesh.axes["a"]) is int
    assert MESH.sharding("a").regions(shape)[2 * 2] == (slice(4, 6),)


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    kind, call, words = REFUSED[name]
    with pytest.raises(EffaxError) as caught:
        call()
    if name != "in a program":
        assert isinstance(caught.value, kind)
    assert words in str(caught.value), caught.value
