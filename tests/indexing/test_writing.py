"""`x.at[key]` writes as NumPy does to a copy: at once, compiled, batched; and its derivatives are right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, strategies as st

import effects as fx
from effects import Array
from effects.errors import EffaxError
from handlers import fori_loop, grad, hessian, jacfwd, jacrev, jvp, make_jaxpr, vjp, vmap
from lowering import jit
from tests.indexing.keys import Key, arrays_and_keys
from tests.indexing.test_reading import compiled, every, read, same

UFUNCS: Final[dict[str, Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "min": np.minimum,
    "max": np.maximum,
}
METHODS: Final = ("set", *UFUNCS)


def written(name: str, x: Any, key: Key, values: Any) -> Any:
    """What NumPy makes of a copy."""
    out = np.array(x)
    if name == "set":
        out[key] = values
    else:
        UFUNCS[name].at(out, key, values)
    return out


def close(actual: Array, expected: Any) -> None:
    assert actual.shape == expected.shape
    np.testing.assert_allclose(np.asarray(actual), expected, rtol=1e-13, atol=1e-13)


def values_for(x: Any, key: Key) -> Any:
    shape = read(x, key).shape
    return np.sin(1.0 + np.arange(np.prod(shape, dtype=int))).reshape(shape) + 2.0


@every
@given(arrays_and_keys(wrong=True), st.sampled_from(METHODS))
def test_at_once(case: tuple[Any, Key], name: str) -> None:
    x, key = case
    place = fx.asarray(x).at[key]
    expected = read(x, key)
    if expected is None:
        with pytest.raises(EffaxError):
            getattr(place, name)(1.0)
        return
    values = values_for(x, key)
    try:
        actual = getattr(place, name)(fx.asarray(values))
    except EffaxError:
        assert expected.size == 0  # where nothing is there NumPy takes masks that do not fit
        return
    close(actual, written(name, x, key, values))
    close(getattr(place, name)(2.5), written(name, x, key, 2.5))


@compiled
@given(arrays_and_keys(), st.sampled_from(METHODS))
def test_compiled(case: tuple[Any, Key], name: str) -> None:
    x, key = case
    expected = read(x, key)
    if expected is None or not expected.size:
        return
    values = values_for(x, key)
    close(jit(lambda a, v: getattr(a.at[key], name)(v))(x, values), written(name, x, key, values))


@every
@given(arrays_and_keys(), st.sampled_from(("set", "add", "min", "max")))
def test_slopes(case: tuple[Any, Key], name: str) -> None:
    x, key = case
    expected = read(x, key)
    if expected is None:
        return
    values = values_for(x, key)
    xs, step = fx.asarray(x + 0.01 * np.cos(x)), 1e-6
    tx, tv = fx.asarray(np.cos(3 * x)), fx.asarray(np.cos(5 * values))

    def f(a: Array, v: Array) -> Array:
        return getattr(a.at[key], name)(v)  # type: ignore[no-any-return]  # a method by its name

    v = fx.asarray(values)
    _, slope = jvp(f, (xs, v), (tx, tv))
    quotient = (f(xs + step * tx, v + step * tv) - f(xs - step * tx, v - step * tv)) / (2 * step)
    np.testing.assert_allclose(np.asarray(slope), np.asarray(quotient), rtol=1e-6, atol=1e-6)
    out, pull = vjp(f, xs, v)
    ct = fx.asarray(np.sin(7.0 + np.arange(x.size)).reshape(x.shape))
    cx, cv = pull(ct)
    left = float(fx.sum(ct * slope))
    assert np.isclose(left, float(fx.sum(cx * tx) + fx.sum(cv * tv)), rtol=1e-11, atol=1e-11)
    assert (cx.shape, cv.shape, out.shape) == (x.shape, values.shape, x.shape)


I = np.array([1, 3, 1, 0, 1])
X = fx.asarray([0.5, -1.5, 2.0, 3.0])


@pytest.mark.parametrize("values", [[1.5, 2.0, -0.5, 3.0, 0.7], [0.0, 2.0, -0.5, 3.0, 0.7], [0.0, 2.0, 0.0, 3.0, 0.0]])
def test_products_of_several_factors_are_differentiated_exactly(values: list[float]) -> None:
    """Also where factors are zero, and to second order: against the product written out."""
    v = fx.asarray(values)

    def scattered(x: Array, v: Array) -> Array:
        return fx.sum(x.at[I].multiply(v) * fx.arange(1.0, 5.0))

    def out(x: Array, v: Array) -> Array:
        return x[0] * v[3] + 2.0 * x[1] * v[0] * v[2] * v[4] + 3.0 * x[2] + 4.0 * x[3] * v[1]

    for k in (0, 1):
        close(grad(scattered, k)(X, v), np.asarray(grad(out, k)(X, v)))
        close(hessian(scattered, k)(X, v), np.asarray(hessian(out, k)(X, v)))
    close(jit(jacfwd(scattered, 1))(X, v), np.asarray(grad(out, 1)(X, v)))
    close(jit(jacrev(scattered, 1))(X, v), np.asarray(grad(out, 1)(X, v)))
    twice = fx.stack([v, v + 1.0])
    close(
        vmap(grad(scattered, 1), in_axes=(None, 0))(X, twice), np.stack([np.asarray(grad(out, 1)(X, w)) for w in twice])
    )


def test_extremes_share_what_is_attained_several_times() -> None:
    x = fx.asarray([1.0, 2.0, 3.0, 4.0])
    v = fx.asarray([2.0, 2.0, 5.0])
    i = np.array([1, 1, 0])
    gx, gv = grad(lambda x, v: fx.sum(x.at[i].max(v) * fx.asarray([1.0, 6.0, 1.0, 1.0])), (0, 1))(x, v)
    assert gx.tolist() == [0.0, 2.0, 1.0, 1.0] and gv.tolist() == [2.0, 2.0, 1.0]
    nan = grad(lambda x: fx.sum(x.at[i].min(v)))(fx.asarray([1.0, 2.0, fx.nan, 4.0]))
    assert nan.tolist()[2] == 1.0  # nothing is written there


def test_the_last_of_several_values_is_left_and_has_the_cotangent() -> None:
    v = fx.arange(5.0)
    assert X.at[I].set(v).tolist() == [3.0, 4.0, 2.0, 1.0] == jit(lambda x, v: x.at[I].set(v))(X, v).tolist()

    def total(v: Array) -> Array:
        return fx.sum(X.at[I].set(v))

    assert grad(total)(v).tolist() == [0.0, 1.0, 0.0, 1.0, 1.0] == jit(grad(total))(v).tolist()


MODES: Final[dict[str, list[int | None]]] = {
    "clip": [0, 3, 3, 0, 2],
    "drop": [0, None, None, None, 2],
    "wrap": [0, 1, 1, 3, 2],
}
OUT: Final = np.array([0, 5, 9, -9, -2])


@pytest.mark.parametrize("mode", ["clip", "drop", "wrap"])
@pytest.mark.parametrize("name", ["set", "add", "multiply", "min", "max"])
def test_modes(mode: str, name: str) -> None:
    """At once, compiled and differentiated, by a loop over the positions that a mode leaves."""
    v = np.array([1.5, -2.0, 0.5, 4.0, 2.5])
    expected = np.array(X)
    for place, value in zip(MODES[mode], v, strict=True):
        if place is not None:
            expected = written(name, expected, [place], value)

    def f(x: Array, v: Array) -> Array:
        return getattr(x.at[OUT], name)(v, mode=mode)  # type: ignore[no-any-return]  # a method by its name

    values = fx.asarray(v)
    close(f(X, values), expected)
    close(jit(f)(X, values), expected)
    close(jit(lambda x, v, i: getattr(x.at[i], name)(v, mode=mode))(X, values, OUT), expected)
    jac = np.asarray(jacrev(f, 1)(X, values))
    assert not jac[:, [k for k, p in enumerate(MODES[mode]) if p is None]].any(), "what is dropped has no cotangent"
    np.testing.assert_allclose(jac, np.asarray(jacfwd(f, 1)(X, values)), rtol=1e-12)


def _filled(x: Array, mode: Any) -> Array:
    return fx.sum(x.at[OUT].get(mode=mode))


def test_reading_by_modes() -> None:
    place = X.at[OUT]
    assert place.get(mode="clip").tolist() == [0.5, 3.0, 3.0, 0.5, 2.0]
    assert place.get(mode="wrap").tolist() == [0.5, -1.5, -1.5, 3.0, 2.0]
    assert place.get(mode="fill", fill_value=7).tolist() == [0.5, 7.0, 7.0, 7.0, 2.0]
    assert np.isnan(np.asarray(place.get(mode="fill"))).tolist() == [False, True, True, True, False]
    small = fx.asarray([1, 2], dtype=fx.int8)
    assert small.at[5].get(mode="fill").tolist() == -128 and fx.astype(small, fx.uint8).at[5].get(mode="drop") == 255
    for mode, ct in (("clip", [2.0, 0.0, 1.0, 2.0]), ("fill", [1.0, 0.0, 1.0, 0.0]), ("wrap", [1.0, 2.0, 1.0, 1.0])):
        gradient: Callable[[Array], Array] = grad(partial(_filled, mode=mode))
        assert gradient(X).tolist() == ct == jit(gradient)(X).tolist(), mode
    compiled_read = jit(lambda x, i: x[i])(X, OUT)
    assert compiled_read.tolist() == [0.5, 3.0, 3.0, 0.5, 2.0]
    assert jit(lambda x, i: x.at[i].set(0.0))(X, OUT).tolist() == [0.0, -1.5, 0.0, 3.0]


def _masked(x: Array, name: str) -> Array:
    return getattr(x.at[x > 2], name)(2.0)  # type: ignore[no-any-return]  # a method by its name


def test_masks_that_are_not_known() -> None:
    x = np.arange(6.0).reshape(2, 3)
    for name in METHODS:
        f: Any = jit(partial(_masked, name=name))
        close(f(x), written(name, x, x > 2, 2.0))
    rows = np.array([1.0, 2.0, 3.0])
    g: Any = jit(lambda x, m: x.at[m].add(rows))
    close(g(x, np.array([False, True])), written("add", x, np.array([False, True]), rows))
    close(jit(lambda x: x.at[x > 2].apply(fx.square))(x), np.where(x > 2, x * x, x))
    close(vmap(lambda x: x.at[x > 2].set(0.0))(x), np.where(x > 2, 0.0, x))


@pytest.mark.parametrize("dtype", [fx.bfloat16, fx.float16, fx.float8_e4m3fn])
def test_narrow_floats_are_added_wide_and_rounded_once(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    v = fx.astype(fx.asarray(rng.uniform(0.5, 1.0, 400)), dtype)
    x = fx.zeros(4, dtype=dtype)
    i = rng.integers(0, 4, 400)
    exact = np.zeros(4, np.float32)
    np.add.at(exact, i, np.asarray(v).astype(np.float32))
    expected = fx.astype(fx.asarray(exact), dtype)

    def add(x: Array, v: Array) -> Array:
        return x.at[i].add(v)

    assert add(x, v).tolist() == expected.tolist() == jit(add)(x, v).tolist()


def test_complex_and_integer_elements() -> None:
    z = fx.asarray([1 + 2j, 3 - 1j, 0.5j])
    close(z.at[[0, 0, 2]].multiply(1j), written("multiply", np.asarray(z), [0, 0, 2], 1j))
    close(jit(lambda z: z.at[[0, 0, 2]].add(1j))(z), written("add", np.asarray(z), [0, 0, 2], 1j))
    n = fx.asarray([250, 3], dtype=fx.uint8)
    assert n.at[[0, 0, 1]].add(4).tolist() == [2, 7] and n.at[1].subtract(4).tolist() == [250, 255]


def test_powers_and_functions() -> None:
    assert X.at[1:].power(2.0).tolist() == [0.5, 2.25, 4.0, 9.0]
    assert X.at[[0, 9]].power(2.0, mode="drop").tolist() == [0.25, -1.5, 2.0, 3.0]
    assert X.at[[0, 0]].apply(lambda v: v * 2).tolist() == [1.0, -1.5, 2.0, 3.0]
    same(fx.asarray([True, False]).at[1].set(True), np.array([True, True]))


def test_what_is_written_beside_slices_is_all_that_is_touched() -> None:
    """A part of a row in a loop: the array is neither sliced nor put together again."""
    x, k = fx.zeros((5, 4)), fx.asarray(2)
    for f in (lambda x, k: x.at[k, 0:2].set(1.0), lambda x, k: x.at[::-2, k, None].add(1.0)):
        names = {eqn.op.name for eqn in make_jaxpr(f)(x, k).eqns}
        assert names & {"scatter", "scatter_add"} and not names & {"slice", "dynamic_update_slice", "flip"}
    filled = fori_loop(0, 5, lambda i, x: x.at[i, 1:3].add(fx.astype(i, fx.float64)), x)
    same(filled, np.outer(np.arange(5.0), [0.0, 1.0, 1.0, 0.0]))
