"""Einstein summations of several operands in every order, and contractions in a dtype of choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.functions.products.einsum import contraction_path
from handlers import grad, jvp, make_jaxpr, vmap
from lowering import jit

_RNG: Final = np.random.default_rng(5)
SPECS: Final = [
    ("ij,jk,kl->il", ((3, 4), (4, 5), (5, 2))),
    ("ij,jk,kl,lm", ((2, 9), (9, 3), (3, 8), (8, 2))),
    ("i,i,i->i", ((3,), (3,), (3,))),
    ("ii,ij,...j->...", ((3, 3), (3, 2), (4, 5, 2))),
    ("...i,...ij,...j->...", ((4, 2), (1, 2, 3), (4, 3))),
    ("ab,cd,ef->", ((2, 3), (3, 2), (1, 4))),
    ("ij,jk,kl->il", ((3, 0), (0, 5), (5, 2))),
    ("ij,jk,kl->il", ((0, 3), (3, 5), (5, 0))),
]
ORDERS: Final[tuple[Any, ...]] = (True, False, "greedy", "optimal")


@pytest.mark.parametrize("optimize", ORDERS)
@pytest.mark.parametrize(("spec", "shapes"), SPECS)
def test_every_order_gives_the_same(spec: str, shapes: tuple[tuple[int, ...], ...], optimize: Any) -> None:
    operands = [_RNG.normal(size=shape) for shape in shapes]
    expected = np.einsum(spec, *operands)
    np.testing.assert_allclose(fx.einsum(spec, *operands, optimize=optimize), expected, rtol=1e-12, atol=1e-12)
    compiled = jit(lambda *xs: fx.einsum(spec, *xs, optimize=optimize))(*operands)
    np.testing.assert_allclose(compiled, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("spec", "shapes"), SPECS)
def test_axes_may_have_numbers(spec: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    operands = [_RNG.normal(size=shape) for shape in shapes]
    inputs, _, output = spec.partition("->")
    of: Any = lambda term: [... if c == "." else ord(c) - ord("a") for c in term.replace("...", ".")]
    given = [x for pair in zip(operands, map(of, inputs.split(",")), strict=True) for x in pair]
    given += [of(output)] if "->" in spec else []
    einsum: Any = fx.einsum
    expected = np.einsum(*given)
    np.testing.assert_allclose(einsum(*given), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.einsum(fx.asarray(given[0]), *given[1:]), expected, rtol=1e-12, atol=1e-12)


def test_numpys_own_paths_are_taken() -> None:
    spec, shapes = SPECS[1]
    operands = [_RNG.normal(size=shape) for shape in shapes]
    path: Any = np.einsum_path(spec, *operands, optimize="optimal")[0]
    expected = np.einsum(spec, *operands)
    for given in (path, path[1:], [(0, 1, 2, 3)], [(3, 1), (0, 2), (0, 1)]):
        np.testing.assert_allclose(fx.einsum(spec, *operands, optimize=given), expected, rtol=1e-12)


def _largest(optimize: Any) -> int:
    program = make_jaxpr(lambda *xs: fx.einsum("ij,jk,kl->il", *xs, optimize=optimize))(
        fx.ones((50, 2)), fx.ones((2, 50)), fx.ones((50, 3))
    )
    return max([out.aval.size for eqn in program.eqns for out in eqn.outs])


def test_a_cheap_order_is_found() -> None:
    assert _largest(False) == _largest([(0, 1), (0, 1)]) == 2500
    assert _largest(True) == _largest("optimal") == 150


def test_more_labels_than_letters() -> None:
    many = [chr(0x100 + i) for i in range(60)]
    terms = ["".join(many[:30]), "".join(many[30:]), "".join(many[:1])]
    assert contraction_path(terms, "", dict.fromkeys(many, 1), True) == ((0, 1, 2),)


@pytest.mark.parametrize(
    "path", [[(0, 1)], [(0, 1), (0, 2)], [(0, 0), (0, 1)], [0, 1], "fast", 3, [("a", "b"), (0, 1)]], ids=str
)
def test_bad_orders_are_refused(path: Any) -> None:
    with pytest.raises(fx.ArgumentError, match=r"einsum: .*optimize"):
        fx.einsum("ij,jk,kl->il", fx.ones((2, 2)), fx.ones((2, 2)), fx.ones((2, 2)), optimize=path)


def test_products_in_a_dtype_of_choice() -> None:
    x = np.full((2, 3), 100, np.int8)
    actual = fx.dot_general(x, x, ((1,), (1,)), preferred_element_type="int32")
    assert actual.dtype is fx.int32
    np.testing.assert_array_equal(actual, np.full((2, 2), 30000))
    halves = fx.asarray(_RNG.normal(size=(4, 5)).astype(np.float16))

    def total(h: fx.Array) -> fx.Array:
        return fx.sum(fx.dot_general(h, h, ((1,), (1,)), preferred_element_type="float32", precision="highest"))

    assert total(halves).dtype is fx.float32 and grad(total)(halves).dtype is fx.float16
    wide = np.asarray(halves).astype(np.float32)
    np.testing.assert_allclose(jit(total)(halves), np.sum(wide @ wide.T), rtol=1e-5)


PRECISE: Final[dict[str, Callable[[fx.Array, fx.Array], fx.Array]]] = {
    "dot_general": lambda x, y: fx.dot_general(x, y, ((1,), (1,)), precision="highest"),
    "einsum": lambda x, y: fx.einsum("ij,kj->ik", x, y, precision="highest"),
    "conv": lambda x, y: fx.conv(x[None, None], y[None, None], precision="highest"),
    "ragged_dot": lambda x, y: fx.ragged_dot(x, y.T[None], np.array([3]), precision="highest"),
}


@pytest.mark.parametrize("name", PRECISE)
def test_derivatives_and_batches_are_as_precise(name: str) -> None:
    x = fx.asarray(_RNG.normal(size=(2, 3, 4)))

    def slopes(x: fx.Array, y: fx.Array) -> fx.Array:
        def total(x: fx.Array) -> fx.Array:
            return fx.sum(PRECISE[name](x, y) ** 2) + fx.sum(PRECISE[name](y, x) ** 2)

        along: fx.Array = jvp(grad(total), (x,), (y,))[1]
        return along

    found = [e.op.precision for e in make_jaxpr(vmap(slopes))(x, x).eqns if hasattr(e.op, "precision")]
    assert len(found) > 3 and set(found) == {"highest"}


def test_a_dtype_of_choice_is_that_of_tangents() -> None:
    x = fx.asarray(_RNG.normal(size=(3, 4)).astype(np.float16))

    def f(x: fx.Array) -> fx.Array:
        return fx.dot_general(x, x, ((1,), (1,)), preferred_element_type="float32")

    wide = np.asarray(x).astype(np.float32)
    out, slope = jit(lambda x: jvp(f, (x,), (x,)))(x)
    assert (out.dtype, slope.dtype) == (fx.float32, fx.float32)
    np.testing.assert_allclose(slope, 2 * wide @ wide.T, rtol=1e-5)
    back = jit(vmap(lambda row: grad(lambda r: fx.sum(f(r[None])))(row)))(x)
    assert back.dtype is fx.float16
    np.testing.assert_allclose(np.asarray(back), 2 * np.asarray(x), rtol=1e-3)


def test_what_would_drop_fractions_is_refused() -> None:
    x = np.array([1.5, 300.0])
    with pytest.raises(fx.DTypeError, match=r"dot_general: preferred_element_type int32 cannot hold x, float64\[2\]"):
        fx.dot_general(x, x, ((0,), (0,)), preferred_element_type="int32")
    with pytest.raises(fx.DTypeError, match=r"einsum: preferred_element_type bool cannot hold operands\[1\], int64"):
        fx.einsum("i,i", x > 2, np.array([1, 2]), preferred_element_type="bool")
    assert fx.einsum("i,i", x > 2, np.array([1, 2]), preferred_element_type="int8").dtype is fx.int8


def test_what_would_drop_imaginary_parts_is_refused() -> None:
    with pytest.raises(fx.DTypeError, match="drop the imaginary part"):
        fx.dot_general(np.ones(2, complex), np.ones(2), ((0,), (0,)), preferred_element_type="float32")
    with pytest.raises(fx.ArgumentError, match="precision must be"):
        fx.dot_general(np.ones(2), np.ones(2), ((0,), (0,)), precision="most")  # type: ignore[arg-type]  # a wrong word


def test_leading_zeros_count_for_no_roots_where_they_are_known() -> None:
    assert fx.roots(np.array([0.0, 0.0, 1.0, -3.0, 2.0])).tolist() == np.roots([1.0, -3.0, 2.0]).tolist()
    assert fx.roots(np.zeros(3)).shape == (0,)
    assert np.isnan(np.asarray(jit(fx.roots)(np.array([0.0, 1.0, 2.0])))).tolist() == [False, True]


def test_polynomials_and_vectors_that_are_refused() -> None:
    matrix = fx.ones((2, 2))
    for f in (fx.convolve, fx.correlate):
        with pytest.raises(fx.ShapeError, match="x1 must be a vector with at least one element"):
            f(matrix, matrix)
        with pytest.raises(fx.ShapeError, match="x2 must be a vector"):
            f(fx.ones(2), fx.ones(0))
        with pytest.raises(fx.ArgumentError, match="mode must be 'full', 'same' or 'valid'"):
            f(fx.ones(2), fx.ones(2), "all")  # type: ignore[arg-type]  # a wrong word
    with pytest.raises(fx.ShapeError, match=r"poly: roots must be a vector, .*write poly\(linalg.eigvals\(x\)\)"):
        fx.poly(matrix)
    with pytest.raises(fx.ShapeError, match="k must be one constant or 2, got 3"):
        fx.polyint(fx.ones(2), 2, [1.0, 2.0, 3.0])
