"""LAPACK's functions as NumPy calls them itself, whose own wrappers take several times as long as a small matrix does.

Their names are private to NumPy; where one is not there, the public function is called instead. As in NumPy all is
computed in double precision: operands are `wide`, results `rounded`. Called by `strict.run` the functions raise one of
`FAILURES` where a lane has no result.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from effects.arrays.concrete import Concrete, Host, concrete
from effects.runtime.quiet import quiet
from effects.types.avals import ShapedArray

FAILURES: Final = (FloatingPointError, np.linalg.LinAlgError)
_NAMES: Any = getattr(np.linalg, "_umath_linalg", None)


def _called(name: str, public: Callable[..., Any]) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(_NAMES, name, public)
    return found


cholesky: Final = _called("cholesky_lo", np.linalg.cholesky)
solve: Final = _called("solve", np.linalg.solve)
det: Final = _called("det", np.linalg.det)
slogdet: Final = _called("slogdet", np.linalg.slogdet)
eigh: Final = _called("eigh_lo", np.linalg.eigh)
eigvalsh: Final = _called("eigvalsh_lo", np.linalg.eigvalsh)
eig: Final = _called("eig", np.linalg.eig)
eigvals: Final = _called("eigvals", np.linalg.eigvals)
svd: Final = _called("svd_f", np.linalg.svd)
thin_svd: Final = _called("svd_s", partial(np.linalg.svd, full_matrices=False))
svdvals: Final = _called("svd", np.linalg.svdvals)


def wide(x: Host, copy: bool = False) -> Host:
    """The matrices in double precision."""
    return quiet.run(x.astype, np.complex128 if x.dtype.kind == "c" else np.float64, "C" if copy else "K", copy=copy)


def rounded(x: Host, aval: ShapedArray) -> Concrete:
    """The array of a result that was computed in double precision."""
    return concrete(quiet.run(np.asarray, x, aval.dtype.dtype), aval)


def finite(x: Host) -> bool:
    """Whether there is neither NaN nor infinity; what has squares that are finite needs no look at each element."""
    return cmath.isfinite(np.vdot(x, x)) or bool(np.isfinite(x).all())


def qr(x: Host, complete: bool) -> tuple[Host, Host]:
    """q, with as many columns as rows if `complete`, and r."""
    if not hasattr(_NAMES, "qr_r_raw"):
        return np.linalg.qr(x, "complete" if complete else "reduced")
    a = wide(x, copy=True)
    m, n = a.shape[-2:]
    scales = _NAMES.qr_r_raw(a)  # which leaves r in a, and below it what q is made of
    q: Host = (_NAMES.qr_complete if complete and m > n else _NAMES.qr_reduced)(a, scales)
    k = q.shape[-1]
    return q, np.where(np.less_equal.outer(np.arange(k), np.arange(n)), a[..., :k, :], 0)
