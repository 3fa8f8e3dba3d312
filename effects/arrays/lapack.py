"""LAPACK's functions as NumPy calls them itself, whose own wrappers take several times as long as a small matrix does.

Their names are private to NumPy; where one is not there, the public function is called instead. All is computed in the
precision of the operands, as it is in compiled programs. Called by `strict.run` the functions raise one of `FAILURES`
where a lane has no result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from effects.arrays.concrete import Host
from effects.runtime.quiet import quiet

FAILURES: Final = (FloatingPointError, np.linalg.LinAlgError)
_HALF: Final = np.asarray(0.5, np.float32)
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
svd: Final = _called("svd_f", np.linalg.svd)
thin_svd: Final = _called("svd_s", partial(np.linalg.svd, full_matrices=False))
svdvals: Final = _called("svd", np.linalg.svdvals)


def finite(x: Host) -> bool:
    """Whether there is neither NaN nor infinity; what has squares that are finite needs no look at each element."""
    elements = x.ravel("K")
    if x.dtype.kind == "c":  # whose squares are differences
        elements = elements.view(x.dtype.char.lower())
    return math.isfinite(elements.dot(elements)) or bool(np.isfinite(x).all())


def hermitian(x: Host) -> Host:
    """(x + xᴴ)/2, which is x itself where that is its own adjoint."""
    turned = x.mT.conj() if x.dtype.kind == "c" else x.mT
    return x if x.tobytes() == turned.tobytes() else quiet.run(_mean, x, turned)


def _mean(x: Host, y: Host) -> Host:
    found: Host = x + y
    found *= _HALF
    np.copyto(found, x, where=x == y)  # the sum of these may overflow
    return found


def spectrum(x: Host) -> Sequence[Host]:
    """The eigenvalues of `hermitian` matrices, which ascend, and eigenvectors in columns.

    Those of a matrix that holds NaN or infinity are NaN.
    """
    own = hermitian(x)
    return eigh(own) if finite(own) else _without_bad(own)


def eigenvalues(x: Host) -> Sequence[Host]:
    """Those of `spectrum`, in a sequence of one."""
    own = hermitian(x)
    return (eigvalsh(own) if finite(own) else _without_bad(own)[0],)


def _without_bad(x: Host) -> Sequence[Host]:
    """What LAPACK, which may give numbers for matrices that hold NaN, finds for others."""
    bad = ~np.isfinite(x).all(axis=(-2, -1), keepdims=True)
    values, vectors = eigh(np.where(bad, 0, x))
    return np.where(bad[..., 0], np.nan, values), np.where(bad, np.nan, vectors)
