"""Derivatives of linear algebra against differences, of complex numbers too, and where factors are not determined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import linalg
from effects.errors import MissingRule
from handlers import grad, jvp, vmap
from lowering import jit

RNG: Final = np.random.default_rng(11)
A: Final = fx.asarray(RNG.normal(size=(4, 4)) + 4 * np.eye(4))
Z: Final = A + 1j * fx.asarray(RNG.normal(size=(4, 4)))
TALL: Final = fx.asarray(RNG.normal(size=(5, 3)))
MASK: Final = fx.asarray(RNG.normal(size=(5, 5)))

type Function = Callable[[Any], fx.Array]


def size(x: Any) -> Any:
    """A real number that depends on every element."""
    weights = MASK[0, : x.size] if x.ndim == 1 else MASK[: x.shape[0], : x.shape[1]]
    return (
        fx.sum(weights * (fx.real(x) + 2.0 * fx.imag(x) + abs(x) ** 2))
        if x.dtype.rank == 3
        else fx.sum(weights * x * (x + 1))
    )


def projected(x: Any) -> Any:
    """What does not depend on the phases of vectors: u·f(s)·v."""
    u, s, v = linalg.svd(x, full_matrices=False)
    return (u * fx.sin(s)) @ v


def by_vectors(found: Any) -> Any:
    """The sine of the matrix with these eigenvalues and eigenvectors."""
    values, vectors = found
    return (vectors * fx.sin(values)) @ linalg.inv(vectors)


FUNCTIONS: Final[dict[str, tuple[Function, fx.Array]]] = {
    "svd complex": (lambda x: size(projected(x)), Z[:, :3]),
    "svd complex wide": (lambda x: size(projected(x)), Z[:2]),
    "eigh complex": (lambda x: size(by_vectors(linalg.eigh(x))), Z),
    "eig": (lambda x: size(by_vectors(linalg.eig(x))), A),
    "pinv": (lambda x: size(linalg.pinv(x)), TALL),
    "pinv wide complex": (lambda x: size(linalg.pinv(x)), Z[:2]),
    "lstsq": (lambda x: size(linalg.lstsq(x, MASK[0]).x), TALL),
    "polar": (lambda x: size(linalg.polar(x).unitary), TALL),
    "polar wide complex": (lambda x: size(linalg.polar(x).positive), Z[:3]),
    "householder_product": (lambda x: size(linalg.householder_product(x, x[0] / 9)), TALL),
    "expm": (lambda x: size(linalg.expm(x / 3)), Z),
    "sqrtm": (lambda x: size(linalg.sqrtm(x)), A),
    "logm": (lambda x: size(linalg.logm(x)), Z),
    "funm": (lambda x: size(linalg.funm(x, fx.sin)), A),
    "qr pivoting": (lambda x: size(linalg.qr(x, pivoting=True).Q[:3]), TALL),
    "eigh of two": (lambda x: size(by_vectors(linalg.eigh(x, b=x @ x.mT))), A),
    "solve_sylvester": (lambda x: size(linalg.solve_sylvester(x, x[:2, :2] + 1, fx.sin(x[:, :2]))), Z),
    "tensorsolve": (lambda x: size(linalg.tensorsolve(x.reshape(2, 2, 4), x[:2, :2]).reshape(2, 2)), A),
    "made of others": (
        lambda x: size(
            linalg.hankel(x[0], x[1]) @ linalg.circulant(x[2]) @ linalg.leslie(x[3], x[0, :3])
            + fx.pad(linalg.companion(x[1]), ((0, 1), (0, 1)))
        ),
        A,
    ),
    "nuc": (lambda x: linalg.matrix_norm(x, ord="nuc"), Z),
    "cond": (lambda x: linalg.cond(x, "fro"), A),
    "lu_solve": (lambda x: size(linalg.lu_solve(linalg.lu_factor(x), MASK[:4, :4], "C")), Z),
}


def difference(f: Callable[[Any], Any], x: fx.Array, t: fx.Array) -> Any:
    return (f(x + 1e-6 * t) - f(x - 1e-6 * t)) / 2e-6


@pytest.mark.parametrize("name", FUNCTIONS)
def test_forwards_backwards_and_second_order(name: str) -> None:
    f, x = FUNCTIONS[name]
    t, other = (fx.astype(fx.asarray(RNG.normal(size=x.shape)), x.dtype) for _ in range(2))
    if x.dtype.rank == 3:
        t, other = t * (1 + 0.5j), other * (0.3 - 1j)
    slope: Function = lambda x: fx.real(fx.sum(grad(f)(x) * t))
    expected = float(difference(f, x, t))
    actual, twice = jit(lambda x: (slope(x), jvp(slope, (x,), (other,))[1]))(x)
    np.testing.assert_allclose(float(actual), expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(float(jvp(f, (x,), (t,))[1]), expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(float(twice), float(difference(slope, x, other)), rtol=1e-5, atol=1e-5)


def _at_equal_values(f: Callable[[Any], Any]) -> Any:
    return grad(f)(fx.eye(3))


def test_where_factors_are_not_determined() -> None:
    assert bool(fx.any(fx.isnan(_at_equal_values(lambda x: linalg.eigh(x)[1][0, 1]))))
    assert bool(fx.any(fx.isnan(_at_equal_values(lambda x: linalg.svd(x)[0][0, 1]))))
    for f in (lambda x: fx.sum(linalg.eigvalsh(x)), lambda x: fx.sum(linalg.svdvals(x))):
        np.testing.assert_allclose(np.asarray(_at_equal_values(f)), np.eye(3), atol=1e-15)
    np.testing.assert_allclose(
        np.asarray(_at_equal_values(lambda x: fx.sum(linalg.pinv(x)))),
        np.asarray(_at_equal_values(lambda x: fx.sum(linalg.inv(x)))),
    )
    assert not bool(fx.any(fx.isnan(_at_equal_values(lambda x: linalg.polar(x).unitary[0, 1]))))
    undetermined: list[Callable[[], object]] = [
        lambda: grad(lambda x: linalg.svd(x)[0][0, 0])(TALL),
        lambda: grad(lambda x: linalg.qr(x, "complete").Q[0, 0])(TALL),
        lambda: grad(lambda x: linalg.schur(x).T[0, 0])(A),
    ]
    for refused in undetermined:
        with pytest.raises(MissingRule, match="no derivative"):
            refused()


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_the_derivative_of_a_determinant_is_the_cofactors_whatever_the_rank(rank: int) -> None:
    det: Function = linalg.det
    slope = grad(det)
    for n in (2, 3, 4):
        left, right = RNG.normal(size=(n, min(rank, n))), RNG.normal(size=(min(rank, n), n))
        x = np.round(3 * left @ right)
        x = x if rank < 3 or n < 4 else np.diag([1.0, 0.0, 2.0, 3.0])
        minors = [[np.delete(np.delete(x, i, 0), j, 1) for j in range(n)] for i in range(n)]
        signs = (-1.0) ** np.add.outer(np.arange(n), np.arange(n))
        expected = signs * np.reshape([np.linalg.det(m) for row in minors for m in row], (n, n))
        scale = np.abs(x).max(initial=1.0) ** (n - 1)
        for actual in (slope(fx.asarray(x)), vmap(slope)(fx.asarray(x)[None])[0]):
            np.testing.assert_allclose(np.asarray(actual), expected, atol=1e-10 * scale)
        tiny = 1e80 ** (n - 1) * np.asarray(slope(fx.asarray(1e-80 * x)))
        np.testing.assert_allclose(tiny, expected, atol=1e-10 * scale)


def test_norms_of_zeros_have_the_derivative_zero() -> None:
    for f in (linalg.vector_norm, linalg.matrix_norm, linalg.norm):
        g: Function = f
        np.testing.assert_array_equal(np.asarray(grad(g)(fx.zeros((2, 2)))), np.zeros((2, 2)))
