"""LAPACK's functions as NumPy calls them itself, whose own wrappers take several times as long as a small matrix does.

Their names are private to NumPy; where one is not there, the public function is called instead. All is computed in the
precision of the operands, as it is in compiled programs. Called by `strict.run` the functions raise one of `FAILURES`
where a lane has no result.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from effects.arrays.concrete import Host
from effects.runtime.caches import memoised
from effects.runtime.quiet import strict

FAILURES: Final = (FloatingPointError, np.linalg.LinAlgError)
_FEW: Final = 1000
_NAMES: Any = getattr(np.linalg, "_umath_linalg", None)


def _called(name: str, public: Callable[..., Any]) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(_NAMES, name, public)
    return found


cholesky: Final = _called("cholesky_lo", np.linalg.cholesky)
solve: Final = _called("solve", np.linalg.solve)
solve1: Final = _called("solve1", np.linalg.solve)
det: Final = _called("det", np.linalg.det)
slogdet: Final = _called("slogdet", np.linalg.slogdet)
eigh: Final = _called("eigh_lo", np.linalg.eigh)
eigvalsh: Final = _called("eigvalsh_lo", np.linalg.eigvalsh)
eig: Final = _called("eig", np.linalg.eig)
eigvals: Final = _called("eigvals", np.linalg.eigvals)
lstsq: Final = _called("lstsq", np.linalg.lstsq)
svd: Final = _called("svd_f", np.linalg.svd)
thin_svd: Final = _called("svd_s", partial(np.linalg.svd, full_matrices=False))
svdvals: Final = _called("svd", np.linalg.svdvals)


def finite(x: Host) -> bool:
    """Whether there is neither NaN nor infinity; what has squares that are finite needs no look at each element."""
    elements = x.ravel()
    return cmath.isfinite(elements.dot(elements)) or bool(np.isfinite(x).all())


def qr(x: Host, complete: bool = False) -> tuple[Host, Host]:
    """q, with as many columns as rows if `complete`, and r, which NumPy computes in double precision only."""
    if not hasattr(_NAMES, "qr_r_raw"):
        return np.linalg.qr(x, "complete" if complete else "reduced")
    a = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64, "C")
    m, n = a.shape[-2:]
    scales = _NAMES.qr_r_raw(a)  # which leaves r in a, and below it what q is made of
    q: Host = (_NAMES.qr_complete if complete and m > n else _NAMES.qr_reduced)(a, scales)
    k = q.shape[-1]
    r = a[..., :k, :]
    np.copyto(r, 0, where=_few_below(k, n) if k * n < _FEW else _below(k, n))
    return q.astype(x.dtype, copy=False), r.astype(x.dtype, copy=k < m)


def complete_qr(x: Host) -> tuple[Host, Host]:
    """As `qr`, with as many columns as rows."""
    return qr(x, True)


def _below(m: int, n: int) -> Host:
    """Where a matrix is below its diagonal."""
    return np.tri(m, n, -1, np.bool_)


_few_below: Final = memoised(_below)


def solve_triangular(a: Host, b: Host, lower: bool, transpose: bool, unit: bool) -> Host | None:
    """The x with t @ x = b, or tᵀ @ x = b if `transpose`, for a triangle of a small matrix; None if not finite.

    Elimination leaves an upper triangle as it is, and turned by half a circle the lower one is that. But it multiplies
    the zeros below with the rest, so that infinity and NaN are not told where they belong.
    """
    n = len(a)
    triangle = a.copy()
    np.putmask(triangle, _few_above(n) if lower else _few_below(n, n), 0)
    if unit:
        triangle.flat[:: n + 1] = 1
    if transpose:
        triangle = triangle.T
    function = solve1 if b.ndim == 1 else solve
    try:
        if lower is transpose:
            x = strict.run(function, triangle, b)
        else:
            x = strict.run(function, triangle[::-1, ::-1], b[::-1])[::-1]
    except FAILURES:
        return None
    return x if finite(x) else None


@memoised
def _few_above(n: int) -> Host:
    return _below(n, n).T.copy()
