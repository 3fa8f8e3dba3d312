"""Functions with rules of their own as the reference documents describe them, and what goes beyond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import ArgumentError, EffaxError, MissingRule
from handlers import cond, custom_jvp, custom_vjp, grad, hessian, jacrev, jvp, linear_transpose, linearize, vmap
from lowering import jit
from tests.errors.expect import marked_line, refusal

ONES = fx.ones(4)


def refusal_at(f: Callable[..., object], kind: type[EffaxError], of: Callable[[], object]) -> EffaxError:
    """The error of calling `of`, which points at the marked line of `f`."""
    with pytest.raises(kind) as caught:
        of()
    source = caught.value.source
    assert source is not None and (source.file, source.line) == marked_line(f)
    return caught.value


@custom_vjp(lambda x: (2 * x, ()), lambda _, ct: (3 * ct,))
def doubled(x: Any) -> Any:
    return 2 * x


@pytest.mark.parametrize("f", [doubled, jit(doubled), jit(jit(doubled))])
def test_rule_is_kept_in_any_order(f: Any) -> None:
    assert grad(f)(1.0) == jit(grad(f))(1.0) == 3
    for batched in (
        vmap(grad(f))(ONES),
        jit(vmap(grad(f)))(ONES),
        vmap(jit(grad(f)))(ONES),
        grad(lambda x: vmap(f)(x).sum())(ONES),
        grad(lambda x: jit(vmap(f))(x).sum())(ONES),
        jit(grad(lambda x: vmap(f)(x).sum()))(ONES),
    ):
        assert batched.shape == (4,) and fx.all(batched == 3)


def test_python_runs_inside_when_eager(capsys: pytest.CaptureFixture[str]) -> None:
    def rule(primals: tuple[Any], tangents: tuple[Any]) -> tuple[Any, Any]:
        (x,), (dx,) = primals, tangents
        if x > 0:
            print("above")
        return branching(x), dx * (1.0 if x > 0 else 10.0)

    @custom_jvp(rule)
    def branching(x: Any) -> Any:
        print("value", float(x))
        return x if x > 0 else 10.0 * x

    assert branching(3.0) == 3 and branching(-1.0) == -10
    assert capsys.readouterr().out == "value 3.0\nvalue -1.0\n"
    assert jvp(branching, (-2.0,), (1.0,)) == (-20, 10)
    assert capsys.readouterr().out == "value -2.0\n"
    assert grad(branching)(2.0) == 1
    assert capsys.readouterr().out == "above\nvalue 2.0\n"


def test_residuals_of_any_tree_and_keywords() -> None:
    seen: list[Any] = []

    def fwd(x: dict[str, Any], scale: float, shift: float) -> Any:
        return x["a"] * scale + shift, {"x": x, "name": "kept", "none": None, "more": [(scale,)], "f": abs}

    def bwd(kept: Any, ct: Any) -> Any:
        seen.append((kept["name"], kept["none"], kept["f"]))
        return {"a": ct * kept["more"][0][0], "b": None}, None, ct

    @custom_vjp(fwd, bwd)
    def affine(x: dict[str, Any], scale: float, shift: float = 0.5) -> Any:
        return x["a"] * scale + shift

    x: Any = {"a": fx.asarray(2.0), "b": fx.asarray(5.0)}
    for f in (affine, jit(affine)):
        loss = lambda x, scale, shift, f=f: f(shift=shift, x=x, scale=scale)
        assert affine(x, 3.0) == 6.5
        gx, gscale, gshift = grad(loss, argnums=(0, 1, 2))(x, 3.0, 1.0)
        assert gx["a"] == 3 and gx["b"] == 0 and gscale == 0 and gshift == 1
    assert seen[0] == ("kept", None, abs)


def test_nondiff_argnums() -> None:
    @lambda f: custom_vjp(f, nondiff_argnums=(0, 2))
    def applied(f: Any, x: Any, shape: tuple[int, ...]) -> Any:
        return fx.reshape(f(x), shape)

    def fwd(f: Any, x: Any, shape: tuple[int, ...]) -> Any:
        return fx.reshape(f(x), shape), x

    def bwd(f: Any, shape: tuple[int, ...], x: Any, ct: Any) -> Any:
        return (7 * fx.cos(x) * fx.reshape(ct, x.shape),)

    applied.defvjp(fwd, bwd)
    x = fx.ones((2, 2))
    g = grad(lambda x: fx.sum(applied(fx.sin, x, (4,))))
    for found in (g(x), jit(g)(x), vmap(g)(x[None])[0]):
        np.testing.assert_allclose(found, 7 * np.cos(np.ones((2, 2))), rtol=1e-14)
    assert jit(lambda x: applied(fx.sin, x, (4,)))(x).shape == (4,)

    def with_array(y: Any) -> Any:
        return applied(fx.sin, fx.ones(2), y)  # here

    error = refusal_at(with_array, ArgumentError, lambda: with_array(fx.asarray([2])))
    advice = ("argument shape of applied", "in nondiff_argnums and holds an array", "Take it out of nondiff_argnums")
    assert all(word in str(error) for word in advice)
    with pytest.raises(ArgumentError, match="holds an array"):
        jit(with_array)(2)


@custom_vjp(lambda lo, hi, x: (x, (lo, hi)), lambda kept, ct: (None, None, fx.clip(ct, *kept)))
def clip_gradient(lo: float, hi: float, x: Any) -> Any:
    return x


@pytest.mark.parametrize("wrap", [lambda f: f, jit])
def test_clip_gradient(wrap: Any) -> None:
    def loss(lo: float, hi: float, x: Any) -> Any:
        return 5.0 * wrap(clip_gradient)(lo, hi, x)

    assert wrap(grad(loss, 2))(-1.0, 1.0, 2.0) == 1
    assert wrap(grad(loss))(-1.0, 1.0, 2.0) == 0
    his = fx.asarray([1.0, 2.0, 9.0])
    assert fx.all(wrap(vmap(grad(loss, 2), in_axes=(None, 0, None)))(-1.0, his, 2.0) == fx.asarray([1.0, 2.0, 5.0]))
    total = lambda x: fx.sum(vmap(loss, in_axes=(None, 0, None))(-1.0, his, x))
    assert wrap(grad(total))(2.0) == 8


def outer(x: Any, y: Any) -> Any:
    """A custom function of x that closes over y, and so does its rule."""
    product = custom_jvp(lambda z: z * y)
    product.defjvp(lambda primals, tangents: (primals[0] * y, 10 * tangents[0] * cond(y > 0, lambda: y, lambda: -y)))
    return product(x)


XS, YS = fx.asarray([1.0, 2.0]), fx.asarray([3.0, -4.0])


def test_not_with_respect_to_a_closed_over_value() -> None:
    words = ("<lambda>: a value that it closes over, float64[], is being differentiated", "make it an argument")

    def closing(y: Any) -> Any:
        times = custom_jvp(lambda z: z * y)
        times.defjvp(lambda primals, tangents: (primals[0] * y, tangents[0] * y))
        return times(y)  # here

    def differentiated() -> object:
        return grad(closing)(2.0)

    error = refusal_at(closing, ArgumentError, differentiated)
    assert all(word in str(error) for word in (*words, "stop_gradient"))
    for f in (grad(outer, 1), grad(jit(outer), 1), jit(grad(outer, 1))):
        with pytest.raises(ArgumentError, match="a value that it closes over"):
            f(XS[0], YS[0])
    with pytest.raises(ArgumentError, match="a value that it closes over"):
        vmap(grad(outer, 1))(XS, YS)


def test_a_held_value_that_is_not_used_may_vary() -> None:
    def f(params: dict[str, Any], x: Any) -> Any:
        scaled = custom_jvp(lambda z: z * params["fixed"])
        scaled.defjvp(lambda p, t: (p[0] * params["fixed"], 5 * t[0]))
        return scaled(x) * params["w"]

    params = {"fixed": 2.0, "w": 3.0}
    free = lambda w, x: f({**params, "w": w}, x)
    assert grad(free)(3.0, 1.0) == 2 and grad(free, 1)(3.0, 1.0) == 15


@custom_jvp
def both(x: Any) -> Any:
    return fx.sin(x)


both.defjvp(lambda primals, tangents: (both(*primals), 5 * tangents[0]))
both.defvjp(lambda x: (both(x), x), lambda x, ct: (7 * x * ct,))


def test_both_rules() -> None:
    assert jvp(both, (2.0,), (1.0,))[1] == jit(lambda x: jvp(both, (x,), (1.0,))[1])(2.0) == 5
    assert jvp(jit(both), (2.0,), (1.0,))[1] == linearize(both, 2.0)[1](1.0) == 5
    assert grad(both)(2.0) == jit(grad(both))(2.0) == grad(jit(both))(2.0) == jacrev(both)(2.0) == 14
    assert fx.all(vmap(grad(both))(XS) == 7 * XS)
    assert hessian(both)(2.0) == grad(grad(both))(2.0) == 7


def test_forward_mode_is_missing() -> None:
    words = ("doubled has a reverse rule only: forward mode", "is missing", "jacrev(jacrev(f))", "doubled.defjvp")
    assert jacrev(jacrev(doubled))(2.0) == 0
    refusal(MissingRule, *words, of=lambda: jvp(doubled, (1.0,), (1.0,)))
    refusal(MissingRule, *words, of=lambda: jvp(jit(doubled), (1.0,), (1.0,)))
    refusal(MissingRule, *words, of=lambda: jit(lambda x: jvp(doubled, (x,), (1.0,)))(1.0))
    refusal(MissingRule, *words, of=lambda: jvp(vmap(doubled), (ONES,), (ONES,)))
    refusal(MissingRule, *words, of=lambda: linearize(doubled, 1.0)[1](1.0))
    for f in (doubled, jit(doubled)):
        total = lambda t, f=f: jvp(vmap(f), (ONES,), (t * ONES,))[1].sum()
        assert linear_transpose(total, 1.0)(1.0) == (12,)  # linear in t, and nothing is run forwards
