"""Factors, eigenvalues and determinants by LAPACK; NaN for those that a matrix does not have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions.elementwise import logic
from effects.functions.products.matrices import adjoint
from effects.operations.factoring import LU, PLU, QR, SVD, Cholesky, Det, Eig, Eigh, Schur, SlogDet
from effects.program.chain import perform
from effects.program.jaxpr import Atom
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.promotion import complex_of
from lowering.stablehlo.lapack import by_program, call
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.solving import refused

type Program = Callable[[Array], list[Array]]

_EXCHANGES_UNROLLED: Final = 8
"""Largest number of row exchanges that are written without a loop."""


def _even(x: Array) -> Array:
    """(x + xᴴ)/2, which does not overflow where x is its own adjoint."""
    conjugate_transpose = adjoint(x)
    return logic.where(x == conjugate_transpose, x, fx.divide(x + conjugate_transpose, 2))


def _known(x: Array) -> tuple[Array, Array]:
    """x with zeros in lanes with NaN or infinity, on which LAPACK may not end; and the mask of these lanes."""
    bad = logic.logical_not(fx.all(fx.isfinite(x), axis=(-2, -1)))
    return logic.where(fx.expand_dims(bad, (-2, -1)), fx.zeros_like(x), x), bad


def _info(x: Array) -> ShapedArray:
    return ShapedArray(x.aval.shape[:-2], dtypes.int32)


def _is_complex(x: Array) -> bool:
    return issubclass(x.aval.dtype, dtypes.Complex)


@RULES.rule(Cholesky)
@by_program
def lower_cholesky(op: Cholesky[Atom]) -> Program:
    def cholesky(x: Array) -> list[Array]:
        factor, info = call("potrf", (_even(x),), (x.aval, _info(x)), uplo="L")
        return [refused(fx.tril(factor), info != 0)]

    return cholesky


def _factors(x: Array) -> tuple[Array, Array]:
    """The factors in one matrix, and for each row, counted from 1, the row with which it was exchanged."""
    *lanes, m, n = x.aval.shape
    places = ShapedArray((*lanes, min(m, n)), dtypes.int32)
    factors, exchanges, _ = call("getrf", (x,), (x.aval, places, _info(x)))
    return factors, exchanges


@RULES.rule(LU)
@by_program
def lower_lu(op: LU[Atom]) -> Program:
    def lu(x: Array) -> list[Array]:
        factors, exchanges = _factors(x)
        return [factors, _order(exchanges, x.aval.shape[-2])]

    return lu


@RULES.rule(PLU)
@by_program
def lower_plu(op: PLU[Atom]) -> Program:
    def plu(x: Array) -> list[Array]:
        factors, order = perform(LU(x))
        *_, m, n = factors.aval.shape
        k = min(m, n)
        there = fx.expand_dims(order, -2) == fx.iota(order.aval.dtype, (m, 1), 0)
        lower = fx.tril(factors[..., :k], -1) + fx.eye(m, k, dtype=factors.aval.dtype)
        return [fx.astype(there, x.aval.dtype), lower, fx.triu(factors[..., :k, :])]

    return plu


def _order(exchanges: Array, m: int) -> Array:
    """The order of m rows after row i was exchanged with that at exchanges[i] - 1, for one i after the other.

    The origin of a row is found by undoing exchanges, the last one first; without a loop if there are few.
    """
    *lanes, k = exchanges.aval.shape
    rows = fx.broadcast_to(fx.iota(dtypes.int32, (m,), 0), (*lanes, m))
    places = exchanges - 1
    if k <= _EXCHANGES_UNROLLED:
        for i in reversed(range(k)):
            rows = _before(rows, i, places[..., i : i + 1])
        return rows
    steps = fx.iota(dtypes.int32, (k,), 0), fx.expand_dims(fx.moveaxis(places, -1, 0), -1)
    step: Callable[[Array, tuple[Array, Array]], tuple[Array, None]] = lambda rows, of: (_before(rows, *of), None)
    order, _ = handlers.scan(step, rows, steps, reverse=True)
    rows_in_order: Array = order
    return rows_in_order


def _before(rows: Array, i: Array | int, place: Array) -> Array:
    """Positions of rows before row i was exchanged with that at `place`."""
    return logic.where(rows == i, place, logic.where(rows == place, i, rows))


def _parity(x: Array, places: Array) -> Array:
    """x, or -x where an odd number of rows was exchanged."""
    own = fx.iota(dtypes.int32, places.aval.shape[-1:], 0) + 1
    count = fx.sum(places != own, axis=-1, dtype=dtypes.int32)
    return logic.where(fx.remainder(count, 2) == 1, -x, x)


@RULES.rule(Det)
@by_program
def lower_det(op: Det[Atom]) -> Program:
    def det(x: Array) -> list[Array]:
        factors, places = _factors(x)
        pivots = fx.diagonal(factors)
        product = _parity(fx.prod(pivots, axis=-1), places)
        sign, logarithm = _sign_and_size(pivots, places)
        usual = logic.logical_and(fx.isfinite(product), product != 0)
        beyond = sign * fx.exp(fx.astype(logarithm, dtypes.float64))  # as NumPy, in double
        return [logic.where(usual, product, fx.astype(beyond, product.aval.dtype))]

    return det


def _sign_and_size(pivots: Array, places: Array) -> list[Array]:
    """Sign and logarithm as in NumPy: 0 and -∞ for a pivot of 0; an infinite complex pivot has no sign."""
    sizes = fx.abs(pivots)
    sign, logarithm = (_parity(fx.prod(fx.sign(pivots), axis=-1), places), fx.sum(fx.log(sizes), axis=-1))
    unknown, none = fx.isnan(logarithm), constant_like(math.nan, sign)
    if _is_complex(pivots):
        unknown = logic.logical_or(unknown, fx.any(fx.isinf(sizes), axis=-1))
        none = constant_like(complex(math.nan, math.nan), sign)
    singular = fx.any(sizes == 0, axis=-1)
    sign = logic.where(singular, constant_like(0, sign), logic.where(unknown, none, sign))
    return [sign, logic.where(singular, constant_like(-math.inf, logarithm), logarithm)]


@RULES.rule(SlogDet)
@by_program
def lower_slogdet(op: SlogDet[Atom]) -> Program:
    def slogdet(x: Array) -> list[Array]:
        factors, places = _factors(x)
        return _sign_and_size(fx.diagonal(factors), places)

    return slogdet


@RULES.rule(QR)
@by_program
def lower_qr(op: QR[Atom]) -> Program:
    def qr(x: Array) -> list[Array]:
        *lanes, m, n = x.aval.shape
        k = min(m, n)
        columns = m if op.complete else k
        factors, scales = call("geqrf", (x,), (x.aval, ShapedArray((*lanes, k), x.aval.dtype)))
        r = fx.triu(factors[..., :columns, :])
        reflectors = factors[..., :columns]
        if columns > n:
            rest = fx.zeros((*lanes, m, columns - n), dtype=x.aval.dtype)
            reflectors = fx.concat([factors, rest], axis=-1)
        (q,) = call("ungqr" if _is_complex(x) else "orgqr", (reflectors, scales), (reflectors.aval,))
        return [q, r]

    return qr


@RULES.rule(Eigh)
@by_program
def lower_eigh(op: Eigh[Atom]) -> Program:
    def eigh(x: Array) -> list[Array]:
        values = ShapedArray(x.aval.shape[:-1], dtypes.real_of(x.aval.dtype))
        mode = "V" if op.vectors else "N"
        function = "heevd" if _is_complex(x) else "syevd"
        even, bad = _known(_even(x))
        vectors, eigenvalues, info = call(function, (even,), (x.aval, values, _info(x)), mode=mode, uplo="L")
        return [refused(part, bad | (info != 0)) for part in ((eigenvalues, vectors) if op.vectors else (eigenvalues,))]

    return eigh


def _identities(aval: ShapedArray) -> Array:
    return fx.broadcast_to(fx.eye(*aval.shape[-2:], dtype=aval.dtype), aval.shape)


@RULES.rule(SVD)
@by_program
def lower_svd(op: SVD[Atom]) -> Program:
    def svd(x: Array) -> list[Array]:
        *lanes, m, n = x.aval.shape
        k = min(m, n)
        dtype = x.aval.dtype
        values = ShapedArray((*lanes, k), dtypes.real_of(dtype))
        full = op.full or not op.vectors
        u, v = (ShapedArray((*lanes, *s), dtype) for s in (((m, m), (n, n)) if full else ((m, k), (k, n))))
        if not k:  # LAPACK refuses empty matrices
            return [_identities(u), fx.zeros(values.shape, dtype=values.dtype), _identities(v)]
        mode = ("A" if op.full else "S") if op.vectors else "N"
        x, bad = _known(x)
        _, s, left, right, info = call("gesdd", (x,), (x.aval, values, u, v, _info(x)), mode=mode)
        return [refused(part, bad | (info != 0)) for part in ((left, s, right) if op.vectors else (s,))]

    return svd


@RULES.rule(Eig)
@by_program
def lower_eig(op: Eig[Atom]) -> Program:
    def eig(x: Array) -> list[Array]:
        dtype = complex_of(x.aval.dtype)
        vectors = ShapedArray(x.aval.shape, dtype)
        modes = {"compute_left": "N", "compute_right": "V" if op.vectors else "N"}
        values = [ShapedArray(x.aval.shape[:-1], x.aval.dtype)] * (1 if _is_complex(x) else 2)
        x, bad = _known(x)
        *parts, _, right, info = call("geev", (x,), (*values, vectors, vectors, _info(x)), (), **modes)
        eigenvalues = parts[0] if len(parts) == 1 else fx.complex(*parts)
        return [refused(part, bad | (info != 0)) for part in ((eigenvalues, right) if op.vectors else (eigenvalues,))]

    return eig


@RULES.rule(Schur)
@by_program
def lower_schur(op: Schur[Atom]) -> Program:
    def schur(x: Array) -> list[Array]:
        values = ShapedArray(x.aval.shape[:-1], x.aval.dtype)
        several = [values] if _is_complex(x) else [values, values]
        x, bad = _known(x)
        t, z, *_, info = call("gees", (x,), (x.aval, x.aval, *several, _info(x), _info(x)), mode="V", sort="N")
        return [refused(part, bad | (info != 0)) for part in (t, z)]

    return schur
