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

FAILURES: Final = (FloatingPointError, np.linalg.LinAlgError)
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
    elements = x if x.ndim == 1 else x.ravel("K")
    return cmath.isfinite(elements.dot(elements)) or bool(np.isfinite(x).all())
