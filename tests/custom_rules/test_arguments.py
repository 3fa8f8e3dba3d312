"""What functions with rules take: arguments that vary or not, that are not arrays, that were given before."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import pytest

import effects as fx
from effects import ArgumentError, MissingRule, ShapeError, TreeError
from handlers import Primal, checkpoint, cond, custom_gradient, custom_jvp, custom_vjp, grad, jvp, scan, vmap
from lowering import jit
from tests.errors.expect import refusal
from tests.reference.agreement import close

ORDERS: Final[dict[str, Callable[[Any], Any]]] = {
    "as it is": lambda f: f,
    "jit": jit,
    "vmap": lambda f: lambda *args: fx.tree_map(lambda y: y[0], vmap(f)(*[fx.stack([x, x]) for x in args])),
    "checkpoint": checkpoint,
    "scan": lambda f: lambda *args: scan(lambda c, _: (f(*args), None), args[0], length=1)[0],
    "cond": lambda f: lambda *args: cond(args[0] > 0, f, f, *args),
}


@pytest.mark.parametrize("order", ORDERS)
def test_fwd_is_told_what_varies(order: str) -> None:
    seen: list[Any] = []

    @custom_vjp
    def scale(p: dict[str, Any], x: Any) -> Any:
        return p["a"] * x + p["b"]

    def fwd(p: dict[str, Primal], x: Primal) -> Any:
        seen.append((p["a"].perturbed, p["b"].perturbed, x.perturbed))
        kept = (x.value if p["a"].perturbed else None, p["a"].value if x.perturbed else None)
        return scale({"a": p["a"].value, "b": p["b"].value}, x.value), kept

    def bwd(kept: Any, ct: Any) -> Any:
        x, a = kept
        return {"a": None if x is None else 10 * ct * x, "b": ct}, None if a is None else 10 * ct * a

    scale.defvjp(fwd, bwd, symbolic_zeros=True)
    f: Any = ORDERS[order](lambda a, b, x: scale({"a": a, "b": b}, x))
    args = [fx.asarray(v) for v in (2.0, 3.0, 5.0)]
    assert [grad(f, i)(*args).item() for i in range(3)] == [50, 1, 20]
    expected = [(True, False, False), (False, True, False), (False, False, True)]
    assert list(dict.fromkeys(seen)) == expected
    assert [float(grad(grad(f, 2), i)(*args)) for i in range(2)] == [10, 0]
    assert jit(grad(f, (0, 2)))(*args) == (50, 20)


def test_a_primal_is_no_array() -> None:
    f: Any = custom_vjp(lambda x: fx.sin(x))
    f.__name__ = "f"
    f.defvjp(lambda x: (fx.sin(x.value), x), lambda x, ct: (ct,), symbolic_zeros=True)
    refusal(ArgumentError, "the forward rule <lambda> of f keeps a Primal; keep its value", of=lambda: grad(f)(1.0))
    f.defvjp(lambda x: (fx.sin(x), ()), lambda x, ct: (ct,), symbolic_zeros=True)
    with pytest.raises(ArgumentError, match="sin: x must be an array or a number, got Primal"):
        grad(f)(1.0)


@pytest.mark.parametrize("order", ORDERS)
def test_custom_gradient(order: str) -> None:
    @custom_gradient
    def weighted(x: Any, p: dict[str, Any] | None = None) -> Any:
        power = x if p is None else p["w"] * x
        result = fx.sin(power)
        return result, lambda ct: 10.0 * ct * fx.cos(power) if p is None else (ct * power, {"w": ct * result})

    f = ORDERS[order](weighted)
    x, w = fx.asarray(0.7), fx.asarray(2.0)
    close(f(x), fx.sin(x))
    close(grad(f)(x), 10.0 * fx.cos(x))
    close(grad(grad(f))(x), -10.0 * fx.sin(x))
    close(jit(vmap(grad(f)))(fx.stack([x, w])), 10.0 * fx.cos(fx.stack([x, w])))
    g = ORDERS[order](lambda x, w: weighted(x, {"w": w}))
    for actual, expected in zip(grad(g, (0, 1))(x, w), (1.4, fx.sin(1.4)), strict=True):
        close(actual, expected)
    with pytest.raises(MissingRule, match="weighted has a reverse rule only"):
        jvp(f, (x,), (x,))


def test_what_a_custom_gradient_gives() -> None:
    f: Any = custom_gradient(lambda x: (x, 1))  # type: ignore[arg-type, return-value]  # no rule
    refusal(TreeError, "custom_gradient: <lambda> must return a pair (result, rule)", of=lambda: f(1.0))
    f = custom_gradient(lambda x: (x, lambda ct: (ct, ct)))
    refusal(TreeError, "a tuple with one cotangent (or None) for each of the 1 arguments", of=lambda: grad(f)(1.0))
    f = custom_gradient(lambda x: (x, lambda ct: fx.ones(2)))
    refusal(ShapeError, "cotangent 0 must have shape []", of=lambda: grad(f)(1.0))
    one: Any = 1
    refusal(ArgumentError, "custom_gradient takes a function, got 1", of=lambda: custom_gradient(one))


def scaled(x: Any, factor: float, f: Any = fx.sin, *, offset: float = 0.0) -> Any:
    return f(x) * factor + offset


@pytest.mark.parametrize("make", [custom_jvp, custom_vjp])
@pytest.mark.parametrize("places", [{"nondiff_argnums": (1, 2)}, {"nondiff_argnames": ("f", "factor")}])
@pytest.mark.parametrize("order", ORDERS)
def test_arguments_that_are_not_differentiated(make: Any, places: Any, order: str) -> None:
    g = make(scaled, **places)
    if make is custom_jvp:
        g.defjvp(lambda factor, f, primals, tangents: (g(*primals, factor, f), 10 * factor * tangents[0]))
    else:
        g.defvjp(lambda x, factor, f: (g(x, factor, f), ()), lambda factor, f, _, ct: (10 * factor * ct,))
    x = fx.asarray(0.5)
    for call in (lambda x: g(x, 2.0), lambda x: g(x, factor=2.0), lambda x: g(x, f=fx.sin, factor=2.0)):
        close(grad(ORDERS[order](call))(x), 20.0)
        close(ORDERS[order](call)(x), 2 * fx.sin(x))


@pytest.mark.parametrize("make", [custom_jvp, custom_vjp])
@pytest.mark.parametrize("order", ORDERS)
def test_partial_applications(make: Any, order: str) -> None:
    parts: list[tuple[Any, tuple[float, ...]]] = [
        (functools.partial(scaled, factor=2.0), ()),
        (functools.partial(scaled, f=fx.sin, offset=1.0), (2.0,)),
        (functools.partial(lambda f, x, k: scaled(x, k, f), fx.sin), (2.0,)),
        (lambda x, k=2.0, *, f=fx.sin: scaled(x, k, f), ()),
    ]
    for part, rest in parts:
        g = make(part)
        g.defvjp(lambda *args, g=g: (g(*args), len(args)), lambda n, ct: (10 * ct, *[None] * (n - 1)))
        g.defjvp(lambda primals, tangents, g=g: (g(*primals), 10 * tangents[0]))
        x = fx.asarray(0.5)
        close(grad(ORDERS[order](lambda x, g=g, rest=rest: g(x, *rest)))(x), 10.0)
        close(ORDERS[order](g)(x, *[fx.asarray(r) for r in rest]), part(x, *rest))
        close(jit(part)(x, *rest), part(x, *rest))
        close(grad(checkpoint(part))(x, *rest), 2 * fx.cos(x))
