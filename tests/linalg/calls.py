"""Calls of linear algebra, each with NumPy's or SciPy's, and arguments for both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import scipy.linalg

import effects as fx
from effects import linalg

type Host = np.ndarray[Any, Any]

RNG: Final = np.random.default_rng(3)
A: Final = RNG.normal(size=(3, 4, 4)) + 4 * np.eye(4)
Z: Final = A + 1j * RNG.normal(size=(3, 4, 4))
B: Final = RNG.normal(size=(3, 4, 2))
TALL: Final = RNG.normal(size=(2, 5, 3))
ONE: Final = A[0]


def even(x: Host) -> Host:
    sum_: Host = x + x.conj().swapaxes(-1, -2)
    return sum_


def positive(x: Host) -> Host:
    gram: Host = x @ x.conj().swapaxes(-1, -2) + np.eye(x.shape[-1])
    return gram


def product(result: Any) -> Any:
    """The product of factors, which does not depend on signs."""
    factors = [np.asarray(part) for part in result]
    if len(factors) == 3 and factors[1].ndim < factors[0].ndim:
        factors[1] = factors[1][..., None] * np.eye(factors[0].shape[-1], factors[2].shape[-2])
    return (
        np.linalg.multi_dot(factors)
        if factors[0].ndim == 2
        else factors[0] @ factors[1] @ (factors[2] if len(factors) == 3 else np.eye(factors[1].shape[-1]))
    )


def eigen_residual(x: Any) -> Any:
    """x @ v - v * w, which is 0."""
    values, vectors = linalg.eig(x)
    return x @ vectors - vectors * values[..., None, :]


_MODES: Final = {"reduced": "economic", "complete": "full"}


def _pivoted(result: Any, x: Any) -> tuple[Any, Any, Any]:
    """The order of the columns, the triangle without signs, and what is left of the product: nothing."""
    q, r, order = result
    return order, abs(r), (q @ r - x[..., order]) / (abs(x).max() + 1e-300)


def _scaled(vectors: Any) -> Any:
    """Vectors whose first elements are 1: without their phases and sizes."""
    return vectors / vectors[..., :1, :]


CALLS: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]]] = {
    "solve": (linalg.solve, np.linalg.solve, (A, B)),
    "solve vector": (linalg.solve, np.linalg.solve, (A, B[0, :, 0])),
    "solve lanes of one": (linalg.solve, np.linalg.solve, (ONE, B)),
    "solve broadcast": (linalg.solve, np.linalg.solve, (A[:, None], B[None])),
    "solve complex": (linalg.solve, np.linalg.solve, (Z, B)),
    "inv": (linalg.inv, np.linalg.inv, (Z,)),
    "det": (linalg.det, np.linalg.det, (A,)),
    "det complex": (linalg.det, np.linalg.det, (Z,)),
    "slogdet": (linalg.slogdet, np.linalg.slogdet, (-A,)),
    "slogdet complex": (linalg.slogdet, np.linalg.slogdet, (Z,)),
    "cholesky": (linalg.cholesky, np.linalg.cholesky, (positive(Z),)),
    "cholesky upper": (
        lambda x: linalg.cholesky(x, upper=True),
        lambda x: np.linalg.cholesky(x, upper=True),
        (positive(A),),
    ),
    "solve_triangular": (
        lambda a, b: linalg.solve_triangular(a, b, lower=True),
        lambda a, b: np.linalg.solve(np.tril(a), b),
        (A, B),
    ),
    "solve_triangular adjoint": (
        lambda a, b: linalg.solve_triangular(a, b, trans="C"),
        lambda a, b: np.linalg.solve(np.triu(a).conj().swapaxes(-1, -2), b),
        (Z, B),
    ),
    "solve_triangular unit": (
        lambda a, b: linalg.solve_triangular(a, b, 1, True, True),
        lambda a, b: np.linalg.solve((np.tril(a, -1) + np.eye(4)).swapaxes(-1, -2), b),
        (A, B),
    ),
    "cho_solve": (lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b), np.linalg.solve, (positive(Z), B)),
    "cho_solve lower": (
        lambda a, b: linalg.cho_solve((linalg.cholesky(a), True), b),
        np.linalg.solve,
        (positive(A[0]), B),
    ),
    **{
        f"lu_solve {trans}": (
            lambda a, b, trans=trans: linalg.lu_solve(linalg.lu_factor(a), b, trans),
            lambda a, b, turn=turn: np.linalg.solve(turn(a), b),
            (Z, B),
        )
        for trans, turn in ((0, lambda a: a), (1, lambda a: a.mT), ("C", lambda a: a.mT.conj()))
    },
    "lu": (lambda x: product(linalg.lu(x)), lambda x: x, (TALL,)),
    "lu factors": (lambda x: linalg.lu(x).L, lambda x: np.stack([scipy.linalg.lu(m)[1] for m in x]), (TALL.mT,)),
    "tridiagonal_solve": (
        linalg.tridiagonal_solve,
        lambda below, d, above, b: np.linalg.solve(np.diag(d) + np.diag(below[1:], -1) + np.diag(above[:-1], 1), b),
        (A[0, 0], A[0, 1] + 9, A[0, 2], B[0]),
    ),
    "qr": (lambda x: product(linalg.qr(x)), lambda x: x, (TALL,)),
    "qr R": (lambda x: abs(linalg.qr(x).R), lambda x: abs(np.linalg.qr(x).R), (TALL,)),
    "qr complete": (lambda x: product(linalg.qr(x, mode="complete")), lambda x: x, (TALL,)),
    "svd": (lambda x: product(linalg.svd(x, full_matrices=False)), lambda x: x, (TALL,)),
    "svd full": (lambda x: product(linalg.svd(x)), lambda x: x, (TALL.mT,)),
    "svdvals": (linalg.svdvals, np.linalg.svdvals, (Z,)),
    "eigh": (linalg.eigvalsh, np.linalg.eigvalsh, (even(Z),)),
    "eigh lower": (lambda x: linalg.eigvalsh(x, "L"), np.linalg.eigvalsh, (Z,)),
    "eigh upper": (lambda x: linalg.eigh(x, "U")[0], lambda x: np.linalg.eigh(x, "U")[0], (Z,)),
    "eigh vectors": (
        lambda x: [v @ fx.conj(v.mT) * w[..., None, :].sum() for w, v in [linalg.eigh(x)]],
        lambda x: [np.eye(4) * np.linalg.eigvalsh(x).sum() + 0 * x],
        (even(A),),
    ),
    "eig": (eigen_residual, np.zeros_like, (Z,)),
    "eigvals": (lambda x: fx.sort(linalg.eigvals(x)), lambda x: np.sort_complex(np.linalg.eigvals(x)), (Z,)),
    "expm": (linalg.expm, scipy.linalg.expm, (A,)),
    "expm complex": (linalg.expm, scipy.linalg.expm, (0.1 * Z,)),
    "sqrtm": (linalg.sqrtm, lambda x: np.stack([scipy.linalg.sqrtm(m) for m in x]), (RNG.normal(size=(2, 4, 4)),)),
    "sqrtm complex": (linalg.sqrtm, scipy.linalg.sqrtm, (Z[0],)),
    "logm": (linalg.logm, lambda x: np.stack([scipy.linalg.logm(m) for m in x]), (A,)),
    "logm complex": (linalg.logm, scipy.linalg.logm, (Z[0],)),
    "schur": (lambda x: product((linalg.schur(x).Z, linalg.schur(x).T, linalg.schur(x).Z.mT)), lambda x: x, (A[0],)),
    "schur complex": (lambda x: abs(fx.tril(linalg.schur(x, "complex").T, -1)), lambda x: 0 * x, (A[0],)),
    "pinv": (linalg.pinv, np.linalg.pinv, (TALL,)),
    "pinv rtol": (lambda x: linalg.pinv(x, rtol=0.4), lambda x: np.linalg.pinv(x, rcond=0.4), (TALL.mT,)),
    "matrix_rank": (linalg.matrix_rank, np.linalg.matrix_rank, (np.stack([ONE, np.ones((4, 4)), 0 * ONE]),)),
    "lstsq": (lambda a, b: tuple(linalg.lstsq(a, b)), lambda a, b: np.linalg.lstsq(a, b), (TALL[0], B.reshape(-1)[:5])),
    "lstsq columns": (lambda a, b: tuple(linalg.lstsq(a, b))[:2], lambda a, b: np.linalg.lstsq(a, b)[:2], (B[0], A[0])),
    "polar": (lambda x: tuple(linalg.polar(x)), scipy.linalg.polar, (TALL[0],)),
    "polar left": (lambda x: tuple(linalg.polar(x, "left")), lambda x: scipy.linalg.polar(x, "left"), (TALL[0].T,)),
    **{
        f"matrix_norm {kind}": (
            lambda x, kind=kind: linalg.matrix_norm(x, ord=kind, keepdims=True),
            lambda x, kind=kind: np.linalg.matrix_norm(x, ord=kind, keepdims=True),
            (Z,),
        )
        for kind in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
    },
    **{
        f"vector_norm {power}": (
            lambda x, power=power: linalg.vector_norm(x, ord=power, axis=(0, 2)),
            lambda x, power=power: np.linalg.vector_norm(x, ord=power, axis=(0, 2)),
            (Z,),
        )
        for power in (0, 1, 2, 3, 0.5, -1, np.inf, -np.inf)
    },
    "norm": (linalg.norm, np.linalg.norm, (Z,)),
    "norm of columns": (lambda x: linalg.norm(x, 1, 1, True), lambda x: np.linalg.norm(x, 1, 1, True), (A,)),
    "norm of matrices": (lambda x: linalg.norm(x, 2, (2, 0)), lambda x: np.linalg.norm(x, 2, (2, 0)), (A,)),
    **{
        f"cond {kind}": (
            lambda x, kind=kind: linalg.cond(x, kind),
            lambda x, kind=kind: np.linalg.cond(x, kind),
            (np.stack([ONE, A[1], 2 * ONE]),),
        )
        for kind in (None, 1, -2, np.inf, "fro")
    },
    **{
        f"matrix_power {n}": (
            lambda x, n=n: linalg.matrix_power(x, n),
            lambda x, n=n: np.linalg.matrix_power(x, n),
            (A,),
        )
        for n in (-3, 0, 1, 5)
    },
    "multi_dot": (
        lambda a, b, c: linalg.multi_dot([a, b, c]),
        lambda a, b, c: np.linalg.multi_dot([a, b, c]),
        (ONE[0], ONE, B[0]),
    ),
    "block_diag": (linalg.block_diag, scipy.linalg.block_diag, (ONE, B[0], B[0, 0], np.float64(2.0))),
    "toeplitz": (linalg.toeplitz, scipy.linalg.toeplitz, (Z[0, 0], Z[0, 1, :3])),
    "toeplitz of one": (linalg.toeplitz, scipy.linalg.toeplitz, (Z[0, 0],)),
    "qr r": (lambda x: abs(linalg.qr(x, "r")), lambda x: abs(np.linalg.qr(x, "r")), (TALL,)),
    **{
        f"qr pivoting {x.shape} {mode}": (
            lambda x, mode=mode: _pivoted(linalg.qr(x, mode, pivoting=True), x),
            lambda x, mode=mode: _pivoted(scipy.linalg.qr(x, mode=_MODES[mode], pivoting=True), x),
            (x,),
        )
        for x, mode in ((TALL[0], "reduced"), (Z[0, :2], "complete"), (0 * ONE, "reduced"), (1e200 * ONE, "reduced"))
    },
    "eigh of two": (
        lambda x, b: (linalg.eigvalsh(x, b=b), _scaled(linalg.eigh(x, b=b)[1])),
        lambda x, b: (scipy.linalg.eigvalsh(x, b), _scaled(scipy.linalg.eigh(x, b)[1])),
        (even(Z), positive(Z[::-1])),
    ),
    "solve_sylvester": (linalg.solve_sylvester, scipy.linalg.solve_sylvester, (A[0], A[1, :2, :2], B[0])),
    "solve_sylvester lanes": (
        lambda a, b, q: [linalg.solve_sylvester(a, b, q)],
        lambda a, b, q: [np.stack([scipy.linalg.solve_sylvester(a, x, y) for x, y in zip(b, q, strict=True)])],
        (Z[0], Z[:, :2, :2], B),
    ),
    "tensorsolve": (linalg.tensorsolve, np.linalg.tensorsolve, (RNG.normal(size=(2, 3, 6)), B[0, :3].T)),
    "tensorsolve axes": (
        lambda a, b: linalg.tensorsolve(a, b, (0, 2)),
        lambda a, b: np.linalg.tensorsolve(a, b, (0, 2)),
        (RNG.normal(size=(2, 6, 3)), B[0, :3].T.ravel()),
    ),
    "tensorinv": (linalg.tensorinv, np.linalg.tensorinv, (RNG.normal(size=(2, 3, 3, 2)),)),
    "tensorinv 1": (
        lambda a: linalg.tensorinv(a, 1),
        lambda a: np.linalg.tensorinv(a, 1),
        (RNG.normal(size=(6, 2, 3)),),
    ),
    "funm": (
        lambda x: linalg.funm(x, lambda w: fx.sin(w)),
        lambda x: np.stack([scipy.linalg.funm(m, np.sin) for m in x]),
        (0.3 * A,),
    ),
    "hankel": (linalg.hankel, scipy.linalg.hankel, (Z[0, 0], A[0, 1, :3])),
    "hankel of one": (linalg.hankel, scipy.linalg.hankel, (Z[0, 0],)),
    "circulant": (linalg.circulant, scipy.linalg.circulant, (Z[0, 0],)),
    "companion": (linalg.companion, scipy.linalg.companion, (Z[0, 0],)),
    "leslie": (linalg.leslie, scipy.linalg.leslie, (A[0, 0], A[0, 1, :3])),
    **{
        f"{name} {args}": (
            lambda name=name, args=args: getattr(linalg, name)(*args),
            lambda name=name, args=args: getattr(scipy.linalg, name)(*args),
            (),
        )
        for name, *args in (
            *[(name, n) for name in ("dft", "hilbert", "invhilbert", "pascal") for n in (1, 2, 7)],
            *[("hadamard", n) for n in (1, 2, 8)],
            *[("dft", 6, scale) for scale in ("n", "sqrtn")],
            *[("pascal", 5, kind) for kind in ("lower", "upper")],
        )
    },
    "householder_product": (
        linalg.householder_product,
        lambda a, taus: scipy.linalg.lapack.zungqr(a, taus)[0],
        scipy.linalg.qr(Z[0, :, :3], mode="raw")[0],
    ),
}
