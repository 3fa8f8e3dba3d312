"""Linear algebra: the names of the Array API standard, and beside them NumPy's and SciPy's.

    from effects import linalg                  # or fx.linalg

Matrices are the last two axes of an array, all axes before them are lanes. Single precision stays single, integers
become the default float; narrower floats are computed in single precision and rounded once.

A result that does not exist, such as the inverse of a singular matrix or the Cholesky factor of one that is not
positive definite, raises LinearAlgebraError where values are known, as in NumPy. In compiled programs it is NaN, in
that lane alone.
"""

from typing import TYPE_CHECKING

from effects.functions.manipulation.diagonals import diagonal
from effects.functions.manipulation.movement import matrix_transpose
from effects.functions.products.contraction import matmul, outer, tensordot, trace, vecdot
from effects.functions.products.vectors import cross
from effects.linalg.approximate import LstsqResult, PolarResult, lstsq, matrix_rank, pinv, polar
from effects.linalg.columns import solve_sylvester
from effects.linalg.factoring import (
    EigResult,
    LUResult,
    PivotedQRResult,
    QRResult,
    SVDResult,
    cho_factor,
    cholesky,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    lu,
    qr,
    svd,
    svdvals,
)
from effects.linalg.norms import SlogdetResult, cond, det, matrix_norm, norm, slogdet, vector_norm
from effects.linalg.powers import SchurResult, expm, funm, logm, schur, sqrtm
from effects.linalg.products import householder_product, matrix_power, multi_dot
from effects.linalg.solving import (
    LUFactors,
    cho_solve,
    inv,
    lu_factor,
    lu_solve,
    solve,
    solve_triangular,
    tensorinv,
    tensorsolve,
    tridiagonal_solve,
)
from effects.linalg.special_matrices import (
    block_diag,
    circulant,
    companion,
    dft,
    hadamard,
    hankel,
    hilbert,
    invhilbert,
    leslie,
    pascal,
    toeplitz,
)
from effects.runtime.names import refuse_other_names
from effects.runtime.scipy_spellings import ALGEBRA

if not TYPE_CHECKING:  # to the type checker the names below are all there are
    __getattr__ = refuse_other_names("effects.linalg", ALGEBRA)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "EigResult",
    "LUFactors",
    "LUResult",
    "LstsqResult",
    "PivotedQRResult",
    "PolarResult",
    "QRResult",
    "SVDResult",
    "SchurResult",
    "SlogdetResult",
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "circulant",
    "companion",
    "cond",
    "cross",
    "det",
    "dft",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "funm",
    "hadamard",
    "hankel",
    "hilbert",
    "householder_product",
    "inv",
    "invhilbert",
    "leslie",
    "logm",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pascal",
    "pinv",
    "polar",
    "qr",
    "schur",
    "slogdet",
    "solve",
    "solve_sylvester",
    "solve_triangular",
    "sqrtm",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "toeplitz",
    "trace",
    "tridiagonal_solve",
    "vecdot",
    "vector_norm",
]
