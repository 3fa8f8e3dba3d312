"""Minima, roots, least squares, line searches: solutions that are differentiated by the equations which they satisfy.

    from effects import optimize                   # or fx.optimize

Unknowns are trees of floats. `optim` has optimisers, for training.
"""

from typing import TYPE_CHECKING

from effects.optimize.least_squares import LeastSquares, Root, least_squares, root
from effects.optimize.line_searches import LineSearch, line_search
from effects.optimize.minimizing import Minimum, minimize
from effects.optimize.objective import Status
from effects.runtime.names import refuse_other_names
from effects.runtime.scipy_spellings import OPTIMIZATION

if not TYPE_CHECKING:  # to the type checker the names below are all there are
    __getattr__ = refuse_other_names("effects.optimize", OPTIMIZATION)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "LeastSquares",
    "LineSearch",
    "Minimum",
    "Root",
    "Status",
    "least_squares",
    "line_search",
    "minimize",
    "root",
]
