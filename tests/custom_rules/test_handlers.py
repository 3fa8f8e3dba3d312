"""Functions with rules under handlers of users' own, and with the effects that their code may have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import effects as fx
from effects import tree_map
from examples.flops import flops
from examples.interval import Bounds, interval
from handlers import Log, checkpoint, custom_jvp, custom_vjp, debug_print, grad, jet, jvp, pmean, vmap
from lowering import jit
from tests.compositions.closure import leaves, same
from tests.laws.identity import boxed

type Unary = Callable[[Any], Any]


def cube_rule(primals: tuple[Any], tangents: tuple[Any]) -> tuple[Any, Any]:
    return cube(*primals), 3 * primals[0] * primals[0] * tangents[0]


@custom_jvp(cube_rule)
def cube(x: Any) -> Any:
    return x * x * x


@custom_vjp(lambda x: (x * x * x, x), lambda x, ct: (3 * x * x * ct,))
def reverse_cube(x: Any) -> Any:
    return x * x * x


@pytest.mark.parametrize("f", [cube, reverse_cube])
def test_handlers_of_ones_own(f: Unary) -> None:
    for value in (interval(f), interval(jit(f)), jit(interval(f))):
        assert value(Bounds(1.0, 2.0)) == Bounds(1, 8)
    for slope in (interval(grad(f)), interval(jit(grad(f))), interval(grad(jit(f))), jit(interval(grad(f)))):
        assert slope(Bounds(1.0, 2.0)) == Bounds(3, 12)
    assert grad(lambda x: interval(f)(Bounds(x, 2.0)).lo)(1.0) == 3  # of the bound, which the rule says nothing about
    for counted in (flops(f), flops(jit(f)), jit(flops(f)), flops(boxed(f)), boxed(flops(f))):
        assert counted(fx.asarray(2.0)) == (8, 2)
    for through in (lambda x: flops(f)(x)[0], lambda x: flops(jit(f))(x)[0], boxed(f), boxed(jit(f)), jit(boxed(f))):
        assert grad(through)(fx.asarray(2.0)) == jit(grad(through))(2.0) == 12
        assert fx.all(vmap(grad(through))(fx.asarray([1.0, 2.0])) == fx.asarray([3.0, 12.0]))


@pytest.mark.parametrize("f", [cube, reverse_cube])
def test_rules_pass_through_batching_and_boxes(f: Unary) -> None:
    tripled = custom_vjp(f)
    tripled.defvjp(lambda x: (f(x), ()), lambda _, ct: (100 * ct,))
    for g in (tripled, boxed(tripled), jit(boxed(jit(tripled))), lambda x: flops(tripled)(x)[0]):
        assert grad(g)(fx.asarray(2.0)) == 100
        assert fx.all(grad(lambda x, g=g: fx.sum(vmap(g)(x)))(fx.ones(3)) == 100)


def test_series_are_those_of_the_function() -> None:
    same(leaves(jet(cube, (2.0,), ((1.0, 0.0, 0.0),))), leaves(jet(lambda x: x**3, (2.0,), ((1.0, 0.0, 0.0),))), 1e-12)


def test_checkpointing_keeps_rules() -> None:
    tripled = custom_vjp(lambda x: x)
    tripled.defvjp(lambda x: (x, ()), lambda _, ct: (3 * ct,))
    f = lambda x: fx.sin(tripled(x))
    for g in (checkpoint(f), checkpoint(jit(f)), jit(checkpoint(f)), vmap(checkpoint(f))):
        assert grad(lambda x, g=g: fx.sum(g(x)))(fx.zeros(2))[0] == 3


def test_log_shows_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    with Log():
        cube(1.0)
    assert capsys.readouterr().out == "custom_call[definition=cube] float64[] -> float64[]\n"


def test_axis_names_are_seen_inside() -> None:
    def centred(x: Any) -> Any:
        f = custom_jvp(lambda x: x - pmean(x, "i"))
        f.defjvp(lambda primals, tangents: (f(*primals), 5 * tangents[0]))
        return f(x)

    x = fx.asarray([1.0, 2.0, 6.0])
    for f in (vmap(centred, axis_name="i"), jit(vmap(centred, axis_name="i")), vmap(jit(centred), axis_name="i")):
        assert fx.all(f(x) == x - 3)
        assert fx.all(jvp(f, (x,), (x,))[1] == 5 * x)
        assert fx.all(grad(lambda x, f=f: fx.sum(f(x)))(x) == 5)


def test_effects_of_each_part_happen_once(capsys: pytest.CaptureFixture[str]) -> None:
    def said(what: str, value: Any, *, of: Any) -> Any:
        debug_print(what + " {x}", x=of)
        return value

    @custom_vjp
    def f(x: Any) -> Any:
        return said("f", 2 * x, of=x)

    f.defvjp(lambda x: said("fwd", (2 * x, ()), of=x), lambda _, ct: said("bwd", (2 * ct,), of=ct))
    for call in (f, jit(f)):
        call(1.0)
        assert capsys.readouterr().out == "f 1.0\n"
    for slope in (grad(f), jit(grad(f)), grad(jit(f))):
        slope(1.0)
        assert capsys.readouterr().out == "fwd 1.0\nbwd 1.0\n"


def test_functions_with_rules_inside_one_another() -> None:
    def outer(x: Any, c: Any) -> Any:
        def inner(y: Any) -> Any:
            times = custom_jvp(lambda z: z * c)
            times.defjvp(lambda primals, tangents: (primals[0] * c, 10 * c * tangents[0]))
            return times(y) + c

        f = custom_jvp(inner)
        f.defjvp(lambda primals, tangents: (inner(*primals), grad(inner)(*primals) * tangents[0] * c))
        return f(x)

    xs, cs = fx.asarray([1.0, 2.0]), fx.asarray([3.0, 4.0])
    for f in (vmap(outer), jit(vmap(outer)), vmap(jit(outer))):
        assert fx.all(f(xs, cs) == xs * cs + cs)
    for g in (vmap(grad(outer)), vmap(grad(jit(outer))), vmap(jit(grad(outer))), jit(vmap(grad(jit(outer))))):
        assert fx.all(g(xs, cs) == 10 * cs * cs)


def test_results_are_trees() -> None:
    f = custom_jvp(lambda p: {"sum": p["a"] + p["b"], "none": None, "pair": (p["a"], 1)})
    f.defjvp(
        lambda primals, tangents: (f(*primals), tree_map(lambda _: None, {"sum": 0, "none": None, "pair": (0, 0)}))
    )
    p = {"a": fx.ones(2), "b": 2.0}
    out, rate = jit(lambda p: jvp(f, (p,), (p,)))(p)
    assert fx.all(out["sum"] == 3) and out["none"] is None and fx.all(rate["sum"] == 0) and rate["pair"][1] == 0
