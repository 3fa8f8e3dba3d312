"""Random programs with effects: transformations, which `t` has, around each other and around an effectful `f`."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import effects as fx
from handlers import catching, with_state
from tests.requests import reference as ref
from tests.requests.own import with_cost

type Scalars = Callable[[Any], Any]


def _ruled(t: Any, g: Scalars) -> Scalars:
    def run(x: Any) -> Any:
        made = t.custom_jvp(lambda x: g(x))
        made.defjvp(lambda primals, tangents: (g(*primals), 5.0 * tangents[0]))
        return made(x)

    return run


def _costing(t: Any, g: Scalars) -> Scalars:
    """With a handler inside of the transformations."""

    def run(x: Any) -> Any:
        value, total = with_cost(lambda cost, x: (cost.charge(x), g(x))[1])(x)
        return value + 0.1 * total

    return (lambda x: g(x) + 0.1 * x) if isinstance(t, ref.Eager) else run


def _remembering(t: Any, g: Scalars) -> Scalars:
    def run(x: Any) -> Any:
        def inner(cell: fx.State[Any], x: Any) -> Any:
            y = g(x)
            cell.modify(lambda s: s + x)
            return y * cell.get()

        return with_state(inner, fx.asarray(1.0))(x)[0]

    return (lambda x: g(x) * (x + 1.0)) if isinstance(t, ref.Eager) else run


def _caught(t: Any, g: Scalars) -> Scalars:
    def run(x: Any) -> Any:
        return catching(lambda errors, x: (errors.check(x < 1e9, "large"), g(x))[1])(x).value

    return g if isinstance(t, ref.Eager) else run


def _rolled(t: Any, g: Scalars, n: int) -> Scalars:
    return lambda x: t.scan(lambda c, i: (0.5 * g(c) + 0.1 * i, c), x, fx.arange(float(n)))[0]


def _while(t: Any, g: Scalars, n: int) -> Scalars:
    return lambda x: t.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, 0.5 * g(s[1])), (fx.asarray(0), x))[1]


def _jacobian(t: Any, g: Scalars) -> Scalars:
    return lambda x: fx.sum(t.jacfwd(lambda v: fx.stack([fx.sin(g(fx.sum(v))), v[0]]))(fx.stack([x, 0.1 * x])))


BLOCKS: dict[str, Callable[[Any, Scalars, Scalars, float, int], Scalars]] = {
    "jit": lambda t, g, h, a, n: lambda x: t.jit(g)(x),
    "checkpoint": lambda t, g, h, a, n: lambda x: t.checkpoint(g)(x),
    "cond": lambda t, g, h, a, n: lambda x: t.cond(x > a, g, lambda x: 0.5 * x, x),
    "cond of both": lambda t, g, h, a, n: lambda x: t.cond(x > a, g, h, x),
    "switch": lambda t, g, h, a, n: lambda x: t.switch(fx.asarray(n), [lambda x: x, g, h, lambda x: 2.0 * x], x),
    "scan": lambda t, g, h, a, n: _rolled(t, g, n),
    "stacked": lambda t, g, h, a, n: lambda x: fx.sum(t.scan(lambda c, i: (c + i, g(c)), x, fx.arange(2.0))[1]),
    "fori": lambda t, g, h, a, n: lambda x: t.fori_loop(0, 2, lambda i, c: 0.5 * g(c) + i * 0.1, x),
    "while": lambda t, g, h, a, n: _while(t, g, n),
    "map": lambda t, g, h, a, n: lambda x: fx.sum(t.map(g, fx.stack([x, x + 1.0]))),
    "vmap": lambda t, g, h, a, n: lambda x: fx.sum(t.vmap(g)(fx.stack([x + 0.5 * i for i in range(n)]))),
    "vmap around": lambda t, g, h, a, n: lambda x: fx.sum(t.vmap(lambda y: y + g(x))(fx.stack([x, x + 1.0]))),
    "grad": lambda t, g, h, a, n: lambda x: t.grad(lambda x: fx.sin(g(x)))(x),
    "jvp": lambda t, g, h, a, n: lambda x: sum(t.jvp(lambda x: fx.sin(g(x)), (x,), (0.3,))),
    "hessian": lambda t, g, h, a, n: lambda x: t.hessian(lambda x: fx.sin(g(x)))(x),
    "jacfwd": lambda t, g, h, a, n: _jacobian(t, g),
    "custom_vjp": lambda t, g, h, a, n: t.custom_vjp(lambda x: (g(x), x), lambda x, ct: (3.0 * ct + x,))(g),
    "custom_jvp": lambda t, g, h, a, n: _ruled(t, g),
    "both": lambda t, g, h, a, n: lambda x: 0.5 * (g(x) + h(0.5 * x)),
    "with_cost": lambda t, g, h, a, n: _costing(t, g),
    "with_state": lambda t, g, h, a, n: _remembering(t, g),
    "catching": lambda t, g, h, a, n: _caught(t, g),
}


def a_program(seed: int, depth: int) -> Callable[[Any, Scalars, Any], Any]:
    """A program of `depth` transformations around each other."""

    def block(rng: random.Random, depth: int, t: Any, f: Scalars) -> Scalars:
        if not depth:
            return f
        made = BLOCKS[rng.choice(list(BLOCKS))]
        inner = [block(rng, depth - 1, t, f) for _ in range(2)]
        return made(t, inner[0], inner[1], rng.uniform(-0.5, 1.5), rng.randint(1, 3))

    return lambda t, f, x: block(random.Random(seed), depth, t, f)(x)
