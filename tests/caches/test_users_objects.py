"""No cache keeps objects of users alive: not functions that are gone, nor what these close over."""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Callable
from typing import Final

import pytest

import effects as fx
from effects import Array
from examples.flops import Flops
from handlers import (
    checkpoint,
    closure_convert,
    cond,
    custom_jvp,
    custom_vjp,
    debug_callback,
    grad,
    linearize,
    pure_callback,
    scan,
    vjp,
    vmap,
    while_loop,
)
from lowering import clear_caches, jit, lower

x3: Final = fx.asarray([0.5, 1.0, 1.5])


class Token:
    """What a user's function holds, in place of a big array."""


class Model:
    """A callable with state."""

    def __init__(self, token: Token) -> None:
        self.token = token

    def call(self, x: Array) -> Array:
        return fx.sin(x)


def holding(token: Token, f: Callable[..., Array]) -> Callable[..., Array]:
    """`f` as a fresh function that holds the token."""

    def held(*args: Array) -> Array:
        assert isinstance(token, Token)
        return f(*args)

    return held


def forward(token: Token) -> Callable[[Array], Array]:
    f = custom_jvp(holding(token, fx.sin))
    f.defjvp(lambda primals, tangents: (fx.sin(primals[0]), fx.cos(primals[0]) * tangents[0]))
    return f


def reverse(token: Token) -> Callable[[Array], Array]:
    f = custom_vjp(holding(token, fx.sin))
    f.defvjp(lambda x: (fx.sin(x), x), lambda x, ct: (fx.cos(x) * ct,))
    return f


def asking(token: Token) -> Callable[[Array], Array]:
    return lambda x: pure_callback(holding(token, lambda x: x), fx.ShapedArray(x.shape, x.dtype), x)


def asking_lanes(token: Token) -> Callable[[Array], Array]:
    one = holding(token, lambda x: x)
    return vmap(lambda x: pure_callback(one, fx.ShapedArray((), x.dtype), x, vmap_method="sequential"))


def watched(token: Token) -> Callable[[Array], Array]:
    def f(x: Array) -> Array:
        debug_callback(holding(token, lambda x: x), x)
        return fx.sin(x)

    return f


def policied(token: Token) -> Callable[[Array], Array]:
    def policy(op: object) -> bool:
        return token is op

    return checkpoint(lambda x: fx.sin(fx.sin(x)), policy=policy)


FUNCTIONS: Final[dict[str, Callable[[Token], Callable[[Array], Array]]]] = {
    "function": lambda token: holding(token, fx.sin),
    "partial": lambda token: functools.partial(holding(token, lambda _, x: fx.sin(x)), x3),
    "method": lambda token: Model(token).call,
    "custom_jvp": forward,
    "custom_vjp": reverse,
    "pure_callback": asking,
    "pure_callback per lane": asking_lanes,
    "debug_callback": watched,
    "checkpoint": lambda token: checkpoint(holding(token, fx.sin)),
    "policy": policied,
    "jit": lambda token: jit(holding(token, fx.sin)),
    "custom_jvp in vmap": lambda token: vmap(forward(token)),
    "closed over": lambda token: closure_convert(holding(token, fx.sin), x3)[0],
}


def summed(f: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: fx.sum(f(x))


def stepped(f: Callable[[Array], Array]) -> Callable[[Array], Array]:
    def step(h: Array, _: None) -> tuple[Array, None]:
        return f(h), None

    return lambda x: scan(step, x, length=2)[0]


def while_small(f: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: while_loop(lambda h: h[0] < 2, lambda h: fx.concat([h[:1] + 1, f(h)[1:]]), x)


USES: Final[dict[str, Callable[[Callable[[Array], Array]], object]]] = {
    "eager": lambda f: f(x3),
    "jit": lambda f: jit(f)(x3),
    "jit in jit": lambda f: jit(lambda x: jit(f)(x))(x3),
    "compiled": lambda f: lower(f, x3).compile()(x3),
    "vmap jit": lambda f: vmap(jit(lambda x: f(x)))(fx.ones((2, 3))),
    "scan": lambda f: stepped(f)(x3),
    "while_loop": lambda f: while_small(f)(x3),
    "cond": lambda f: cond(True, f, fx.sin, x3),
    "grad": lambda f: grad(summed(f))(x3),
    "grad jit": lambda f: grad(jit(summed(f)))(x3),
    "jit grad": lambda f: jit(grad(summed(f)))(x3),
    "grad scan": lambda f: grad(summed(stepped(f)))(x3),
    "jit grad scan": lambda f: jit(grad(summed(stepped(f))))(x3),
    "vjp": lambda f: vjp(f, x3)[1](x3),
    "linearize": lambda f: linearize(f, x3)[1](x3),
}
NO_DERIVATIVE: Final = ("pure_callback", "pure_callback per lane")
REVERSE_ONLY: Final = ("custom_vjp",)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_a_function_holds_goes_with_it(function: str, use: str) -> None:
    if function in NO_DERIVATIVE and ("grad" in use or use in ("vjp", "linearize")):
        pytest.skip("callbacks have no derivative")
    if function in REVERSE_ONLY and use == "linearize":
        pytest.skip("it has a reverse rule only")
    token = Token()
    alive = weakref.ref(token)
    USES[use](FUNCTIONS[function](token))
    del token
    gc.collect()
    assert alive() is None


def test_static_arguments_go_with_the_function() -> None:
    def use(token: Token) -> None:
        jit(lambda x, _: x + 1, static_argnums=1)(x3, token)

    token = Token()
    alive = weakref.ref(token)
    use(token)
    del token
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("use", ["jit", "scan", "cond", "grad jit"])
def test_classes_of_handlers_go_with_what_they_hold(use: str) -> None:
    def run(held: Token) -> None:
        class Holding(Flops):
            token = held

        with Holding():
            USES[use](fx.sin)

    token = Token()
    alive = weakref.ref(token)
    run(token)
    del token
    gc.collect()
    assert alive() is None


def test_callbacks_of_a_compiled_loop_are_those_of_the_function_that_asks() -> None:
    calls: list[str] = []

    def asks(name: str) -> Callable[[Array], Array]:
        def f(x: Array) -> Array:
            calls.append(name)
            return x

        return lambda x: pure_callback(f, fx.ShapedArray((3,), fx.float64), x)

    for name in "abca":
        stepped(asks(name))(x3)
        gc.collect()
    assert calls == [name for name in "abca" for _ in range(2)]


def test_methods_are_called_though_each_is_a_new_object() -> None:
    class Counter:
        def __init__(self) -> None:
            self.count = 0

        def next(self, x: Array) -> Array:
            self.count += 1
            return x

    counter = Counter()

    def asks(x: Array) -> Array:
        return pure_callback(counter.next, fx.ShapedArray((3,), fx.float64), x)

    f = jit(asks)
    for _ in range(2):
        f(x3)
        clear_caches()
        stepped(asks)(x3)
    assert counter.count == 6
