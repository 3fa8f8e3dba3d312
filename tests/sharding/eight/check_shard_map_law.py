"""The law: `shard_map(f)` is `f` mapped over arrays that are cut, for programs and under transformations of all kinds.

All programs are compiled as one for each transformation, which takes seconds instead of minutes.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

import effects as fx
from effects import Carrier, Operation, each_result
from effects.errors import EffaxError
from effects.program.chain import Performed, perform
from handlers import (
    Forward,
    all_gather,
    all_to_all,
    axis_index,
    checkpoint,
    pmax,
    pmean,
    pmin,
    ppermute,
    psum,
    psum_scatter,
    shard_map,
)
from lowering import Mesh, Sharding
from tests.errors.untyped import cond, grad, handlers, jit, jvp, linearize, scan, vmap, while_loop
from tests.sharding.eight.lanes import by_vmap

MESH: Final = Mesh({"a": 4, "b": 2})
AB, A, B = MESH.sharding("a", "b"), MESH.sharding("a"), MESH.sharding("b")
RNG: Final = np.random.default_rng(0)
W: Final = fx.asarray(RNG.normal(size=(4, 4)))


class Program(NamedTuple):
    """A function, how its arguments are cut, how its result is, and arguments."""

    f: Callable[..., Any]
    cuts: tuple[Sharding, ...]
    out: Sharding
    args: tuple[fx.Array, ...]


def _program(f: Callable[..., Any], cuts: list[Sharding], out: Sharding) -> Program:
    shapes = [(4, 3) if cut == B else (8, 2) if cut == A else (8, 4) for cut in cuts]
    return Program(f, tuple(cuts), out, tuple([fx.asarray(RNG.normal(size=shape)) for shape in shapes]))


@handlers.custom_vjp  # type: ignore[untyped-decorator]  # of what is untyped
def squashed(x: fx.Array) -> fx.Array:
    return psum(x, "a") * x


squashed.defvjp(lambda x: (psum(x, "a") * x, x), lambda x, ct: (3 * ct * pmean(x, "b"),))


@handlers.custom_jvp  # type: ignore[untyped-decorator]  # as above
def wave(x: fx.Array) -> fx.Array:
    return fx.sin(x)


wave.defjvp(lambda primals, tangents: (fx.sin(primals[0]), tangents[0] * psum(primals[0], "b")))


def looped(x: Any) -> Any:
    return scan(lambda c, _: (psum(jit(fx.sin)(c), "a") / 4 + x, None), x, length=3)[0]


def apart(x: Any) -> Any:
    """Devices choose different branches, in which some of those that choose the same are asked."""
    y = cond(axis_index("a") > 1, lambda x: psum(fx.sin(x), "b"), lambda x: 2 * x, x)
    return cond(axis_index("a") > 1, lambda y: psum(fx.sin(y), ("a", "b")), lambda y: 2 * y, y)


PROGRAMS: Final[dict[str, Program]] = {
    "psum": _program(lambda x: psum(x, "a"), [AB], MESH.sharding(None, "b")),
    "psum of both": _program(lambda x: psum(x, ("b", "a")), [AB], MESH.sharding()),
    "pmax": _program(lambda x: x / pmax(x, "b"), [AB], AB),
    "pmean of what is shared": _program(lambda x, y: x * pmean(y, "a"), [AB, A], AB),
    "all_gather": _program(
        lambda x: fx.sum(fx.sin(all_gather(x, "a", axis=1)), axis=1), [AB], MESH.sharding(None, "b")
    ),
    "psum_scatter": _program(
        lambda x: psum_scatter(fx.sin(x), "b", scatter_dimension=1), [AB], MESH.sharding(("a", "b"))
    ),
    "all_to_all": _program(lambda x: all_to_all(x * x, "b", 1, 0), [AB], AB),
    "all_to_all tiled": _program(lambda x: all_to_all(x, "b", 0, 1, tiled=True), [AB], AB),
    "ppermute": _program(lambda x: x * ppermute(x, "a", [(0, 1), (1, 2), (2, 0)]), [AB], AB),
    "axis_index": _program(lambda x: x * axis_index("a") + axis_index("b") * axis_index(("b", "a")), [AB], AB),
    "loop": _program(looped, [AB], AB),
    "branches": _program(apart, [AB], AB),
    "one dimension": _program(lambda x: x - psum(x, "b"), [MESH.sharding(("b", "a"))], MESH.sharding(("b", "a"))),
    "closed over": _program(lambda x: psum(x @ W[:2], "b"), [AB], A),
    "tensor parallel": _program(lambda x, w: fx.tanh(psum(x @ w, "b")), [AB, B], A),
    "checkpoint": _program(checkpoint(lambda x: fx.sin(psum(fx.cos(x), "a")) * x), [AB], AB),
    "own reverse rule": _program(lambda x: squashed(x), [AB], AB),
    "own forward rule": _program(lambda x: 2 * wave(x), [AB], AB),
}
STEPS: Final[list[Callable[[Any, str], Any]]] = [
    lambda x, name: x - psum(fx.sin(x), name) / 8,
    lambda x, name: x + pmean(x * x, name),
    lambda x, name: x * axis_index(name) - 1,
    lambda x, name: jit(lambda y: y - pmin(y, name))(x),
    lambda x, name: fx.tanh(ppermute(x, name, [(1, 0)])) + x,
    lambda x, name: cond(axis_index(name) == 0, fx.cos, lambda y: pmax(y, name) * y, x),
    lambda x, name: x * fx.mean(all_gather(x, name)),
    lambda x, name: fx.cos(x) @ fx.ones((x.shape[1], x.shape[1])),
]
SPECS: Final = [
    MESH.sharding(*spec)
    for spec in itertools.product((None, "a", "b", ("a", "b"), ("b", "a")), repeat=2)
    if not set(spec[0] or ()) & set(spec[1] or ())
]


def _drawn(number: int) -> Program:
    """A program of a few steps, with its argument and its result cut in any way."""
    draw = random.Random(number)
    steps = [(draw.choice(STEPS), draw.choice("ab")) for _ in range(3)]

    def f(x: fx.Array) -> fx.Array:
        for step, name in steps:
            x = step(x, name)
        return x

    args = (fx.asarray(np.random.default_rng(number).normal(size=(8, 8))),)
    return Program(f, (draw.choice(SPECS),), draw.choice(SPECS), args)


DRAWN: Final = {f"drawn {number}": _drawn(number) for number in range(16)}


class Twin(Carrier):
    """Two values that a program is run on side by side."""

    def __init__(self, owner: Any, one: fx.Array, other: fx.Array) -> None:
        self.owner, self.one, self.other = owner, one, other

    @property
    def aval(self) -> fx.ShapedArray:
        return self.one.aval


class Twins(Forward[Twin, None]):
    """A handler of a user's own, with carriers of two parts."""

    def constant(self, value: fx.Array, /) -> Twin:
        return Twin(self, value, value)

    def interpret(self, op: Operation[Twin], /) -> Performed:
        first, second = perform(op.map(lambda x: x.one)), perform(op.map(lambda x: x.other))
        return each_result(lambda x, y: Twin(self, x, y), first, second)

    def unpack(self, value: Twin, /) -> tuple[tuple[fx.Array, ...], None]:
        return (value.one, value.other), None

    def pack(self, parts: Sequence[fx.Array], static: None, /) -> Twin:
        return Twin(self, *parts)


def twins(g: Callable[..., Any]) -> Callable[..., Any]:
    def run(*xs: fx.Array) -> tuple[fx.Array, fx.Array]:
        with Twins() as handler:
            result = handler.lift(g(*[Twin(handler, x, fx.cos(x)) for x in xs]))
        return result.one, result.other

    return run


THROUGH: Final[dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]]] = {
    "value": lambda g: g,
    "jvp": lambda g: lambda *xs: jvp(g, xs, tuple(map(fx.cos, xs))),
    "grad": lambda g: lambda *xs: grad(lambda *ys: fx.sum(fx.sin(g(*ys))), argnums=tuple(range(len(xs))))(*xs),
    "grad of grad": lambda g: grad(lambda *xs: fx.sum(grad(lambda *ys: fx.sum(g(*ys) ** 3))(*xs) ** 2)),
    "vmap": lambda g: lambda *xs: vmap(g)(*[fx.stack([x, -x]) for x in xs]),
    "vmap of that name": lambda g: lambda *xs: vmap(g, axis_name="a")(*[fx.stack([x, -x]) for x in xs]),
    "linearize": lambda g: lambda *xs: linearize(g, *xs)[1](*xs),
    "checkpoint": lambda g: grad(lambda *xs: fx.sum(checkpoint(g)(*xs) ** 2)),
    "a handler of one's own": twins,
    "its derivative": lambda g: grad(lambda *xs: fx.sum(fx.sin(fx.add(*twins(g)(*xs))))),
    "vmap of jvp": lambda g: lambda *xs: vmap(lambda *ys: jvp(g, ys, ys)[1])(*[fx.stack([x, 2 * x]) for x in xs]),
}


def _mapped(program: Program) -> Callable[..., Any]:
    return shard_map(program.f, MESH, program.cuts, program.out)


def _same(actual: Any, wanted: Any, name: str) -> None:
    for one, other in zip(fx.tree_leaves(actual), fx.tree_leaves(wanted), strict=True):
        assert one.shape == other.shape, name
        assert np.allclose(np.asarray(one), np.asarray(other), rtol=1e-9, atol=1e-9), name


@pytest.mark.parametrize("through", THROUGH)
def test_law(through: str) -> None:
    some = len(PROGRAMS) if through not in ("grad of grad", "checkpoint", "its derivative") else 7  # large programs
    refused = _compare(dict(list(PROGRAMS.items())[-some:]), THROUGH[through])
    assert refused == (["own reverse rule"] if through in ("jvp", "linearize", "vmap of jvp") else []), refused


def _compare(programs: dict[str, Program], transform: Callable[..., Any]) -> list[str]:
    """Compare what both give, all programs compiled as one; those that both refuse."""
    wanted = {name: _wanted(program, transform) for name, program in programs.items()}
    kept = {name: program for name, program in programs.items() if not isinstance(wanted[name], EffaxError)}
    for name in (refused := [name for name in programs if name not in kept]):
        with pytest.raises(EffaxError):
            transform(_mapped(programs[name]))(*programs[name].args)
    actual = jit(lambda args: {n: transform(_mapped(p))(*args[n]) for n, p in kept.items()})(
        {name: program.args for name, program in kept.items()}
    )
    for name in kept:
        _same(actual[name], wanted[name], name)
    return refused


def _wanted(program: Program, transform: Callable[..., Any]) -> Any:
    try:
        return transform(by_vmap(program.f, program.cuts, program.out))(*program.args)
    except EffaxError as error:
        return error


@pytest.mark.parametrize("through", ["value", "grad"])
def test_law_for_programs_drawn_at_random(through: str) -> None:
    """Where results differ along axes that are not said to cut them both refuse."""
    assert len(DRAWN) // 4 < len(_compare(DRAWN, THROUGH[through])) < len(DRAWN)


def test_loops_end_together() -> None:
    """Devices that are finished wait for those that they tell something."""

    def f(x: Any) -> Any:
        return while_loop(lambda c: fx.sum(c) < 20.0, lambda c: c + psum(fx.abs(fx.sin(c)), "a") + 0.1, x)

    program = _program(f, [AB], AB)
    _same(_mapped(program)(*program.args), by_vmap(f, program.cuts, AB)(*program.args), "while")
