"""Collectives against NumPy on the whole arrays, through jit, nested maps, and derivatives on either side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import Array
from handlers import (
    all_gather,
    all_to_all,
    axes_in_scope,
    axis_index,
    axis_size,
    cond,
    grad,
    hessian,
    jacfwd,
    jacrev,
    make_jaxpr,
    pmax,
    pmean,
    pmin,
    ppermute,
    psum,
    psum_scatter,
    scan,
    vmap,
    while_loop,
)
from lowering import jit

type Lanes = np.ndarray[Any, Any]

N: Final = 3
X: Final = np.sin(np.arange(1.0, 1 + N * 6 * 2)).reshape(N, 6, 2)
PLACES: Final[dict[str, Callable[[Callable[[Any], Any]], Callable[[Any], Any]]]] = {
    "vmap": lambda f: vmap(f, axis_name="i"),
    "jit of vmap": lambda f: jit(vmap(f, axis_name="i")),
    "vmap of jit": lambda f: vmap(jit(f), axis_name="i"),
    "jit of vmap of jit": lambda f: jit(vmap(jit(f), axis_name="i")),
    "inside another vmap": lambda f: lambda x: vmap(vmap(f, axis_name="i"), axis_name="j")(fx.stack([x, x]))[0],
    "around another vmap": lambda f: (
        lambda x: vmap(
            lambda v: vmap(f, in_axes=1, out_axes=0, axis_name="j")(fx.stack([v, v], axis=1))[1], axis_name="i"
        )(x)
    ),
    "shadowed": lambda f: lambda x: vmap(lambda v: vmap(f, axis_name="i")(x), axis_name="i")(x)[0],
}


def _all(reduced: Lanes) -> Lanes:
    return np.stack([reduced] * N)


COLLECTIVES: Final[dict[str, tuple[Callable[[Array], Any], Callable[[Lanes], Lanes]]]] = {
    "psum": (lambda x: psum(x, "i"), lambda v: _all(v.sum(0))),
    "pmean": (lambda x: pmean(x, "i"), lambda v: _all(v.mean(0))),
    "pmax": (lambda x: pmax(x, "i"), lambda v: _all(v.max(0))),
    "pmin": (lambda x: pmin(x, "i"), lambda v: _all(v.min(0))),
    "psum, one name in a tuple": (lambda x: psum(x, ("i",)), lambda v: _all(v.sum(0))),
    "axis_index": (lambda x: x * axis_index("i"), lambda v: v * np.arange(N).reshape(N, 1, 1)),
    "axis_size": (lambda x: x * axis_size("i"), lambda v: v * N),
    "all_gather": (lambda x: all_gather(x, "i"), _all),
    "all_gather, axis 1": (lambda x: all_gather(x, "i", axis=1), lambda v: _all(np.moveaxis(v, 0, 1))),
    "all_gather, axis -1": (lambda x: all_gather(x, "i", axis=-1), lambda v: _all(np.moveaxis(v, 0, 2))),
    "all_gather, tiled": (lambda x: all_gather(x, "i", axis=1, tiled=True), lambda v: _all(np.concatenate(v, axis=1))),
    "psum_scatter": (lambda x: psum_scatter(x[:N], "i"), lambda v: v.sum(0)[:N]),
    "psum_scatter, tiled": (lambda x: psum_scatter(x, "i", tiled=True), lambda v: v.sum(0).reshape(N, 2, 2)),
    "all_to_all": (lambda x: all_to_all(x[:N], "i", 0, 0), lambda v: np.swapaxes(v[:, :N], 0, 1)),
    "all_to_all, other axis": (lambda x: all_to_all(x[:N], "i", 0, 1), lambda v: np.moveaxis(v[:, :N], 0, 2)),
    "all_to_all, tiled": (
        lambda x: all_to_all(x, "i", 0, 1, tiled=True),
        lambda v: np.stack([np.concatenate([x[2 * i : 2 * i + 2] for x in v], axis=1) for i in range(N)]),
    ),
    "ppermute": (lambda x: ppermute(x, "i", [(0, 2), (2, 1)]), lambda v: np.stack([v[0] * 0, v[2], v[0]])),
    "ppermute, around": (
        lambda x: ppermute(x, "i", [(j, (j + 1) % N) for j in range(N)]),
        lambda v: np.roll(v, 1, axis=0),
    ),
    "ppermute, none": (lambda x: ppermute(x, "i", []), np.zeros_like),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", COLLECTIVES)
def test_values(name: str, place: str) -> None:
    f, expected = COLLECTIVES[name]
    np.testing.assert_allclose(np.asarray(PLACES[place](f)(fx.asarray(X))), expected(X), rtol=1e-13)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", COLLECTIVES)
def test_of_what_is_the_same_in_every_lane(name: str, place: str) -> None:
    f, expected = COLLECTIVES[name]
    same = fx.asarray(X[0])
    out = PLACES[place](lambda x: f(same) + 0 * fx.sum(x))(fx.asarray(X))
    np.testing.assert_allclose(np.asarray(out), expected(_all(X[0])), rtol=1e-13)


@pytest.mark.parametrize("name", COLLECTIVES)
def test_derivatives_agree_on_both_sides_of_the_axis(name: str) -> None:
    """Inside, the derivative is that of the sum of all lanes' results; so it is outside, of that sum."""
    f = COLLECTIVES[name][0]

    def lane(x: Array) -> Array:
        gathered = f(fx.sin(x) * x)
        return fx.sum(gathered * gathered * (1 + fx.sum(x)))

    def total(x: Array) -> Array:
        return fx.sum(vmap(lane, axis_name="i")(x))

    x = fx.asarray(X)
    expected = np.asarray(grad(total)(x))
    step = 1e-6 * np.cos(np.arange(X.size)).reshape(X.shape)
    slope = (total(fx.asarray(X + step)) - total(fx.asarray(X - step))) / 2
    np.testing.assert_allclose(float(slope), np.sum(expected * step), rtol=1e-7)
    insides: list[Callable[[Array], Array]] = [grad(lane), jit(grad(lane)), grad(jit(lane)), jacrev(lane)]
    for inside in insides:
        np.testing.assert_allclose(np.asarray(vmap(inside, axis_name="i")(x)), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(np.asarray(jit(grad(jit(total)))(x)), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(np.asarray(jacfwd(total)(x)), expected, rtol=1e-12, atol=1e-14)


def test_second_derivatives() -> None:
    def total(x: Array) -> Array:
        return fx.sum(vmap(lambda v: psum(fx.sin(v), "i") * v**3 + pmax(v, "i") ** 2 * v, axis_name="i")(x))

    def plain(x: Array) -> Array:
        return fx.sum(fx.sum(fx.sin(x)) * x**3 + fx.max(x) ** 2 * x)

    x = fx.asarray(X[:, 0, 0])
    expected = np.asarray(hessian(plain)(x))
    for f in (total, jit(total)):
        np.testing.assert_allclose(np.asarray(hessian(f)(x)), expected, rtol=1e-12, atol=1e-14)


def test_several_axes() -> None:
    x = fx.asarray(X[:, :, 0])

    def mapped(f: Callable[[Array], Any]) -> Any:
        return vmap(vmap(f, axis_name="j"), axis_name="i")(x)

    v = X[:, :, 0]
    assert np.allclose(mapped(lambda u: psum(u, ("i", "j"))), np.full_like(v, v.sum()))
    assert np.allclose(mapped(lambda u: psum(u, ("j", "i"))), np.full_like(v, v.sum()))
    assert np.allclose(mapped(lambda u: pmean(u, ("j", "i"))), np.full_like(v, v.mean()))
    assert np.allclose(mapped(lambda u: psum(u, "j") + pmax(u, "i")), v.sum(1, keepdims=True) + v.max(0, keepdims=True))
    assert mapped(lambda u: axis_index(("i", "j"))).tolist() == np.arange(18).reshape(3, 6).tolist()
    assert mapped(lambda u: axis_index(("j", "i"))).tolist() == np.arange(18).reshape(6, 3).T.tolist()
    assert mapped(lambda u: u * 0 + axis_size(("i", "j"))).tolist() == np.full((3, 6), 18).tolist()


def test_trees_and_dtypes() -> None:
    def f(x: Array) -> Any:
        return psum({"x": x, "flags": x > 1, "one": 1, "half": x.astype(fx.float16)}, "i")

    out = vmap(f, axis_name="i", out_axes=None)(fx.arange(3, dtype=fx.int8))
    assert {k: (v.tolist(), str(v.dtype)) for k, v in out.items()} == {
        "x": (3, "int8"),
        "flags": (1, "int64"),
        "one": (3, "int64"),
        "half": (3, "float16"),
    }


def test_within_control_flow() -> None:
    x = fx.asarray(X[:, 0, 0])
    v = X[:, 0, 0]

    def branch(u: Array) -> Array:
        return cond(u > 0, lambda w: psum(w, "i"), lambda w: w * axis_index("i"), u)

    expected = np.where(v > 0, v.sum(), v * np.arange(N))
    for f in (vmap(branch, axis_name="i"), jit(vmap(branch, axis_name="i")), vmap(jit(branch), axis_name="i")):
        np.testing.assert_allclose(np.asarray(f(x)), expected)

    def normalised(u: Array) -> Array:
        out: Array = scan(lambda c, _: (c / psum(c, "i"), None), u * u, None, length=3)[0]
        return out

    for f in (vmap(normalised, axis_name="i"), jit(vmap(normalised, axis_name="i"))):
        np.testing.assert_allclose(np.asarray(f(x)), v * v / np.sum(v * v))

    def grown(u: Array) -> Array:
        return while_loop(lambda c: psum(c, "i") < 10, lambda c: 2 * c, u * u)

    total = np.sum(v * v)
    factor = 2 ** np.ceil(np.log2(10 / total))
    for f in (vmap(grown, axis_name="i"), jit(vmap(grown, axis_name="i"))):
        np.testing.assert_allclose(np.asarray(f(x)), v * v * factor)


def test_a_result_that_is_the_same_needs_no_axis() -> None:
    program = make_jaxpr(vmap(lambda x: psum(x, "i"), axis_name="i", out_axes=None))(fx.zeros((3, 2)))
    assert str(program) == "{ lambda a:float64[3,2] . let b:float64[2] = reduce_sum[axes=(0,)] a in ( b ) }"


def test_names_stay_in_a_program_that_is_traced_within() -> None:
    programs: list[str] = []

    def f(x: Array) -> Array:
        programs.append(str(make_jaxpr(lambda v: all_gather(v, "i"))(x)))
        return x

    vmap(f, axis_name="i")(fx.zeros(2))
    assert programs == [
        "{ lambda a:float64[] . let b:float64[2] = all_gather[axis_name='i', size=2, axis=0] a in ( b ) }"
    ]


def test_scope() -> None:
    seen: list[dict[Any, int]] = []

    def f(x: Array) -> Array:
        seen.append(axes_in_scope())
        return x

    vmap(vmap(vmap(f, axis_name="j")), axis_name="i")(fx.zeros((2, 3, 4)))
    grad(lambda x: fx.sum(jit(vmap(jit(f), axis_name=7))(x)))(fx.zeros(5))
    assert list(seen[0].items()) == [("j", 4), ("i", 2)] and seen[1] == {7: 5} and axes_in_scope() == {}


def test_one_function_under_axes_of_different_sizes() -> None:
    f = jit(lambda x: fx.sum(all_gather(x, "i")) * axis_size("i"))
    for size in (2, 5, 2):
        assert vmap(f, axis_name="i")(fx.ones(size)).tolist() == [size * size] * size


LANES: Final[dict[str, Callable[[Callable[[], Array], int], Array]]] = {
    "vmap": lambda f, n: vmap(f, axis_name="i", axis_size=n)(),
    "jit of vmap": lambda f, n: jit(vmap(f, axis_name="i", axis_size=n))(),
    "vmap of jit": lambda f, n: vmap(jit(f), axis_name="i", axis_size=n)(),
    "inside another vmap": lambda f, n: vmap(lambda _: vmap(f, axis_name="i", axis_size=n)())(fx.zeros(2))[1],
}


@pytest.mark.parametrize("place", LANES)
@pytest.mark.parametrize("size", [0, 1, 3, np.int64(3)])
def test_lanes_without_a_mapped_argument(place: str, size: int) -> None:
    lanes = LANES[place]
    assert lanes(lambda: axis_index("i") * 2, size).tolist() == [2 * i for i in range(size)]
    assert lanes(lambda: psum(axis_index("i"), "i"), size).tolist() == [sum(range(size))] * size
    assert lanes(lambda: fx.asarray(1.0) * axis_size("i"), size).tolist() == [float(size)] * size


def test_a_derivative_of_lanes_that_share_their_argument() -> None:
    f = vmap(lambda x: x * axis_index("i"), in_axes=None, axis_name="i", axis_size=4)
    assert grad(lambda x: fx.sum(f(x)))(2.0) == grad(lambda x: fx.sum(jit(f)(x)))(2.0) == 6.0
    assert jacfwd(f)(2.0).tolist() == jacfwd(jit(f))(2.0).tolist() == [0.0, 1.0, 2.0, 3.0]
