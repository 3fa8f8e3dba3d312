"""Cases of linear algebra: systems of equations, factors, eigenvalues, singular values, determinants."""

from __future__ import annotations

from typing import Final

import effects as fx
from effects.operations.factoring import LU, PLU, QR, SVD, Cholesky, Det, Eig, Eigh, Schur, SlogDet
from effects.operations.matrices import LeastSquares, MatrixFunction, MatrixFunctionKind, PseudoInverse, UnitaryFactor
from effects.operations.solving import Solve, TriangularSolve, TridiagonalSolve
from tests.cases.case import LINE, Case, array, shaped, waves


def _regular(n: int, lanes: tuple[int, ...] = (2,)) -> fx.Array:
    return shaped((*lanes, n, n)) + array([[(6.0 + i) * (i == j) for j in range(n)] for i in range(n)])


def _regular_complex(n: int) -> fx.Array:
    return waves((n, n)) + 5.0 * fx.eye(n)


def _positive(x: fx.Array) -> fx.Array:
    return x @ fx.conj(fx.matrix_transpose(x)) + fx.eye(x.shape[-1])


def _single(x: fx.Array) -> fx.Array:
    return fx.astype(x, fx.complex64 if fx.isdtype(x.dtype, "complex floating") else fx.float32)


def _solving() -> list[Case]:
    a, b = _regular(3), shaped((2, 3, 2), LINE[::-1])
    z, w = _regular_complex(3), waves((3, 2))
    below, above = shaped((2, 4)), shaped((2, 4), LINE[::-1])
    diagonal = 8.0 + shaped((2, 4), LINE[3:])
    rows = shaped((2, 4, 3), LINE[5:])
    return [
        *[Case(f"solve-{t}", Solve(t, a, b), (0, 1), ((1,),)) for t in (False, True)],
        *[Case(f"solve-complex-{t}", Solve(t, z, w), (0, 1), ((1,),)) for t in (False, True)],
        Case("solve-single", Solve(False, _single(a), _single(b))),
        Case("solve-empty", Solve(False, shaped((0, 0)), shaped((0, 2))), (0, 1), ((1,),)),
        Case("solve-no_columns", Solve(False, a, shaped((2, 3, 0))), (0, 1), ((1,),)),
        *[
            Case(f"triangular_solve-{lower}-{t}-{unit}", TriangularSolve(lower, t, unit, a, b), (0, 1), ((1,),))
            for lower in (False, True)
            for t in (False, True)
            for unit in (False, True)
        ],
        Case("triangular_solve-complex", TriangularSolve(True, True, False, z, w), (0, 1), ((1,),)),
        Case("triangular_solve-single", TriangularSolve(True, False, False, _single(a), _single(b))),
        Case("tridiagonal_solve-lanes", TridiagonalSolve(below, diagonal, above, rows), (0, 1, 2, 3), ((3,),)),
        Case(
            "tridiagonal_solve-complex",
            TridiagonalSolve(waves((4,)), 8.0 + waves((4,)), waves((4,)), waves((4, 2))),
            (0, 1, 2, 3),
            ((3,),),
        ),
        Case("tridiagonal_solve-single", TridiagonalSolve(*[_single(x) for x in (below, diagonal, above, rows)])),
    ]


def _factoring() -> list[Case]:
    a, z = _regular(3), _regular_complex(3)
    even, positive = a + fx.matrix_transpose(a), _positive(a)
    wide, tall = shaped((2, 3, 5)), shaped((2, 5, 3), LINE[::-1])
    large = _regular(5, ())
    return [
        Case("cholesky-lanes", Cholesky(positive), (0,)),
        Case("cholesky-complex", Cholesky(_positive(z)), (0,)),
        Case("cholesky-single", Cholesky(_single(positive))),
        Case("cholesky-empty", Cholesky(shaped((2, 0, 0))), (0,)),
        *[
            Case(f"lu-{name}", LU(x), (0,))
            for name, x in (("lanes", a), ("wide", wide), ("tall", tall), ("complex", z))
        ],
        *[
            Case(f"plu-{name}", PLU(x), (0,))
            for name, x in (("lanes", a), ("wide", wide), ("tall", tall), ("complex", z))
        ],
        Case("plu-single", PLU(_single(tall))),
        Case("lu-single", LU(_single(tall))),
        *[Case(f"det-{n}", Det(_regular(n)), (0,)) for n in (1, 2, 3)],
        *[Case(f"det-{name}", Det(x), (0,)) for name, x in (("large", large), ("complex", z))],
        Case("det-single", Det(_single(a))),
        Case("det-empty", Det(shaped((2, 0, 0))), (0,)),
        *[Case(f"slogdet-{name}", SlogDet(x), (0,)) for name, x in (("lanes", a), ("complex", z))],
        Case("slogdet-single", SlogDet(_single(a))),
        *[Case(f"qr-{name}", QR(False, x), (0,)) for name, x in (("tall", tall), ("wide", wide), ("complex", z))],
        Case("qr-complete", QR(True, tall)),
        Case("qr-single", QR(False, _single(tall))),
        *[Case(f"eigh-{v}", Eigh(v, even), (0,)) for v in (False, True)],
        Case("eigh-values-complex", Eigh(False, z), (0,)),
        Case("eigh-vectors-complex", Eigh(True, z)),
        Case("eigh-single", Eigh(True, _single(even))),
        *[
            Case(f"svd-{name}", SVD(True, False, x), (0,))
            for name, x in (("tall", tall), ("wide", wide), ("square", a))
        ],
        Case("svd-full", SVD(True, True, tall)),
        Case("svd-values", SVD(False, False, wide), (0,)),
        Case("svd-values-complex", SVD(False, False, z), (0,)),
        Case("svd-complex", SVD(True, False, z)),
        Case("svd-single", SVD(False, False, _single(tall))),
        Case("eig-values", Eig(False, a), (0,)),
        *[Case(f"eig-{name}", Eig(True, x), (0,)) for name, x in (("lanes", a), ("complex", z))],
        *[Case(f"schur-{name}", Schur(x)) for name, x in (("lanes", a), ("complex", z), ("single", _single(a)))],
        Case("eig-single", Eig(False, _single(a))),
    ]


def _functions() -> list[Case]:
    z, tall, wide = _regular_complex(3), shaped((2, 5, 3), LINE[::-1]), shaped((2, 3, 5))
    share = array(1e-3)
    a, kind = _regular(3), MatrixFunctionKind
    return [
        *[Case(f"expm-{name}", MatrixFunction(kind.EXP, x / 8), (0,)) for name, x in (("lanes", a), ("complex", z))],
        *[
            Case(f"{k.printed}-{name}", MatrixFunction(k, x), (0,))
            for k in (kind.LOG, kind.SQRT)
            for name, x in (("real", a[0]), ("complex", z))
        ],
        *[Case(f"{k.printed}-single", MatrixFunction(k, _single(a))) for k in (kind.EXP, kind.LOG)],
        *[Case(f"pinv-{name}", PseudoInverse(x, share), (0,)) for name, x in (("tall", tall), ("wide", wide))],
        Case("pinv-complex", PseudoInverse(z, share), (0,)),
        Case("pinv-shares", PseudoInverse(_single(tall), _single(array([0.9, 1e-3])))),
        Case("lstsq-tall", LeastSquares(tall, shaped((2, 5, 2)), share), (0, 1)),
        Case("lstsq-complex", LeastSquares(z, waves((3, 2)), share), (0, 1)),
        Case("lstsq-single", LeastSquares(_single(tall), _single(shaped((2, 5, 2))), _single(share))),
        Case("lstsq-shares", LeastSquares(tall, shaped((2, 5, 2)), array([0.9, 1e-3]))),
        Case("polar-tall", UnitaryFactor(tall)),  # the cotangent of a real one along itself is nothing but rounding
        *[Case(f"polar-{name}", UnitaryFactor(x), (0,)) for name, x in (("complex", z), ("both", waves((4, 3))))],
        Case("polar-single", UnitaryFactor(_single(tall))),
    ]


CASES: Final = (*_solving(), *_factoring(), *_functions())
