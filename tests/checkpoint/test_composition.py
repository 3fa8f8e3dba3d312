"""Checkpoints with loops, rules of users, effects on the host, and handlers of users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

import effects as fx
from effects import Array
from effects.operations.checkpoint import Policy
from examples.flops import flops
from handlers import (
    checkpoint,
    checkpoint_name,
    checkpoint_policies,
    custom_jvp,
    custom_vjp,
    debug_callback,
    fori_loop,
    grad,
    hessian,
    psum,
    scan,
    vmap,
)
from lowering import jit
from tests.reference.agreement import close

type Layer = Callable[[Array, Array], tuple[Array, Array]]

X: Final = fx.asarray([0.3, -0.8, 1.2])
WS: Final = fx.reshape(fx.sin(fx.arange(36.0)), (4, 3, 3))
POLICIES: Final[dict[str, Policy]] = {
    "nothing": checkpoint_policies.nothing_saveable,
    "everything": checkpoint_policies.everything_saveable,
    "names": checkpoint_policies.save_only_these_names("hidden"),
}


def layer(h: Array, w: Array) -> tuple[Array, Array]:
    hidden = checkpoint_name(fx.tanh(w @ fx.sin(h)), "hidden")
    return hidden * h, fx.sum(hidden)


def network(wrap: Callable[[Layer], Layer]) -> Callable[[Array, Array], Array]:
    def loss(ws: Array, h: Array) -> Array:
        h, sums = scan(wrap(layer), h, ws)
        return fx.sum(h * h) + fx.sum(sums)

    return loss


@pytest.mark.parametrize("policy", POLICIES)
def test_layers_of_a_scan(policy: str) -> None:
    plain = network(lambda f: f)
    saved = network(lambda f: checkpoint(f, policy=POLICIES[policy], prevent_cse=False))
    both: Callable[[Callable[..., Array]], Any] = lambda f: grad(f, argnums=(0, 1))(WS, X)
    for f in (saved, jit(saved), checkpoint(saved)):
        close(both(f), both(plain), rtol=1e-9)
        close(jit(both, static_argnums=0)(f), both(plain), rtol=1e-9)
    second: Callable[[Callable[[Array, Array], Array]], Any] = lambda f: hessian(lambda h: f(WS, h))(X)
    close(second(saved), second(plain), rtol=1e-8, atol=1e-10)


def test_counted_loops() -> None:
    def f(wrap: Callable[[Callable[[Array], Array]], Callable[[Array], Array]]) -> Callable[[Array], Array]:
        body = wrap(lambda x: fx.sin(x) * x)
        return lambda x: fx.sum(fori_loop(0, 3, lambda i, x: body(x), x))

    close(grad(f(checkpoint))(X), grad(f(lambda g: g))(X))
    close(grad(checkpoint(f(checkpoint)))(X), grad(f(lambda g: g))(X))


def test_rules_of_users() -> None:
    @custom_jvp
    def forward(x: Array) -> Array:
        return fx.sin(x)

    forward.defjvp(lambda primals, tangents: (fx.sin(primals[0]), 3 * fx.cos(primals[0]) * tangents[0]))

    @custom_vjp
    def reverse(x: Array) -> Array:
        return fx.sin(x)

    reverse.defvjp(lambda x: (fx.sin(x), x), lambda x, ct: (3 * fx.cos(x) * ct,))
    for rule in (forward, reverse):
        f = checkpoint(lambda x: fx.sum(rule(rule(x))))  # noqa: B023  # used at once
        expected = 9 * fx.cos(fx.sin(X)) * fx.cos(X)
        close(grad(f)(X), expected)
        close(jit(grad(f))(X), expected)
        close(vmap(grad(f))(fx.stack([X, X])), fx.stack([expected, expected]))


@pytest.mark.parametrize("policy", POLICIES)
def test_the_host_is_asked_once(policy: str) -> None:
    seen: list[float] = []

    @checkpoint(policy=POLICIES[policy])
    def f(x: Array) -> Array:
        y = fx.sin(x)
        debug_callback(lambda y: seen.append(float(y)), y)
        return fx.sin(y)

    for g in (grad(f), jit(grad(f)), grad(jit(f)), grad(checkpoint(f))):
        seen.clear()
        close(g(fx.asarray(0.5)), fx.cos(fx.sin(0.5)) * fx.cos(0.5))
        assert len(seen) == 1


def test_named_axes() -> None:
    def f(x: Array) -> Array:
        return psum(fx.sin(x) * x, "lanes")

    found = vmap(lambda x: grad(checkpoint(f))(x), axis_name="lanes")(X)
    close(found, vmap(lambda x: grad(f)(x), axis_name="lanes")(X))


def test_handlers_of_users() -> None:
    def f(x: Array) -> Array:
        return fx.sum(checkpoint_name(fx.sin(x), "s") * x)

    close(flops(checkpoint(f))(X), flops(f)(X))
    assert flops(grad(checkpoint(f)))(X)[1] > flops(grad(f))(X)[1]
