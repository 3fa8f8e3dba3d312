"""What `shard_map` refuses, before anything is computed: errors that name the argument and the axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.errors import ArgumentError, DeviceError, EffaxError, MissingRule, ShapeError, TreeError, UnboundAxisError
from handlers import psum
from lowering import Mesh, devices
from tests.errors.untyped import device_put, grad, handlers, jit, lowering

shard_map = handlers.shard_map
MESH: Final = Mesh({"a": 4, "b": 2})
LINE: Final = Mesh({"data": 8})
X: Final[Any] = np.random.default_rng(0).normal(size=(8, 4))


@handlers.custom_jvp  # type: ignore[untyped-decorator]  # of what is untyped
def _wrong(x: Array) -> Array:
    return psum(x, "data")


_wrong.defjvp(lambda primals, tangents: (psum(primals[0], "data"), tangents[0]))


F: Final[Callable[[Any], Any]] = lambda x: x
REFUSED: Final[dict[str, tuple[type[EffaxError], Callable[[], object], str]]] = {
    "unknown axis": (
        ArgumentError,
        lambda: shard_map(F, MESH, "c", "a"),
        "in_specs names the axis 'c', which Mesh(a=4",
    ),
    "no spec": (ArgumentError, lambda: shard_map(F, MESH, "a", 3), "out_specs must be names of axes, shardings"),
    "no spec in a tree": (
        ArgumentError,
        lambda: shard_map(F, MESH, ({"w": 2},), "a"),
        "in_specs[0]['w'] must be names",
    ),
    "another mesh": (ArgumentError, lambda: shard_map(F, MESH, LINE.sharding("data"), "a"), "of another mesh than"),
    "no mesh": (ArgumentError, lambda: shard_map(F, {"a": 1}, "a", "a"), "mesh must be a Mesh"),
    "number of specs": (ArgumentError, lambda: shard_map(F, MESH, ("a", "b"), "a")(X), "in_specs has 2 entries but"),
    "specs of dimensions": (
        ArgumentError,
        lambda: shard_map(F, MESH, ("a", None, "b"), "a")(X),
        "called with 1 positional argument; an array split like this has one entry: "
        "in_specs=(mesh.sharding('a', None, 'b'),)",
    ),
    "number of specs by name": (ArgumentError, lambda: shard_map(F, MESH, (), "a")(x=X), "in_specs has 0 entries but"),
    "no array": (ArgumentError, lambda: shard_map(F, MESH, "a", "a")("text"), "argument x must be an array"),
    "rank": (
        ShapeError,
        lambda: shard_map(F, MESH, MESH.sharding(None, None, "a"), "a")(X),
        "argument x has shape [8, 4]",
    ),
    "sizes": (
        ShapeError,
        lambda: shard_map(lambda p: p["w"], MESH, "a", "a")({"w": np.ones((6, 2))}),
        "dimension 0 of argument p['w'], of shape [6, 2], cannot be split into 4 equal parts over 'a'",
    ),
    "structure": (TreeError, lambda: shard_map(F, MESH, {"x": "a"}, "a")(X), "does not fit the arguments"),
    "a tuple for dimensions": (
        TreeError,
        lambda: shard_map(F, MESH, ((None, "a"),), "a")(X),
        "for one array give a sharding, such as mesh.sharding(None, 'a')",
    ),
    "structure beside None": (
        TreeError,
        lambda: shard_map(lambda x, y: x, MESH, (None, {"b": "a"}), "a")(X, {"c": X}),
        "structure differs at [1]: ['b'] is missing",
    ),
    "structure of results": (TreeError, lambda: shard_map(F, MESH, "a", ("a", "b"))(X), "does not fit the result"),
    "rank of results": (
        ShapeError,
        lambda: shard_map(lambda x: {"l": fx.sum(x)}, MESH, "a", "a")(X),
        "splits dimension 0 of the result['l']",
    ),
    "differs": (
        ArgumentError,
        lambda: shard_map(F, MESH, "a", None)(X),
        "the result of <lambda>, blocks float64[2,4], differs",
    ),
    "differs in part": (
        ArgumentError,
        lambda: shard_map(lambda x: psum(x, "a"), MESH, MESH.sharding("a", "b"), None)(X),
        "differs between the devices along 'b'",
    ),
    "a tangent differs": (
        MissingRule,
        lambda: grad(lambda x: fx.sum(shard_map(_wrong, LINE, "data", None)(x)))(X),
        "differs between the devices along 'data'",
    ),
    "no such axis": (
        UnboundAxisError,
        lambda: shard_map(lambda x: psum(x, "z"), MESH, "a", "a")(X),
        "no axis is named 'z' here; the names in scope are 'a', 'b' (vmap(f, axis_name='z') names one, and shard_map",
    ),
    "constraint": (
        DeviceError,
        lambda: shard_map(lambda x: lowering.with_sharding_constraint(x, MESH.sharding("b")), MESH, "a", "a")(X),
        "runs on blocks, and with_sharding_constraint",
    ),
    "a constraint that blocks are too small for": (
        DeviceError,
        lambda: shard_map(lambda x: lowering.with_sharding_constraint(x, MESH.sharding("a")), MESH, "a", "a")(X),
        "float64[2,4], is a block in a shard_map over Mesh(a=4, b=2), and Mesh(a=4, b=2).sharding('a') shards a",
    ),
    "a block that is moved": (
        DeviceError,
        lambda: jit(
            shard_map(lambda x: fx.sum(device_put({"y": x[0]}, MESH.sharding(("a", "b")))["y"]), MESH, "a", "a")
        )(X),
        "device_put: tree['y'], float64[4], is a block",
    ),
    "what is cut by others is too small": (
        ShapeError,
        lambda: shard_map(
            lambda x: lowering.with_sharding_constraint(x[:1], MESH.sharding("b")), MESH, "a", "a", axis_names="a"
        )(X),
        "pad it to a multiple of 2",
    ),
    "device_put": (
        DeviceError,
        lambda: shard_map(jit(lambda x: device_put(x, "cpu:1")), MESH, "a", "a")(X),
        "runs on blocks, and device_put",
    ),
    "within": (
        ArgumentError,
        lambda: shard_map(lambda x: shard_map(F, MESH, "b", "b")(x), MESH, "a", "a")(X),
        "<lambda> is within one over 'a', 'b' of Mesh(a=4, b=2); a nested",
    ),
    "within along the same axis": (
        ArgumentError,
        lambda: shard_map(shard_map(F, MESH, "a", "a", axis_names="a"), MESH, "a", "a", axis_names="a")(X),
        "is within one over 'a' of",
    ),
    "within over another mesh": (
        ArgumentError,
        lambda: shard_map(shard_map(F, LINE, None, None), MESH, "a", "a", axis_names="a")(X),
        "<lambda> is over Mesh(data=8), within one over Mesh(a=4, b=2)",
    ),
    "no names": (ArgumentError, lambda: shard_map(F, MESH, "a", "a", axis_names=()), "axis_names must be the names"),
    "other names": (ArgumentError, lambda: shard_map(F, MESH, "a", "a", axis_names=["c"]), "axis_names names the axis"),
    "specs of others": (
        ArgumentError,
        lambda: shard_map(F, MESH, "a", MESH.sharding("a", "b"), axis_names="a")(X),
        "out_specs names the axis 'b', but the program is over blocks along 'a' only",
    ),
    "a constraint of its own axis": (
        DeviceError,
        lambda: shard_map(
            lambda x: lowering.with_sharding_constraint(x, MESH.sharding(None, "a")), MESH, "a", "a", axis_names="a"
        )(X),
        "runs on blocks, and with_sharding_constraint",
    ),
    "a callback among the partitioner's": (
        DeviceError,
        lambda: shard_map(lambda x: handlers.pure_callback(np.sin, x, x), MESH, "a", "a", axis_names="a")(X),
        "in a shard_map along 'a' of Mesh(a=4, b=2): Python is called where",
    ),
    "a result that differs along its axis": (
        ArgumentError,
        lambda: shard_map(F, MESH, "a", None, axis_names="a")(X),
        "differs between the devices along 'a'",
    ),
    "elsewhere": (DeviceError, lambda: shard_map(F, MESH, "a", "a")(device_put(X, "cpu:3")), "operand 0 is on cpu:3"),
    "over another mesh": (
        DeviceError,
        lambda: jit(shard_map(F, MESH, "a", "a"))(device_put(X, Mesh({"q": 4}, devices()[:4]).sharding("q"))),
        "argument x is over Mesh(q=4), but shard_map at",
    ),
    "two meshes": (
        DeviceError,
        lambda: jit(lambda x: shard_map(F, Mesh({"q": 4}, devices()[:4]), "q", "q")(shard_map(F, MESH, "a", "a")(x)))(
            X
        ),
        "is over Mesh(q=4), and shard_map at",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    kind, call, words = REFUSED[name]
    with pytest.raises(EffaxError) as caught:
        call()
    assert isinstance(caught.value, kind) and words in str(caught.value), caught.value


OTHERS: Final = {
    "other names": Mesh({"c": 4, "d": 2}),
    "other sizes": Mesh({"a": 2, "b": 4}),
    "one axis": LINE,
    "an axis more": Mesh({"a": 4, "b": 2, "one": 1}),
    "other order": Mesh({"a": 4, "b": 2}, devices()[::-1]),
    "fewer devices": Mesh({"a": 2, "b": 2}, devices()[4:]),
}
put = lowering.with_sharding_constraint
PROGRAMS: Final[dict[str, Callable[[Mesh, str, Any], object]]] = {
    "constraint": lambda mesh, axis, x: jit(lambda x: put(x, mesh.sharding(axis)))(x),
    "device_put": lambda mesh, axis, x: jit(lambda x: device_put(x, mesh.sharding(axis)))(x),
    "a batch": lambda mesh, axis, x: jit(handlers.vmap(lambda x: put(x, mesh.sharding(axis)), in_axes=1))(x),
    "blocks": lambda mesh, axis, x: jit(shard_map(F, mesh, axis, axis))(x),
    "blocks at once": lambda mesh, axis, x: shard_map(F, mesh, axis, axis)(x),
    "a derivative of blocks": lambda mesh, axis, x: grad(lambda x: fx.sum(shard_map(fx.sin, mesh, axis, axis)(x)))(x),
    "compiled within": lambda mesh, axis, x: jit(lambda x: jit(lambda x: x, out_shardings=mesh.sharding(axis))(x))(x),
    "a derivative within": lambda mesh, axis, x: grad(
        lambda x: fx.sum(jit(lambda x: fx.sin(x), in_shardings=(mesh.sharding(axis),))(x))
    )(x),
    "results": lambda mesh, axis, x: jit(F, out_shardings=mesh.sharding(axis))(x),
    "arguments": lambda mesh, axis, x: jit(F, in_shardings=mesh.sharding(axis))(x),
    "closed over": lambda mesh, axis, x: jit(lambda y: x + y)(device_put(X, mesh.sharding(axis))),
    "eager": lambda mesh, axis, x: x + device_put(X, mesh.sharding(axis)),
    "in a loop": lambda mesh, axis, x: handlers.fori_loop(0, 2, lambda i, x: put(x, mesh.sharding(axis)), x),
    "from the host": lambda mesh, axis, x: jit(lambda x: put(put(x, mesh.sharding(axis)), MESH.sharding("a")))(X),
    "asked from the host": lambda mesh, axis, x: jit(
        F, in_shardings=MESH.sharding("a"), out_shardings=mesh.sharding(axis)
    )(X),
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("other", OTHERS)
def test_a_program_is_over_one_mesh(other: str, program: str) -> None:
    mesh = OTHERS[other]
    with pytest.raises(DeviceError) as caught:
        PROGRAMS[program](mesh, next(iter(mesh.axes)), device_put(X, MESH.sharding("a")))
    assert repr(mesh) in str(caught.value) and repr(MESH) in str(caught.value), caught.value


def test_a_single_device_is_one_place_whatever_its_mesh_is_called() -> None:
    one, other = Mesh({"a": 1}, devices()[:1]), Mesh({"b": 1, "c": 1}, devices()[:1])
    found = jit(lambda x: put(shard_map(F, other, "b", "b")(x), one.sharding("a")))(device_put(X, one.sharding("a")))
    np.testing.assert_array_equal(found, X)
