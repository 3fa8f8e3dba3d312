"""Programs over blocks beside the law: what they cost, where results are, handlers of users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

import effects as fx
from effects import Array, Operation, each_result
from effects.errors import MissingRule
from effects.operations import BinaryKind, ShardMap, UnaryKind
from effects.operations.collectives import AllReduceKind
from effects.program.chain import Performed, perform
from handlers import OperationHandler, Parts, Tabular, kept, partwise, pmean, psum
from handlers.higher_order.dead_results import without_dead_results
from lowering import Mesh, devices
from tests.errors.untyped import cond, device_put, grad, handlers, jit, lowering, scan, vmap

shard_map, lower = handlers.shard_map, lowering.lower
MESH: Final = Mesh({"a": 4, "b": 2})
LINE: Final = Mesh({"data": 8})
RNG: Final = np.random.default_rng(0)
X: Final[Any] = RNG.normal(size=(8, 4))
W: Final[Any] = RNG.normal(size=(4,))


def loss(w: Any, x: Any) -> Any:
    return pmean(fx.mean(fx.tanh(x @ w) ** 2), "data")


def all_reduces(f: Callable[..., Any], *args: Any) -> int:
    return int(lower(f, *args).compile().as_text().count(" all-reduce("))


def test_a_gradient_has_one_all_reduce() -> None:
    inside = shard_map(loss, LINE, in_specs=(None, "data"), out_specs=None)
    assert all_reduces(inside, W, X) == 1 and all_reduces(grad(inside), W, X) == 1
    plain = lambda w: fx.mean(fx.tanh(X @ w) ** 2)
    assert np.allclose(jit(grad(inside))(W, X), grad(plain)(W))
    wide = shard_map(lambda w, x: pmean(fx.mean(fx.tanh(x @ w)), "a"), MESH, in_specs=(None, "a"), out_specs=None)
    text = lower(grad(wide), W, X).compile().as_text()
    assert text.count(" all-reduce(") == 1 and "{{0,1,2,3,4,5,6,7}}" not in text  # b has nothing to say


def test_results_are_where_they_are_said_to_be() -> None:
    rows, both = MESH.sharding("a"), MESH.sharding("a", "b")
    f = shard_map(
        lambda x: (fx.sin(x), psum(x, "a"), psum(x, ("a", "b"))), MESH, both, (both, MESH.sharding(None, "b"), None)
    )
    for x in (X, device_put(X, rows), device_put(X, both)):
        for given in (f(x), jit(f)(x), jit(lambda x: f(fx.cos(x) * 0 + x))(x)):
            assert [y.sharding for y in given] == [both, MESH.sharding(None, "b"), MESH.sharding()]
            assert np.allclose(given[0], np.sin(X)) and np.allclose(given[2], X.reshape(4, 2, 2, 2).sum((0, 2)))


def test_what_is_kept_of_arguments_is_these() -> None:
    """Nothing is copied for the way back that is there, and what is kept says what it is."""
    f = shard_map(lambda w, x: pmean(fx.mean(fx.tanh(x @ w)), "a"), MESH, in_specs=(None, "a"), out_specs=None)
    for g in (f, jit(f)):
        names = [(row.name, row.aval.shape) for row in handlers.saved_residuals(g, W, X)]
        assert names[:2] == [("w", W.shape), ("x", X.shape)] and {name for name, _ in names[2:]} == {"shard_map"}
    twice = shard_map(lambda x: x * x * psum(x, "data"), LINE, "data", "data")
    assert handlers.saved_residuals(twice, X)[0].name == "x"
    wanted = jit(grad(lambda x: fx.sum(fx.sin(x * x * fx.sum(x, axis=0)))))(X)
    assert np.allclose(np.asarray(grad(lambda x: fx.sum(fx.sin(twice(x))))(X)), wanted)


def test_around_and_inside_of_it() -> None:
    inner = jit(lambda x: x - psum(x, "data") / 8)
    f = shard_map(lambda x: inner(inner(x) * 2), LINE, "data", "data")
    wanted = 2 * (X - X.mean(0))
    assert np.allclose(jit(f)(X), wanted) and np.allclose(f(X), wanted)
    looped = jit(lambda x: scan(lambda c, _: (f(c) / 2, None), x, length=3)[0])
    assert np.allclose(looped(X), X - X.mean(0))
    chosen = jit(lambda x: cond(fx.sum(x) > 1e6, f, lambda x: -f(x), x))
    assert np.allclose(chosen(X), -wanted)


@pytest.mark.parametrize(
    "mesh",
    [Mesh({"a": 4, "b": 2}, devices()[::-1]), Mesh({"a": 2, "b": 2}, ["cpu:5", "cpu:1", "cpu:7", "cpu:2"])],
    ids=["backwards", "some"],
)
def test_devices_in_another_order(mesh: Mesh) -> None:
    """Places are those in the mesh, whatever the devices are called."""
    cut, n, m = mesh.sharding("a", "b"), mesh.axes["a"], mesh.axes["b"]
    places = shard_map(lambda x: 0 * x + 10 * handlers.axis_index("a") + handlers.axis_index("b"), mesh, cut, cut)(X)
    wanted = 10 * np.arange(n)[:, None] + np.arange(m)
    assert np.array_equal(places, np.repeat(np.repeat(wanted, 8 // n, 0), 4 // m, 1))
    assert places.shards[0].device == mesh.devices[0]
    around = [(i, (i + 1) % n) for i in range(n)]
    moved = shard_map(lambda x: handlers.ppermute(x, "a", around), mesh, cut, cut)(X)
    assert np.array_equal(moved, np.roll(X, 8 // n, 0))
    summed = shard_map(lambda x: psum(x, "a"), mesh, cut, mesh.sharding(None, "b"))(X)
    assert np.allclose(summed, X.reshape(n, 8 // n, 4).sum(0))


def test_trees_and_lists_of_specs() -> None:
    f = shard_map(
        lambda p, xs: {"y": xs[0] @ p["w"], "n": psum(xs[1], "data")},
        LINE,
        [{"w": None}, ("data", "data")],
        {"y": "data", "n": None},
    )
    given = f({"w": W}, (X, np.arange(8)))
    assert np.allclose(given["y"], X @ W) and given["n"].tolist() == [28]


class Ends(NamedTuple):
    lo: Any
    hi: Any


class Bounds(Parts):
    lo: Array
    hi: Array


class Interval(Tabular[Bounds, Ends]):
    rules = dict.fromkeys((UnaryKind.TANH, BinaryKind.ADD, AllReduceKind.SUM), partwise)
    rules |= {UnaryKind.NEG: lambda op: (-op.x.hi, -op.x.lo)}


class Count(OperationHandler[Any]):
    handles = UnaryKind.SIN
    times: Array = kept()

    def interpret(self, op: Operation[Array], /) -> Performed:
        self.times = self.times + 1
        return each_result(lambda y: y * 1.0, perform(op))


class Largest(OperationHandler[Any]):
    handles = UnaryKind.SIN
    seen: Array = kept()

    def interpret(self, op: Operation[Array], /) -> Performed:
        self.seen = fx.maximum(self.seen, fx.max(op.operands[0]))
        return perform(op)


def test_handlers_of_users() -> None:
    f = shard_map(lambda x: -psum(fx.tanh(x), "data") + x, LINE, "data", "data")
    lo, hi = Interval.over(f)(Ends(X, X + 1))
    total = np.tanh(X).sum(0)
    assert np.allclose(lo, X - np.tanh(X + 1).sum(0)) and np.allclose(hi, X + 1 - total)
    g = shard_map(lambda x: fx.sin(fx.sin(x)), LINE, "data", "data")
    for run in (g, jit(g)):
        with Count(fx.asarray(0)) as count:
            assert np.allclose(run(X), np.sin(np.sin(X)))
        assert count.times.item() == 2
    with (
        Largest(fx.asarray(0.0)),
        pytest.raises(MissingRule, match=r"Largest.*differs between the devices along 'data'"),
    ):
        g(X)


def _drawn(rng: Any, x: Any) -> Any:
    return x * rng.bernoulli(0.5, x.shape)


def _counted(state: Any, x: Any) -> Any:
    state.put(state.get() + fx.sum(x))
    return x * state.get()


def _checked(errors: Any, x: Any) -> Any:
    def step(c: Any, _: object) -> Any:
        errors.check(fx.sum(c) < 40, "too big")
        return c + psum(c, "data") / 8, None

    return scan(step, x, length=3)[0]


def _emitted(output: Any, x: Any) -> Any:
    output.emit("total", fx.sum(x))
    return x


EFFECTS: Final[dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any], Callable[[Any], Any]]]]] = {
    "random numbers": (_drawn, lambda f: handlers.with_random(f, 0)),
    "their derivative": (_drawn, lambda f: grad(lambda x: fx.sum(handlers.with_random(f, 0)(x) ** 2))),
    "state": (_counted, lambda f: handlers.with_state(f, fx.asarray(0.0), lanes=handlers.averaged)),
    "errors": (_checked, lambda f: lambda x: handlers.catching(f)(x).result().value_or("raised")),
    "no errors": (_checked, lambda f: lambda x: handlers.catching(f)(x - 20.0).result().value_or("raised")),
    "output": (_emitted, lambda f: lambda x: handlers.with_output(f)(x)[1]["total"].value),
    "what is asked": (lambda ask, x: ask.ask() * x, lambda f: handlers.with_reader(f, fx.asarray(2.0))),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_effects_are_those_of_lanes(name: str) -> None:
    """On a mesh of one axis, against a vmap over as many lanes."""
    f, through = EFFECTS[name]
    over_blocks = lambda c, x: shard_map(lambda x: f(c, x), LINE, "data", "data")(x)
    lanes = lambda c, x: vmap(lambda x: f(c, x), axis_name="data")(fx.reshape(fx.asarray(x), (8, 1, 4)))
    x = np.arange(32.0).reshape(8, 4) / 8
    actual, wanted = fx.tree_leaves(through(over_blocks)(x)), fx.tree_leaves(through(lanes)(x))
    assert len(actual) == len(wanted)
    for one, other in zip(actual, wanted, strict=True):
        if isinstance(one, str):
            assert one == other == "raised"
        else:
            assert np.allclose(np.reshape(one, -1), np.reshape(other, -1))


def test_state_of_all_lanes_is_refused_by_its_law() -> None:
    with pytest.raises(MissingRule, match="one for all 8 lanes"):
        handlers.with_state(lambda s, x: shard_map(lambda x: _counted(s, x), LINE, "data", "data")(x), fx.asarray(0.0))(
            X
        )


def test_results_that_nobody_reads_are_left_out() -> None:
    f = shard_map(lambda x, y: (fx.sin(x), psum(y, "data")), LINE, "data", ("data", None))
    program = without_dead_results(handlers.make_jaxpr(lambda x, y: f(x, y)[0])(X, X + 1))
    (eqn,) = program.eqns
    assert isinstance(eqn.op, ShardMap) and len(eqn.op.operands) == len(eqn.outs) == len(eqn.op.body.eqns) == 1
    assert np.allclose(fx.eval_jaxpr(program, (fx.asarray(X), fx.asarray(X)))[0], np.sin(X))


def test_choices_stay_outside() -> None:
    f = lambda choice, x: shard_map(lambda x: x * choice.choose(fx.ones(2)), LINE, "data", "data")(x)
    with pytest.raises(MissingRule, match="a choice in shard_map"):
        handlers.enumerated(f)(X)


def test_sizes_of_axes_are_those_of_the_mesh() -> None:
    """What is kept of a program is of one mesh, also where only the rules of a function ask for the size."""

    @handlers.custom_jvp  # type: ignore[untyped-decorator]  # of what is untyped
    def f(x: Array) -> Array:
        return x * 1.0

    f.defjvp(lambda primals, tangents: (primals[0] * 1.0, tangents[0] * handlers.axis_size("s")))
    for n in (2, 4):
        mesh = Mesh({"s": n}, devices()[:n])
        g = grad(lambda x, mesh=mesh: fx.sum(shard_map(jit(f), mesh, "s", "s")(x)))
        assert g(np.ones((2 * n,)))[0].item() == n


def test_rules_that_close_over_arrays() -> None:
    """Of a function with a reverse rule the derivative that goes forwards is written down when it is compiled."""
    x, w = fx.asarray(X), fx.asarray(W)

    @handlers.custom_vjp  # type: ignore[untyped-decorator]  # of what is untyped
    def f(x: Array) -> Array:
        return fx.sin(x) * psum(x, "data")

    f.defvjp(lambda x: (f(x), x), lambda x, ct: (ct * w,))
    f.defjvp(lambda primals, tangents: (fx.sin(primals[0]) * psum(primals[0], "data"), tangents[0] * w))
    g = shard_map(f, LINE, "data", "data")
    for tangent in (handlers.jvp(g, (x,), (x,))[1], jit(lambda x: handlers.linearize(g, x)[1](x))(x)):
        assert np.allclose(tangent, X * W)
    assert np.allclose(grad(lambda x: fx.sum(g(x)))(x), np.broadcast_to(W, X.shape))


def test_arguments_by_name_and_trees_of_nothing() -> None:
    """What has a position is cut so however it is passed; what has a name only every device has whole."""
    x, y = fx.asarray(X), fx.asarray(X[0])

    def f(x: Any, y: Any = 0.0, *, by: Any = 1.0) -> Any:
        return x * by + y

    assert np.allclose(shard_map(f, LINE, ("data", None), "data")(x, y=y, by=2.0), 2 * X + X[0])
    assert np.allclose(shard_map(f, LINE, "data", "data")(y=x, x=x), 2 * X)
    assert grad(lambda by: fx.sum(shard_map(f, LINE, "data", "data")(x, by=by)))(1.0) == pytest.approx(X.sum())
    assert shard_map(lambda x: None, LINE, "data", None)(x) is None
    assert jit(lambda x: {})(device_put(X, LINE.sharding("data"))) == {}


def test_some_axes_and_one_in_another() -> None:
    """Along axes that it does not name the partitioner cuts; a program over those within it is one over both."""
    x, both = device_put(X, MESH.sharding("a", "b")), MESH.sharding("a", "b")

    def rows(x: Any, further: Callable[[Any], Any]) -> Any:
        x = scan(lambda c, _: (fx.tanh(c + handlers.ppermute(c, "a", [(0, 1), (3, 2)])), None), x, length=2)[0]
        seen = handlers.all_gather(x, "a", tiled=True) + handlers.all_to_all(fx.concat([x, x]), "a", 0, 0)[0, 0]
        x = x * (1 + handlers.axis_index("a")) + fx.sum(seen)
        return further(lowering.with_sharding_constraint(x, MESH.sharding(None, "b")))

    def columns(x: Any) -> Any:
        return fx.sin(x) * (2 + handlers.axis_index("b")) + psum(x, ("a", "b")) + handlers.axis_index("a")

    sums = lambda x: rows(x, lambda x: x @ x.T)
    chosen = lambda x: rows(x, lambda x: cond(fx.sum(x) > 0, lambda x: fx.sort(x, axis=1), fx.cos, x))
    for f in (sums, chosen):
        some, plain = shard_map(f, MESH, "a", "a", axis_names="a"), vmap(f, axis_name="a")

        def in_rows(x: Any, plain: Any = plain) -> Any:
            return fx.reshape(plain(fx.reshape(x, (4, 2, 4))), (8, -1))

        for through in (lambda f: f, lambda f: grad(lambda x: fx.sum(fx.sin(f(x)))), vmapped):
            assert np.allclose(through(some)(x), through(in_rows)(x))
    one = shard_map(columns, MESH, MESH.sharding(None, "b"), MESH.sharding(None, "b"))
    nested = shard_map(lambda x: one(x) + pmean(x, "a"), MESH, "a", "a", axis_names={"a"})
    flat = shard_map(lambda x: columns(x) + pmean(x, "a"), MESH, both, both)
    for through in (lambda f: f, lambda f: jit(grad(lambda x: fx.sum(fx.sin(f(x))))), vmapped):
        assert np.allclose(through(nested)(x), through(flat)(x))
    with lowering.disable_jit():
        assert np.allclose(nested(x), flat(x))
    alone = Mesh({"a": 1, "b": 1}, ["cpu:1"])
    within = shard_map(lambda x: shard_map(columns, alone, "b", "b")(x), alone, "a", "a", axis_names="a")
    assert np.allclose(within(X), np.sin(X) * 2 + X)


def vmapped(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: vmap(f, in_axes=1, out_axes=1)(fx.stack([x, 2 * x], axis=1))


def test_effects_along_some_axes() -> None:
    """Handlers of effects around it see a lane for each block."""
    x = fx.asarray(X)

    def drawn(over: Callable[[Any], Any]) -> Any:
        return handlers.with_random(lambda rng, x: over(lambda x: x + rng.normal(x.shape))(x), 3)(x)

    rows = drawn(lambda f: shard_map(f, MESH, "a", "a", axis_names="a"))
    assert np.allclose(rows, np.reshape(drawn(lambda f: lambda x: vmap(f)(fx.reshape(x, (4, 2, 4)))), (8, 4)))

    def summed(cell: Any, x: Any) -> Any:
        one = shard_map(lambda y: (cell.modify(lambda s: s + fx.sum(y)), y)[1], MESH, None, None)
        return shard_map(one, MESH, "a", "a", axis_names="a")(x)

    assert np.allclose(handlers.with_state(summed, fx.asarray(0.0), lanes=handlers.added)(x)[1], 2 * X.sum())


def test_one_device_is_a_mesh() -> None:
    alone = Mesh({"data": 1}, ["cpu:2"])
    f = shard_map(loss, alone, in_specs=(None, "data"), out_specs=None)
    assert np.allclose(f(W, X), np.mean(np.tanh(X @ W) ** 2)) and f(W, X).device == "cpu:2"
    assert vmap(f, in_axes=(0, None))(np.stack([W, W]), X).shape == (2,)
