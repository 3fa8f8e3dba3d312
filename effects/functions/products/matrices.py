"""Helpers of rules and functions of linear algebra: matrices are the last two axes."""

from __future__ import annotations

from collections.abc import Callable

from effects.arrays.array import Array
from effects.functions.creation import creation
from effects.functions.elementwise import logic, unary
from effects.functions.manipulation import movement
from effects.functions.products import contraction
from effects.operations.creation import Band
from effects.program.chain import perform
from effects.types import dtypes


def product(*factors: Array) -> Array:
    """The product of matrices from left to right."""
    first, *others = factors
    for other in others:
        first = contraction.matmul(first, other)
    return first


def adjoint(x: Array) -> Array:
    """The conjugate transpose."""
    return unary.conj(movement.matrix_transpose(x))


def unit(x: Array) -> Array:
    """Unit matrices of the shape and dtype of the square matrices x."""
    shape, n = x.aval.shape, x.aval.shape[-1]
    one = perform(Band((n, n), 0, 0, x.aval.dtype))
    return one if len(shape) == 2 else movement.broadcast_to(one, shape)


def of_diagonal(x: Array) -> Array:
    """The diagonal matrices with these diagonals."""
    n = x.aval.shape[-1]
    on = creation.eye(n, dtype=dtypes.bool_)
    return logic.where(on, movement.expand_dims(x, -1), creation.asarray(0, dtype=x.aval.dtype))


def in_columns(x: Array) -> Array:
    """The columns of matrices in lanes as columns of one matrix."""
    rows = movement.moveaxis(x, -2, 0)
    n = rows.aval.shape[0]
    return movement.reshape(rows, (n, x.aval.size // n if n else 0))


def of_columns(columns: Array, like: Array) -> Array:
    """The matrices in lanes with these columns, in the shape of `like`; inverse of `in_columns`."""
    *lanes, _, k = like.aval.shape
    return movement.moveaxis(movement.reshape(columns, (columns.aval.shape[0], *lanes, k)), 0, -2)


def by_columns(solve: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
    """solve(a, b) for one matrix a and columns b in lanes, all of them solved as columns of one matrix."""
    return of_columns(solve(a, in_columns(b)), b)


def cutoff(s: Array, share: Array) -> Array:
    """Largest singular value, of matrices in lanes, that counts as zero: a share of the greatest."""
    return s[..., :1] * (movement.expand_dims(share, -1) if share.aval.ndim else share)


def turned(below: Array, diagonal: Array, above: Array) -> tuple[Array, Array, Array]:
    """The diagonals of the transpose of a tridiagonal matrix, all of full length."""
    zero = creation.zeros_like(diagonal[..., :1])
    return (
        movement.concat([zero, above[..., :-1]], axis=-1),
        diagonal,
        movement.concat([below[..., 1:], zero], axis=-1),
    )


def squares(x: Array) -> Array:
    """The squares of absolute values."""
    if not issubclass(x.aval.dtype, dtypes.Complex):
        return x * x
    real, imag = unary.real(x), unary.imag(x)
    return real * real + imag * imag
