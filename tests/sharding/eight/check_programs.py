"""Programs over a mesh, evaluated and compiled: the numbers of one device, cut as is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, DeletedArrayError, DeviceError, EffaxError, ShapeError, TreeError
from effects.operations.sharding import ManualAxes
from handlers import checkpoint, cond, hessian, jacfwd, jvp, linearize, make_jaxpr, pmean, psum
from handlers.sharding import varying
from handlers.sharding.mesh_axes import MeshAxes
from lowering import Mesh, arrays
from tests.errors.untyped import device_put, grad, handlers, jit, lowering, scan, vmap

lower, with_sharding_constraint = lowering.lower, lowering.with_sharding_constraint
MESH: Final = Mesh({"a": 4, "b": 2})
RNG: Final = np.random.default_rng(0)
X: Final[Any] = RNG.normal(size=(16, 8))
W: Final[Any] = RNG.normal(size=(8, 4))
V: Final[Any] = RNG.normal(size=(4, 8))


def layer(x: Any, w: Any, v: Any) -> Any:
    x = with_sharding_constraint(x, MESH.sharding("a"))
    hidden = with_sharding_constraint(fx.tanh(x @ w), MESH.sharding("a", "b"))
    return with_sharding_constraint(hidden @ v, MESH.sharding("a"))


def loss(x: fx.Array, w: fx.Array, v: fx.Array) -> fx.Array:
    return fx.sum(layer(x, w, v) ** 2)


def plain(x: Any, w: Any, v: Any) -> Any:
    return np.tanh(x @ w) @ v


THROUGH: Final[dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]]] = {
    "value": lambda f: f,
    "jvp": lambda f: lambda x, w, v: jvp(f, (x, w, v), (x, w, v))[1],
    "grad": lambda f: grad(lambda *args: fx.sum(f(*args) ** 2), argnums=(0, 1, 2)),
    "hessian": lambda f: hessian(lambda v, x, w: fx.sum(f(x, w, v) ** 2) / 2),
    "vmap": lambda f: lambda x, w, v: vmap(f, in_axes=(0, None, None))(fx.stack([x, -x]), w, v),
    "scan": lambda f: lambda x, w, v: scan(lambda c, y: (f(c, w, v), fx.sum(y)), x, x)[0],
    "cond": lambda f: lambda x, w, v: cond(fx.sum(x) > 0, f, lambda x, w, v: -f(x, w, v), x, w, v),
    "checkpoint": lambda f: grad(lambda x, w, v: fx.sum(checkpoint(f)(x, w, v) ** 2)),
    "linearize": lambda f: lambda x, w, v: linearize(lambda x: f(x, w, v), x)[1](x),
    "jacfwd": lambda f: lambda x, w, v: jacfwd(lambda v: fx.sum(f(x, w, v), axis=0))(v),
}


@pytest.mark.parametrize("name", THROUGH)
def test_as_on_one_device(name: str) -> None:
    through = THROUGH[name]
    unplaced = lambda x, w, v: fx.tanh(x @ w) @ v
    args = (X[:, :8], W, V)
    if name == "hessian":
        args = (V, X, W)
    wanted = through(unplaced)(*args)
    for f in (through(layer), jit(through(layer)), through(jit(layer))):
        for given in (args, tuple([device_put(x, MESH.sharding()) for x in args])):
            actual = f(*given)
            for one, other in zip(*[r if isinstance(r, tuple) else (r,) for r in (actual, wanted)], strict=True):
                assert np.allclose(np.asarray(one), np.asarray(other), atol=1e-10), name
                assert len(one.sharding.mesh.devices) == 8


CUBE: Final[Any] = RNG.normal(size=(8, 8, 16))
SPECTRA: Final[dict[str, tuple[tuple[Any, ...], Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "all of what is cut last": (
        (None, None, ("b", "a")),
        lambda x: fx.fft.rfft2(fx.abs(fx.fft.fftn(x))),
        lambda x: np.fft.rfft2(np.abs(np.fft.fftn(x))),
    ),
    "one after the other": (
        ("a", "b"),
        lambda x: fx.fft.fft2(fx.fft.irfft(x + 0j, n=16)) - x,
        lambda x: np.fft.fft2(np.fft.irfft(x, n=16)) - x,
    ),
    "that is cut then": (
        (("a", "b"),),
        lambda x: with_sharding_constraint(fx.fft.fft2(x), MESH.sharding(None, "b", "a")),
        np.fft.fft2,
    ),
    "of a transpose": (
        (("a", "b"),),
        lambda x: grad(lambda x: fx.sum(fx.abs(fx.fft.fft2(fx.permute_dims(x, (1, 2, 0)))) ** 2))(x),
        lambda x: 2 * 16 * 8 * x,
    ),
    "of blocks that were gathered": (
        (None, None, "a"),
        handlers.shard_map(
            lambda x: fx.fft.fft2(handlers.all_gather(x, ("b", "a"), axis=2, tiled=True)),
            MESH,
            MESH.sharding(None, None, ("b", "a")),
            None,
        ),
        np.fft.fft2,
    ),
}


@pytest.mark.parametrize("name", SPECTRA)
def test_spectra_of_what_is_cut(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The runtime of the CPU wants rows, which the partitioner does not always gather."""
    spec, f, wanted = SPECTRA[name]
    assert np.allclose(np.asarray(jit(f)(device_put(CUBE, MESH.sharding(*spec)))), wanted(CUBE))
    assert "Falling back" not in capfd.readouterr().err


def test_cuts_that_are_asked_for() -> None:
    rows, columns, whole = MESH.sharding("a"), MESH.sharding(None, "b"), MESH.sharding()
    f = jit(
        lambda x, w: {"y": x @ w, "z": x},
        in_shardings=(rows, columns),
        out_shardings={"y": MESH.sharding("a", "b"), "z": None},
    )
    for x in (X, device_put(X, rows)):
        found = f(x, W)
        assert found["y"].sharding == MESH.sharding("a", "b") and np.allclose(found["y"], X @ W)
    assert jit(lambda x: x, out_shardings=whole)(device_put(X, rows)).sharding == whole
    assert jit(lambda t, k: t["x"] * k, in_shardings=({"x": rows}, None))({"x": X}, 2.0).sharding == rows
    assert jit(lambda x, n: x * n, static_argnums=1, in_shardings=rows)(X, 2).sharding == rows
    g = grad(lambda x: fx.sum(f(x, W)["y"]))(X)
    assert np.allclose(g, np.broadcast_to(W.sum(1), X.shape))
    lanes = vmap(lambda w: f(X, w)["y"])(np.stack([W, 2 * W]))
    assert np.allclose(lanes[1], 2 * X @ W) and lanes.sharding == MESH.sharding(None, "a", "b")


def test_without_jit_as_with_it() -> None:
    """Shardings are asked for also where programs run as the Python that they are, and so do programs over blocks."""
    f = jit(lambda x: fx.sin(x), in_shardings=MESH.sharding("a"), out_shardings=MESH.sharding(None, "b"))
    seen: list[str] = []

    def block(x: Any, w: Any) -> Any:
        seen.append(type(x).__name__)
        return x * psum(fx.sum(x), "a") @ w, psum(x, ("a", "b"))

    over = handlers.shard_map(block, MESH, (MESH.sharding("a", "b"), None), (MESH.sharding("a", "b"), None))
    x, w = device_put(X, MESH.sharding("a")), W[:4, :2]
    wanted = over(x, w), grad(lambda x: fx.sum(over(x, w)[0]))(x)
    with lowering.disable_jit():
        assert f(X).sharding == MESH.sharding(None, "b") and np.allclose(f(X), np.sin(X))
        actual = over(x, w), grad(lambda x: fx.sum(over(x, w)[0]))(x)
        assert seen[-1] == "Batched" != seen[0]  # a lane, whose value is there
        assert actual[0][0].sharding == MESH.sharding("a", "b") and actual[0][1].sharding == MESH.sharding()
        with pytest.raises(ArgumentError, match="differs between the devices along 'b'"):
            handlers.shard_map(lambda x: psum(x, "a"), MESH, MESH.sharding("a", "b"), None)(x)
    for one, other in zip(fx.tree_leaves(actual), fx.tree_leaves(wanted), strict=True):
        assert np.allclose(one, other)


def test_propagation() -> None:
    x = device_put(X, MESH.sharding("a"))
    assert (x + 1).sharding == fx.sin(x).sharding == (x * x).sharding == x.sharding
    assert (x @ device_put(W, MESH.sharding(None, "b"))).sharding == MESH.sharding("a", "b")
    assert np.allclose(x @ W, X @ W) and fx.sum(x).item() == pytest.approx(X.sum())
    assert np.array_equal(fx.sort(x, axis=0), np.sort(X, 0)) and np.array_equal(x[3:9, ::-1], X[3:9, ::-1])
    assert np.array_equal(x.at[2].add(1.0)[2], X[2] + 1)
    folded = jit(lambda x: fx.reshape(x, (2, 4)))(device_put(np.arange(8.0), MESH.sharding("a")))
    assert np.array_equal(folded, np.arange(8.0).reshape(2, 4))  # cut within an axis, which no sharding says
    assert np.allclose(jit(lambda x: fx.sum(x, axis=0))(x), X.sum(0))


def test_host_arguments_go_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    x = device_put(X, MESH.sharding("a"))
    f = jit(lambda x, w, k: x @ w * k)
    for _ in range(2):
        assert np.allclose(f(x, W, 2.0), 2 * X @ W)
    w = fx.asarray(W)
    assert np.allclose(jit(lambda w: w + 1)(w), W + 1) and np.allclose(f(x, w, 2.0), 2 * X @ W)
    assert np.allclose(jit(lambda y: x @ w + y)(1.0), X @ W + 1)  # closed over
    put, cut = list[Any](), arrays.host_over_mesh

    def counted(*args: Any) -> Any:
        put.append(args)
        return cut(*args)

    monkeypatch.setattr(arrays, "host_over_mesh", counted)
    given = jit(lambda x, w: w + 1, donate_argnums=1, keep_unused=True)
    found = [(f(x, w, 2.0), x @ w, given(x, w)) for _ in range(3)]
    assert len(put) == 3  # w is there already, and is put again for each call that uses it up
    for twice, once, more in found:
        assert np.allclose(twice, 2 * X @ W) and np.allclose(once, X @ W) and np.allclose(more, W + 1)
    unread = jit(lambda x, w: x * 2)
    assert np.array_equal(unread(x, np.ones(7)), 2 * X)


def test_donation() -> None:
    step = jit(lambda x, y: (x + y, fx.sum(x)), donate_argnums=0)
    x = device_put(X, MESH.sharding("a")) * 1
    assert np.allclose(step(x, 1.0)[0], X + 1)
    with pytest.raises(DeletedArrayError, match="donated"):
        x + 1
    assert "donated" in repr(x)
    with pytest.raises(DeletedArrayError, match="argument x"):
        step(x, 1.0)


def test_what_was_donated_is_refused_without_a_word_of_the_runtime(capfd: pytest.CaptureFixture[str]) -> None:
    x = device_put(X, MESH.sharding("a"))
    step = jit(lambda x: x + 1, donate_argnums=0)
    step(x)
    moved, block = lambda x: device_put(x, MESH.sharding("b")), lambda x: x.shards[0].block
    for call in (step, jit(lambda x: x * 2), lambda x: x + 1, moved, block):
        with pytest.raises(DeletedArrayError):
            call(x)
    assert not "".join(capfd.readouterr())


def test_stages() -> None:
    x = device_put(X, MESH.sharding("a"))
    lowered = lower(lambda x: fx.sin(x) + 1, x)
    assert 'sdy.sharding<@mesh, [{"a"}, {}]>' in lowered.as_text()
    compiled = lowered.compile()
    assert np.allclose(compiled(x), np.sin(X) + 1) and compiled(x).sharding == x.sharding
    assert np.allclose(compiled(X), np.sin(X) + 1)
    with pytest.raises(DeviceError):
        compiled(device_put(X, MESH.sharding("b")))
    assert "with_sharding_constraint[sharding=Mesh(a=4, b=2).sharding('a'), free=0]" in str(make_jaxpr(layer)(X, W, V))


def test_arguments_are_cut_however_they_are_passed() -> None:
    rows, columns = MESH.sharding("a"), MESH.sharding(None, "b")

    def f(x: fx.Array, n: int, y: fx.Array, z: fx.Array | None = None, *, w: fx.Array) -> tuple[Any, ...]:
        return x, y, z, w

    g = jit(f, in_shardings=(rows, columns, rows), static_argnames="n")
    for given in (g(X, 3, X, X, w=X), g(X, 3, z=X, y=X, w=X), g(x=X, n=3, w=X, z=X, y=X), g(X, n=3, y=X, z=X, w=X)):
        assert [x.sharding for x in given] == [rows, columns, rows, MESH.sharding()]
    without = jit(f, in_shardings=(rows, columns), static_argnames="n")(X, 3, y=X, w=X)
    assert [x if x is None else x.sharding for x in without] == [rows, columns, None, MESH.sharding()]
    everywhere = jit(lambda x, y: (x, y), in_shardings=rows)
    assert [x.sharding for x in everywhere(X, y=X)] == [rows, rows]
    refused(DeviceError, lambda: everywhere(X, y=device_put(X, columns)), "argument y is sharded as")


def refused(kind: type[EffaxError], call: Callable[[], object], words: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value), caught.value


def test_refusals() -> None:
    rows = MESH.sharding("a")
    x = device_put(X, rows)
    asks = jit(lambda w: w, in_shardings=MESH.sharding("b"))
    refused(DeviceError, lambda: asks(x), "argument w is sharded as")
    refused(DeviceError, lambda: asks(device_put(X, "cpu:1")), "argument w is on cpu:1, but in_shardings is over")
    refused(ShapeError, lambda: asks(np.ones(3)), "dimension 0 of argument w, of shape [3]")
    refused(TreeError, lambda: jit(lambda x: (x, x), out_shardings=(rows,))(X), "out_shardings")
    refused(TreeError, lambda: jit(lambda x: x, in_shardings=(rows, rows))(X), "in_shardings")
    refused(EffaxError, lambda: jit(lambda x: x, in_shardings="a"), "in_shardings must be shardings")
    refused(EffaxError, lambda: jit(lambda x, y: x, in_shardings=(rows, {"k": 3})), "in_shardings[1]['k'] must be")
    refused(TreeError, lambda: jit(lambda x, n: x, in_shardings=(rows, None), static_argnums=1)(X, 3), "static ones")
    cut = {"out_shardings": {"r": [rows, rows]}}
    refused(ShapeError, lambda: jit(lambda x: {"r": [x, x[:3]]}, **cut)(X), "the result['r'][1], of shape [3, 8]")
    sink = device_put(X, rows)
    jit(lambda x: x + 1, donate_argnums=0)(sink)
    refused(
        DeletedArrayError,
        lambda: handlers.shard_map(lambda x: x, MESH, "a", "a")(sink),
        "shard_map: operand 0, float64",
    )
    refused(ShapeError, lambda: jit(lambda x: with_sharding_constraint({"k": x}, rows))(np.ones(3)), "tree['k']")
    refused(EffaxError, lambda: with_sharding_constraint(X, MESH), "sharding must be a Sharding")
    other = Mesh({"c": 4}, ["cpu:3", "cpu:2", "cpu:1", "cpu:0"])
    both = lambda x: with_sharding_constraint(with_sharding_constraint(x, rows), other.sharding("c"))
    refused(DeviceError, lambda: jit(both)(X), "is over Mesh(c=4 of cpu:3, cpu:2, cpu:1, cpu:0), and")
    two = jit(lambda x, y: x + y)
    refused(
        DeviceError,
        lambda: two(x, device_put(X, "cpu:2")),
        "argument x is on Mesh(a=4, b=2) and argument y is on cpu:2",
    )


def test_one_device_as_a_mesh() -> None:
    """What is written for a mesh runs on one of a single device, and is there as all else on it."""
    alone = Mesh({"a": 1, "b": 1}, ["cpu:2"])
    x = device_put(X, alone.sharding("a", "b"))
    assert x.device == "cpu:2" and x.sharding == alone.sharding("a") == device_put(X, "cpu:2").sharding
    f = jit(lambda x: with_sharding_constraint(x @ W, alone.sharding("a")), out_shardings=alone.sharding())
    for given in (X, x):
        assert f(given).device == "cpu:2" and np.allclose(np.asarray(f(given)), X @ W)
    refused(DeviceError, lambda: f(device_put(X, "cpu:3")), "argument x is on cpu:3, but out_shardings is over")


STRAIGHT: Final[dict[str, Callable[[Any], Any]]] = {
    "as it is": lambda x: x * 2.0,
    "sum": lambda x: psum(x, "a"),
    "sum of several": lambda x: (psum(x, ("a", "b")), x),
    "mean beside": lambda x: (pmean(x, "b") + x, fx.ones(2)),
    "place": lambda x: (handlers.axis_index("a"), handlers.axis_index("b") + fx.sum(x)),
    "gathered": lambda x: handlers.all_gather(x, "a"),
    "twice": lambda x: psum(psum(x, "a"), "b"),
    "integers": lambda x: psum(fx.ones((), dtype=fx.int32), "a") + x,
}


@pytest.mark.parametrize("spec", [("a",), ("b",), (None, "b"), (("a", "b"),), ()])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("f", STRAIGHT.values(), ids=STRAIGHT)
def test_what_differs_is_followed_alike_with_and_without_staging(
    f: Callable[[Any], Any], last: bool, spec: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    manual = ManualAxes(MESH, ("a", "b"))
    with MeshAxes(manual):
        program = handlers.make_jaxpr(f)(fx.ones((2, 2)))
    cuts = (MESH.sharding(*spec),)
    quick = varying.restaged_under_varying(program, manual, cuts, last=last)
    monkeypatch.setattr(varying, "_axes_if_unchanged", lambda *_: None)
    assert quick.statics == varying.restaged_under_varying(program, manual, cuts, last=last).statics
