"""Derivatives of factors, eigenvalues and determinants.

Each rule names where its formula is published. F is the matrix of 1 / (λⱼ - λᵢ) with zeros on its diagonal: where
eigenvalues (or singular values) are equal it is infinite, and derivatives of their vectors, which are not determined
there, are NaN.
"""

from __future__ import annotations

import effects as fx
from effects.arrays.array import Array
from effects.errors import LinearAlgebraError, MissingRule
from effects.functions.elementwise import logic
from effects.functions.products.determinants import cofactors
from effects.functions.products.matrices import adjoint, of_diagonal, product, unit
from effects.operations.factoring import LU, PLU, QR, SVD, Cholesky, Det, Eig, Eigh, Schur, SlogDet
from effects.operations.solving import Solve, TriangularSolve
from effects.program.chain import perform
from effects.types import dtypes
from handlers.jvp.rules import RULES, Dual, Pair, value_of


def _solved(lower: bool, a: Array, b: Array, *, unit: bool = False, transpose: bool = False) -> Array:
    return perform(TriangularSolve(lower, transpose, unit, a, b))


def _right(lower: bool, b: Array, a: Array) -> Array:
    """b·t⁻¹ for the triangle t of a."""
    transposed = fx.matrix_transpose
    return transposed(_solved(lower, a, transposed(b), transpose=True))


def _halved_diagonal(x: Array) -> Array:
    return fx.multiply(x, fx.asarray(1, dtype=x.aval.dtype) - fx.eye(x.aval.shape[-1], dtype=x.aval.dtype) / 2)


@RULES.rule(Cholesky)
def jvp_cholesky(op: Cholesky[Dual]) -> Pair:
    """l̇ = l·Φ(l⁻¹·ẋ·l⁻ᴴ), where Φ takes the lower triangle and half of the diagonal (Murray, arXiv:1602.07527)."""
    factor, t = value_of(Cholesky(op.x.primal)), op.x.tangent
    if t is None:
        return factor, None
    even = fx.divide(fx.add(t, adjoint(t)), 2)
    inner = adjoint(_solved(True, factor, adjoint(_solved(True, factor, even))))
    return factor, product(factor, fx.tril(_halved_diagonal(inner)))


@RULES.rule(LU)
def jvp_lu(op: LU[Dual]) -> Pair:
    """l̇ = l·strict(f), u̇ = upper(f)·u with f = l⁻¹·ẋ[order]·u⁻¹ (de Hoog, Anderssen, Lukas, 2011), of squares.

    A matrix that is not square is made so: unit vectors are appended to the columns of l or to the rows of u.
    """
    (factors, order), t = value_of(LU(op.x.primal)), op.x.tangent
    if t is None:
        return (factors, order), (None, None)
    permuted_tangent = fx.take_along_axis(t, fx.expand_dims(order, -1), axis=-2)
    left, right = _triangles(fx.tril(factors, -1), fx.triu(factors), permuted_tangent)
    return (factors, order), (left + right, None)


@RULES.rule(PLU)
def jvp_plu(op: PLU[Dual]) -> Pair:
    """Derivative as for `LU`, with pᵀ·ẋ for ẋ[order]."""
    (p, left, right), t = value_of(PLU(op.x.primal)), op.x.tangent
    if t is None:
        return (p, left, right), (None,) * 3
    k = left.aval.shape[-1]
    of_left, of_right = _triangles(fx.tril(left, -1), right, product(fx.matrix_transpose(p), t))
    return (p, left, right), (None, of_left[..., :k], of_right[..., :k, :])


def _triangles(left: Array, right: Array, permuted_tangent: Array) -> tuple[Array, Array]:
    """The derivatives of the triangles l without its diagonal, and u, both of as many rows and columns as x."""
    *_, m, n = permuted_tangent.aval.shape
    left, right = _squared(left, m), _squared(right, n)
    if m < n:
        is_appended = fx.iota(dtypes.int64, (n,), 0) >= m
        right = right + of_diagonal(fx.astype(is_appended, right.aval.dtype))
    f = _right(False, _solved(True, left, permuted_tangent, unit=True), right)
    return product(left + unit(left), fx.tril(f, -1)), product(fx.triu(f), right)


def _squared(x: Array, n: int) -> Array:
    """The first n rows and columns of x, with zeros where it has fewer."""
    *lanes, rows, columns = x.aval.shape
    x = x[..., :n, :n]
    if rows < n:
        x = fx.concat([x, fx.zeros((*lanes, n - rows, x.aval.shape[-1]), dtype=x.aval.dtype)], axis=-2)
    if columns < n:
        x = fx.concat([x, fx.zeros((*lanes, n, n - columns), dtype=x.aval.dtype)], axis=-1)
    return x


@RULES.rule(Det)
def jvp_det(op: Det[Dual]) -> Pair:
    """The sum of ẋ times the cofactors of x, which singular matrices have, too (Jacobi's formula)."""
    x, t = op.x.primal, op.x.tangent
    return value_of(Det(x)), None if t is None else fx.sum(fx.multiply(cofactors(x), t), axis=(-2, -1))


@RULES.rule(SlogDet)
def jvp_slogdet(op: SlogDet[Dual]) -> Pair:
    """The trace of x⁻¹·ẋ (Jacobi's formula): its real part, and i times the sign times its imaginary part."""
    x, t = op.x.primal, op.x.tangent
    sign, log = value_of(SlogDet(x))
    if t is None:
        return (sign, log), (None, None)
    try:  # raised at once for a known x: a singular matrix is refused here
        inverse = perform(Solve(False, x, unit(x)))
    except LinearAlgebraError:
        raise LinearAlgebraError(
            f"slogdet: x, {x.aval}, is singular, where the logarithm of its determinant is -∞ and has no derivative; "
            "det has one, and so has slogdet(x + a little of the identity)"
        ) from None
    slope = fx.sum(fx.multiply(fx.matrix_transpose(inverse), t), axis=(-2, -1))
    if not issubclass(slope.aval.dtype, dtypes.Complex):
        return (sign, log), (None, slope)
    turn = fx.imag(slope)
    return (sign, log), (fx.multiply(sign, fx.complex(fx.zeros_like(turn), turn)), fx.real(slope))


@RULES.rule(QR)
def jvp_qr(op: QR[Dual]) -> Pair:
    """Walter, Lehmann, Lamour, "On evaluating higher-order derivatives of the QR decomposition" (2012).

    Where x has more columns than rows, the formula is applied to its first, square, block.
    """
    (q, r), t = value_of(QR(op.complete, op.x.primal)), op.x.tangent
    if t is None:
        return (q, r), (None, None)
    *_, m, n = op.x.aval.shape
    if op.complete and m > n:
        raise MissingRule(
            f"qr: the columns of q that x, {op.x.aval}, does not determine have no derivative; take mode='reduced'"
        )
    k = min(m, n)
    triangle = r[..., :k]
    scaled = _right(False, t[..., :k], triangle)
    inner = product(adjoint(q), scaled)
    turn = fx.tril(inner, -1)
    turn = turn - adjoint(turn)
    if issubclass(t.aval.dtype, dtypes.Complex):
        turn = turn + _imaginary_diagonal(inner)
    q_slope = product(q, turn - inner) + scaled
    r_slope = product(inner - turn, triangle)
    if n > m:
        rest = product(adjoint(q_slope), op.x.primal[..., k:]) + product(adjoint(q), t[..., k:])
        r_slope = fx.concat([r_slope, rest], axis=-1)
    return (q, r), (q_slope, r_slope)


def _imaginary_diagonal(x: Array) -> Array:
    turn = fx.imag(fx.diagonal(x))
    return of_diagonal(fx.complex(fx.zeros_like(turn), turn))


def _inverse_differences(values: Array) -> Array:
    """F, of eigenvalues in lanes: 1 / (λⱼ - λᵢ), and zeros on the diagonal."""
    gaps = fx.expand_dims(values, -2) - fx.expand_dims(values, -1)
    on = fx.eye(values.aval.shape[-1], dtype=dtypes.bool_)
    one, zero = fx.asarray(1, dtype=values.aval.dtype), fx.asarray(0, dtype=values.aval.dtype)
    return logic.where(on, zero, fx.divide(one, logic.where(on, one, gaps)))


@RULES.rule(Eigh)
def jvp_eigh(op: Eigh[Dual]) -> Pair:
    """λ̇ = diag(vᴴ·ẋ·v), v̇ = v·(F∘(vᴴ·ẋ·v)) (Giles, "Collected matrix derivative results", 2008, 3.1)."""
    x, t = op.x.primal, op.x.tangent
    if t is None:
        results = perform(Eigh(op.vectors, x))
        return results, (None,) * len(results)
    values, vectors = value_of(Eigh(True, x))
    even = fx.divide(fx.add(t, adjoint(t)), 2)
    inner = product(adjoint(vectors), even, vectors)
    slope = fx.real(fx.diagonal(inner))
    if not op.vectors:
        return (values,), (slope,)
    return (values, vectors), (slope, product(vectors, fx.multiply(_inverse_differences(values), inner)))


@RULES.rule(SVD)
def jvp_svd(op: SVD[Dual]) -> Pair:
    """Giles (2008, 3.2) for real, Wan and Zhang, "Automatic differentiation for complex valued SVD" (2019) for complex.

    The phases, which are free for complex vectors, are attributed to u.
    """
    x, t = op.x.primal, op.x.tangent
    if t is None:
        results = perform(SVD(op.vectors, op.full, x))
        return results, (None,) * len(results)
    *_, m, n = x.aval.shape
    if op.vectors and op.full and m != n:
        raise MissingRule(
            f"svd: the vectors that x, {x.aval}, does not determine have no derivative; take full_matrices=False"
        )
    u, s, v = value_of(SVD(True, False, x))
    inner = product(adjoint(u), t, adjoint(v))
    slope = fx.real(fx.diagonal(inner))
    if not op.vectors:
        return (s,), (slope,)
    column, row = fx.expand_dims(s, -2), fx.expand_dims(s, -1)  # s times columns, times rows
    gaps = _inverse_differences(fx.multiply(s, s))
    by_columns, by_rows = fx.multiply(inner, column), fx.multiply(inner, row)
    left = fx.multiply(gaps, by_columns + adjoint(by_columns))
    right = fx.multiply(gaps, by_rows + adjoint(by_rows))
    if issubclass(t.aval.dtype, dtypes.Complex):
        left = left + fx.divide(_imaginary_diagonal(inner), column)
    u_slope, w_slope = product(u, left), product(adjoint(v), right)
    if m > n:
        scaled = fx.divide(product(t, adjoint(v)), column)
        u_slope = u_slope + scaled - product(u, adjoint(u), scaled)
    if n > m:
        scaled = fx.divide(product(adjoint(t), u), column)
        w_slope = w_slope + scaled - product(adjoint(v), v, scaled)
    return (u, s, v), (u_slope, slope, adjoint(w_slope))


@RULES.rule(Eig)
def jvp_eig(op: Eig[Dual]) -> Pair:
    """λ̇ = diag(v⁻¹·ẋ·v), v̇ = v·(F∘(v⁻¹·ẋ·v)) (Boeddeker, Hanebrink, Drude, Heymann, Haeb-Umbach, arXiv:1701.00392).

    A multiple of each vector is added to this, so that its norm stays 1 and its largest element stays real.
    """
    x, t = op.x.primal, op.x.tangent
    if t is None:
        results = perform(Eig(op.vectors, x))
        return results, (None,) * len(results)
    values, vectors = value_of(Eig(True, x))
    inner = perform(Solve(False, vectors, product(fx.astype(t, vectors.aval.dtype), vectors)))
    slope = fx.diagonal(inner)
    if not op.vectors:
        return (values,), (slope,)
    free = product(vectors, fx.multiply(_inverse_differences(values), inner))
    largest = fx.argmax(fx.abs(vectors), axis=-2, keepdims=True)
    of_largest, real = (fx.take_along_axis(x, largest, axis=-2) for x in (free, vectors))
    turn = fx.divide(fx.imag(of_largest), fx.real(real))
    growth = fx.sum(fx.real(fx.multiply(fx.conj(vectors), free)), axis=-2, keepdims=True)
    return (values, vectors), (slope, free - fx.multiply(vectors, fx.complex(growth, turn)))


@RULES.rule(Schur)
def jvp_schur(op: Schur[Dual]) -> Pair:
    if op.x.tangent is not None:
        raise MissingRule(
            "schur has no derivative; sqrtm, logm and eig have one, whose results do not depend on a basis"
        )
    results = value_of(Schur(op.x.primal))
    return results, (None, None)
