"""`scan`, `map`, `switch` and `associative_scan`: values over every argument, trees, lengths; what a scan keeps."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array, check_jaxpr
from effects.operations import Scan
from handlers import associative_scan, fori_loop, grad, jvp, linearize, make_jaxpr, map, scan, switch, vjp, vmap
from lowering import jit
from tests.reference.agreement import close

A = 0.7


def step(c: Any, y: Any) -> tuple[Any, Any]:
    return {"c": fx.sin(c["c"]) * A + y["y"], "n": c["n"] + 1}, (c["c"] * y["y"], None, y["i"] + c["n"])


@pytest.mark.parametrize(
    ("length", "reverse", "unroll"), [*itertools.product((0, 1, 2, 5), (False, True), (1, 2, 5, True))]
)
def test_trees_lengths_directions_unrolling(length: int, reverse: bool, unroll: int | bool) -> None:
    ys = np.linspace(0.5, 1.5, 2 * length).reshape(length, 2)
    c, n = np.asarray([0.1, 0.2]), 0
    out, counts = np.zeros((length, 2)), np.zeros(length, dtype=np.int64)
    for i in reversed(range(length)) if reverse else range(length):
        out[i], counts[i] = c * ys[i], 10 * i + n
        c, n = np.sin(c) * A + ys[i], n + 1
    init = {"c": fx.asarray([0.1, 0.2]), "n": 0}
    xs = {"y": fx.asarray(ys), "i": fx.arange(length) * 10}
    run: Callable[..., Any] = lambda init, xs: scan(step, init, xs, length, reverse, unroll)
    for f in (run, jit(run)):
        last, (stacked, none, numbered) = f(init, xs)
        close((last["c"], last["n"]), (c, n), 1e-13)
        close((stacked, numbered), (out, counts), 1e-13)
        assert none is None
    if length:
        total: Callable[..., Any] = lambda c, y: (
            fx.sum(run({"c": c, "n": 0}, {"y": y, "i": xs["i"]})[1][0])
            + fx.sum(run({"c": c, "n": 0}, {"y": y, "i": xs["i"]})[0]["c"])
        )
        found = grad(total, argnums=(0, 1))(init["c"], xs["y"])
        direction = (fx.asarray([0.3, -0.4]), fx.cos(xs["y"]))
        slope = jvp(total, (init["c"], xs["y"]), direction)[1]
        close(sum(fx.sum(g * d) for g, d in zip(found, direction, strict=True)), slope, 1e-12)


def test_without_xs_or_ys() -> None:
    last, ys = scan(lambda c, x: (c * 2, x), 1, None, length=3)
    close(last, 8)
    assert ys is None
    close(scan(lambda c, x: (c, c), 1.5, length=2)[1], np.asarray([1.5, 1.5]))
    assert scan(lambda c, x: (c, None), None, fx.arange(3)) == (None, None)
    close(scan(lambda c, x: (c, x * 2), (), fx.arange(3)), ((), np.asarray([0, 2, 4])))


def test_programs_nest_deeply() -> None:
    def nested(depth: int) -> Callable[[Array], Any]:
        inner = nested(depth - 1) if depth else fx.sin
        return lambda x: scan(lambda c, _: (inner(c), None), x, None, length=1)[0]

    close(nested(40)(fx.asarray(1.0)), np.sin(1.0))
    close(jit(grad(nested(40)))(fx.asarray(1.0)), np.cos(1.0))


def test_batches() -> None:
    xs = fx.asarray(np.linspace(0.1, 1.2, 12).reshape(3, 4))
    f: Callable[..., Any] = lambda c, x: scan(lambda c, y: (c * y, c + y), c, x)
    expected = [[float(v) for v in f(fx.asarray(1.0), row)[1]] for row in xs]
    close(vmap(f, in_axes=(None, 0))(1.0, xs)[1], np.asarray(expected))
    close(vmap(f, in_axes=(None, 1))(1.0, xs.T)[1], np.asarray(expected))
    close(jit(vmap(jit(f), in_axes=(None, 0), out_axes=(0, 1)))(1.0, xs)[1], np.asarray(expected).T)
    shared = vmap(lambda c: f(c, xs[0]))(fx.asarray([1.0, 2.0]))
    close(shared[1], np.stack([np.asarray(f(fx.asarray(c), xs[0])[1]) for c in (1.0, 2.0)]))


def scans_of(program: Any) -> list[Scan[Any]]:
    return [eqn.op for eqn in program.eqns if isinstance(eqn.op, Scan)]


def test_residuals_are_what_the_derivative_needs() -> None:
    """One stacked residual for sin; constants and xs are not stacked again; what is the same in all steps is worked out
    once, outside of both loops."""
    w, xs = fx.asarray([[0.5, 0.1], [0.2, 0.4]]), fx.ones((7, 2))

    def loss(w: Array, xs: Array) -> Array:
        return fx.sum(scan(lambda h, x: (fx.sin(fx.exp(w) @ h) * x, None), fx.ones(2), xs)[0])

    program = make_jaxpr(grad(loss, argnums=(0, 1)))(w, xs)
    check_jaxpr(program).unwrap()
    forward, backward = scans_of(program)
    assert not [eqn for body in (forward.body, backward.body) for eqn in body.eqns if eqn.op.name == "exp"]
    stacked = [aval.shape for aval in forward.types()[forward.carried :]]
    assert all(shape == (7, 2) for shape in stacked)
    assert len(stacked) == 3, "h, sin and cos; neither w nor xs"
    assert program.inputs[1] in backward.xs, "xs are read where they are"
    numeric = [(loss(w + e, xs) - loss(w - e, xs)) / 2e-6 for e in fx.reshape(fx.eye(4) * 1e-6, (4, 2, 2))]
    close(grad(loss)(w, xs), np.reshape([float(n) for n in numeric], (2, 2)), 1e-7)


def test_a_constant_that_the_derivative_needs_is_not_stacked() -> None:
    """Not even where every operation of the body varies with the step."""

    def loss(w: Array) -> Array:
        return fx.sum(scan(lambda h, _: (fx.sin(w @ h), None), fx.ones(2), None, length=7)[0])

    forward, _ = scans_of(make_jaxpr(grad(loss))(fx.ones((2, 2))))
    assert {aval.shape for aval in forward.types()[forward.carried :]} == {(7, 2)}


def test_programs_do_not_grow_with_the_length() -> None:
    def f(x: Array, n: int) -> Array:
        last: Array = scan(lambda c, _: (fx.sin(c) * x, None), x, None, length=n)[0]
        return last

    def size(n: int) -> tuple[int, int]:
        g = jit(lambda x: grad(lambda v: f(v, n))(x))
        return len(str(make_jaxpr(g)(1.0)).splitlines()), len(g.lower(1.0).as_text().splitlines())

    assert size(3) == size(1000)


def test_a_known_loop_runs_once() -> None:
    """The counter and what depends on it alone is known, whatever is differentiated."""
    counted: list[int] = []

    def body(i: Array, c: Array) -> Array:
        counted.append(1)
        return c * fx.cos(i * 1.0)

    f: Callable[[Array], Array] = lambda x: fori_loop(0, 4, body, x)
    _, f_lin = linearize(f, fx.asarray(2.0))
    traced = len(counted)
    close(f_lin(fx.asarray(1.0)), np.prod(np.cos(np.arange(4.0))))
    f_lin(fx.asarray(3.0))
    assert len(counted) == traced <= 2
    (linear,) = scans_of(make_jaxpr(f_lin)(fx.asarray(1.0)))
    assert [eqn.op.name for eqn in linear.body.eqns] == ["mul"]


def test_the_step_is_traced_once() -> None:
    counted: list[int] = []

    def body(c: Array, x: Array) -> tuple[Array, Array]:
        counted.append(1)
        return c + x, c

    g: Callable[..., Any] = jit(lambda c, x: scan(body, c, x))
    g(fx.asarray(0.0), fx.ones(50))
    g(fx.asarray(1.0), fx.ones(50))
    assert len(counted) == 1


def test_cotangents_of_every_part() -> None:
    xs = fx.asarray([0.5, 1.5, 2.5])
    f: Callable[..., Any] = lambda c, x: scan(lambda c, y: (c * y, fx.sin(y)), c, x)
    _, pull = vjp(f, fx.asarray(2.0), xs)
    zero, ones = fx.asarray(0.0), fx.ones(3)
    close(pull((zero, ones)), (0.0, fx.cos(xs)))
    close(pull((fx.asarray(1.0), fx.zeros(3))), (0.5 * 1.5 * 2.5, 2.0 * 0.5 * 1.5 * 2.5 / np.asarray(xs)))
    overwritten: Callable[[Array], Array] = lambda c: scan(lambda c, y: (y, None), c, xs)[0]
    close(grad(overwritten)(fx.asarray(2.0)), 0.0)
    close(grad(lambda x: scan(lambda c, y: (y, None), 0.0, x)[0])(xs), np.asarray([0.0, 0.0, 1.0]))


def test_complex_and_integers_beside() -> None:
    z = fx.asarray(np.asarray([0.3 + 0.4j, 0.1 - 0.2j]))
    f: Callable[[Array], Any] = lambda z: scan(lambda c, _: ((c[0] * z + 1.0, c[1] + 1), c[1]), (z, 0), length=3)
    (w, n), counts = f(z)
    expected = np.asarray(z)
    for _ in range(3):
        expected = expected * np.asarray(z) + 1.0
    close(w, expected, 1e-13)
    close((n, counts), (3, np.arange(3)))
    slope = grad(lambda z: fx.sum(fx.abs(f(z)[0][0]) ** 2))(z)
    h = 1e-6
    along = sum(np.abs(np.asarray(f(z + h)[0][0])) ** 2 - np.abs(np.asarray(f(z - h)[0][0])) ** 2) / (2 * h)
    close(fx.real(fx.sum(slope)), along, 1e-6)


def test_map() -> None:
    xs = fx.reshape(fx.arange(10.0), (5, 2))
    f: Callable[[Array], Any] = lambda x: {"s": fx.sum(x), "x": x * 2}
    expected = {"s": np.asarray(xs).sum(1), "x": np.asarray(xs) * 2}
    for size in (None, 1, 2, 5, 7):
        close(map(f, xs, batch_size=size), expected)
    close(jit(lambda x: map(f, x))(xs), expected)
    close(grad(lambda x: fx.sum(map(fx.sin, x)))(xs), fx.cos(xs))
    product: Callable[[dict[str, fx.Array]], fx.Array] = lambda t: t["a"] * t["b"]
    close(map(product, {"a": xs, "b": xs}), np.asarray(xs) ** 2)


def test_switch() -> None:
    branches: list[Callable[[Any], Any]] = [lambda x: x * 1.0, lambda x: x * x, fx.sin]
    for f in (switch, jit(lambda i, _, x: switch(i, branches, x))):
        for index, chosen in ((-3, 0), (0, 0), (1, 1), (2, 2), (9, 2)):
            close(f(index, branches if f is switch else (), 0.5), float(branches[chosen](fx.asarray(0.5))))
    close(
        vmap(lambda i, x: switch(i, branches, x))(fx.arange(3), fx.asarray([2.0, 3.0, 4.0])),
        np.asarray([2.0, 9.0, np.sin(4.0)]),
    )
    close(grad(lambda x: switch(1, branches, x))(3.0), 6.0)
    close(switch(5, [lambda: 1.0]), 1.0)
    close(switch(1, [lambda x, y: x, lambda x, y: y, lambda x, y: x + y], 1, 2), 2)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 8, 13])
@pytest.mark.parametrize("reverse", [False, True])
def test_associative_scan(n: int, reverse: bool) -> None:
    xs = np.sin(1.0 + np.arange(3 * n * 4).reshape(3, n, 2, 2))

    def products(x: Array) -> Array:
        return associative_scan(fx.matmul, x, reverse=reverse, axis=1)

    out, product = np.zeros_like(xs), np.eye(2)
    for i in reversed(range(n)) if reverse else range(n):
        product = product @ xs[:, i]
        out[:, i] = product
    close(products(fx.asarray(xs)), out, 1e-12)
    if n in (5, 8):
        close(jit(products)(fx.asarray(xs)), out, 1e-12)
        pair: Callable[[Any, Any], Any] = lambda a, b: {"m": fx.maximum(a["m"], b["m"]), "s": (a["s"][0] + b["s"][0],)}
        tree: Any = {"m": fx.asarray(xs[:, :, 0, 0]), "s": (fx.asarray(xs[:, :, 1, 0]),)}
        found = associative_scan(pair, tree, axis=-1)
        close(found["m"], np.maximum.accumulate(xs[:, :, 0, 0], axis=1))
        close(found["s"][0], np.cumsum(xs[:, :, 1, 0], axis=1), 1e-13)
        slope = grad(lambda x: fx.sum(fx.sin(associative_scan(fx.multiply, x))))(fx.asarray(xs[0, :, 0, 0]))
        h = 1e-6
        for i in range(n):
            ends = [np.sum(np.sin(np.cumprod(xs[0, :, 0, 0] + s * h * (np.arange(n) == i)))) for s in (1, -1)]
            close(slope[i], (ends[0] - ends[1]) / (2 * h), 1e-6)
