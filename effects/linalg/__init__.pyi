"""The public names of `effects.linalg`, each with the module that has it."""

from effects.functions.manipulation.diagonals import diagonal as diagonal
from effects.functions.manipulation.movement import matrix_transpose as matrix_transpose
from effects.functions.products.contraction import (
    matmul as matmul,
    outer as outer,
    tensordot as tensordot,
    trace as trace,
    vecdot as vecdot,
)
from effects.functions.products.vectors import cross as cross
from effects.linalg.approximate import (
    LstsqResult as LstsqResult,
    PolarResult as PolarResult,
    lstsq as lstsq,
    matrix_rank as matrix_rank,
    pinv as pinv,
    polar as polar,
)
from effects.linalg.columns import solve_sylvester as solve_sylvester
from effects.linalg.factoring import (
    EigResult as EigResult,
    LUResult as LUResult,
    PivotedQRResult as PivotedQRResult,
    QRResult as QRResult,
    SVDResult as SVDResult,
    cho_factor as cho_factor,
    cholesky as cholesky,
    eig as eig,
    eigh as eigh,
    eigvals as eigvals,
    eigvalsh as eigvalsh,
    lu as lu,
    qr as qr,
    svd as svd,
    svdvals as svdvals,
)
from effects.linalg.norms import (
    SlogdetResult as SlogdetResult,
    cond as cond,
    det as det,
    matrix_norm as matrix_norm,
    norm as norm,
    slogdet as slogdet,
    vector_norm as vector_norm,
)
from effects.linalg.powers import (
    SchurResult as SchurResult,
    expm as expm,
    funm as funm,
    logm as logm,
    schur as schur,
    sqrtm as sqrtm,
)
from effects.linalg.products import (
    householder_product as householder_product,
    matrix_power as matrix_power,
    multi_dot as multi_dot,
)
from effects.linalg.solving import (
    LUFactors as LUFactors,
    cho_solve as cho_solve,
    inv as inv,
    lu_factor as lu_factor,
    lu_solve as lu_solve,
    solve as solve,
    solve_triangular as solve_triangular,
    tensorinv as tensorinv,
    tensorsolve as tensorsolve,
    tridiagonal_solve as tridiagonal_solve,
)
from effects.linalg.special_matrices import (
    block_diag as block_diag,
    circulant as circulant,
    companion as companion,
    dft as dft,
    hadamard as hadamard,
    hankel as hankel,
    hilbert as hilbert,
    invhilbert as invhilbert,
    leslie as leslie,
    pascal as pascal,
    toeplitz as toeplitz,
)
