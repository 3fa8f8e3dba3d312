"""Programs with effects in them: `t` has the transformations, `f` is a function that performs an effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import effects as fx


def _vjp(t: Any, f: Any) -> Any:
    """`f` with a backward rule that is not its derivative, and a forward rule that performs what `f` does."""
    return t.custom_vjp(lambda x: (f(x), x), lambda x, ct: (3.0 * ct + x,))(f)


def _jvp(t: Any, f: Any) -> Any:
    made = t.custom_jvp(lambda x: f(x))
    made.defjvp(lambda primals, tangents: (f(*primals), 5.0 * tangents[0]))
    return made


def _loop(t: Any, f: Any, n: Any, x: Any) -> Any:
    return t.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, f(s[1])), (fx.asarray(0), x))[1]


def _rolled(t: Any, f: Any, x: Any) -> Any:
    return t.scan(lambda c, i: (f(c) + 0.1 * i, c), x, fx.asarray([1.0, 2.0, 3.0]))


INSIDE: dict[
    str, Callable[[Any, Any, Any], Any]
] = {  # transformations inside the handler: of f, the effectful function
    "call": lambda t, f, x: f(x),
    "twice": lambda t, f, x: f(x + 1.0) + f(x + 2.0),
    "jit(f)": lambda t, f, x: t.jit(f)(x),
    "grad": lambda t, f, x: t.grad(f)(x),
    "jvp": lambda t, f, x: t.jvp(f, (x,), (1.0,)),
    "hessian": lambda t, f, x: t.hessian(f)(x),
    "jacfwd": lambda t, f, x: t.jacfwd(lambda v: fx.stack([f(fx.sum(v)), v[0]]))(fx.stack([x, 0.1 * x])),
    "vjp": lambda t, f, x: t.vjp(lambda x: fx.sin(f(x)), x),
    "linearize": lambda t, f, x: t.linearize(lambda x: fx.sin(f(x)), x),
    "jet": lambda t, f, x: t.jet(lambda x: fx.sin(f(x)), x),
    "jet scan": lambda t, f, x: t.jet(lambda x: _rolled(t, f, x)[0], 0.1 * x),
    "make_jaxpr": lambda t, f, x: t.evaluated(lambda x: fx.sin(f(x)), x),
    "vmap": lambda t, f, x: t.vmap(f)(fx.stack([x, x + 1.0, x + 2.0])),
    "vmap vmap": lambda t, f, x: t.vmap(t.vmap(f))(fx.stack([fx.stack([x, x + 1.0]), fx.stack([x + 2.0, x])])),
    "cond taken": lambda t, f, x: t.cond(x > 0.0, f, lambda x: x, x),
    "cond not taken": lambda t, f, x: t.cond(x < 0.0, f, lambda x: x, x),
    "cond batched": lambda t, f, x: t.vmap(lambda x: t.cond(x > 1.0, f, lambda x: -x, x))(fx.stack([x, x + 1.0])),
    "switch": lambda t, f, x: t.switch(1, [lambda x: x, f, lambda x: 2.0 * f(x)], x),
    "scan": lambda t, f, x: _rolled(t, f, x),
    "scan grad": lambda t, f, x: t.grad(lambda x: _rolled(t, f, x)[0])(0.1 * x),
    "grad in scan": lambda t, f, x: _rolled(t, t.grad(f), 0.1 * x),
    "fori": lambda t, f, x: t.fori_loop(0, 3, lambda i, c: f(c) * 0.5, x),
    "map": lambda t, f, x: t.map(f, fx.stack([x, x + 1.0])),
    "while": lambda t, f, x: _loop(t, f, 3, 0.1 * x),
    "while batched": lambda t, f, x: t.vmap(lambda n: _loop(t, f, n, 0.1 * x))(fx.asarray([3, 0, 1])),
    "while jvp": lambda t, f, x: t.jvp(lambda x: _loop(t, f, 3, x), (0.1 * x,), (1.0,)),
    "checkpoint": lambda t, f, x: t.checkpoint(f)(x),
    "checkpoint grad": lambda t, f, x: t.grad(t.checkpoint(lambda x: fx.sin(f(x))))(x),
    "remat scan": lambda t, f, x: t.grad(lambda x: _rolled(t, t.checkpoint(lambda x: fx.sin(f(x))), x)[0])(x),
    "custom_vjp": lambda t, f, x: _vjp(t, f)(x),
    "custom_vjp grad": lambda t, f, x: t.grad(lambda x: fx.sin(_vjp(t, f)(x)))(x),
    "custom_vjp scan": lambda t, f, x: t.grad(lambda x: _rolled(t, _vjp(t, f), x)[0])(0.1 * x),
    "custom_vjp vmap": lambda t, f, x: t.vmap(t.grad(_vjp(t, f)))(fx.stack([x, x + 1.0])),
    "custom_jvp grad": lambda t, f, x: t.grad(lambda x: fx.sin(_jvp(t, f)(x)))(x),
    "vmap grad scan": lambda t, f, x: t.vmap(t.grad(lambda x: _rolled(t, f, x)[0]))(fx.stack([0.1 * x, 0.2 * x])),
    "grad vmap": lambda t, f, x: t.grad(lambda x: fx.sum(t.vmap(f)(fx.stack([x, 2.0 * x]))))(x),
    "scan vmap jit": lambda t, f, x: t.scan(
        lambda c, y: (t.jit(lambda c: fx.sum(t.vmap(f)(c * y)))(fx.stack([c, c + 1.0])) * 0.1, c),
        x,
        fx.asarray([1.0, 0.5]),
    ),
}

OUTSIDE: dict[str, Callable[[Any, Any, Any], Any]] = {  # transformations of h, the function with its handler
    "grad(handle)": lambda t, h, x: t.grad(lambda x: h(x)[0])(x),
    "vmap(handle)": lambda t, h, x: t.vmap(lambda x: h(x)[0])(fx.stack([x, x + 1.0])),
    "vmap(grad(handle))": lambda t, h, x: t.vmap(t.grad(lambda x: h(x)[0]))(fx.stack([x, x + 1.0])),
    "scan(handle)": lambda t, h, x: t.scan(lambda c, _: (0.3 * h(c)[0], c), x, fx.zeros(3)),
    "cond(handle)": lambda t, h, x: t.cond(x > 0.0, lambda x: h(x)[0], lambda x: x, x),
    "while(handle)": lambda t, h, x: _loop(t, lambda x: 0.3 * h(x)[0], 3, x),
    "hessian(handle)": lambda t, h, x: t.hessian(lambda x: h(x)[0])(x),
    "jet(handle)": lambda t, h, x: t.jet(lambda x: h(x)[0], x),
    "custom_vjp(handle)": lambda t, h, x: t.grad(lambda x: fx.sin(_vjp(t, lambda x: h(x)[0])(x)))(x),
    "checkpoint(handle)": lambda t, h, x: t.grad(t.checkpoint(lambda x: h(x)[0]))(x),
}
