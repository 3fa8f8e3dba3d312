"""The public names of `effects.optimize`, each with the module that has it."""

from effects.optimize.least_squares import (
    LeastSquares as LeastSquares,
    Root as Root,
    least_squares as least_squares,
    root as root,
)
from effects.optimize.line_searches import LineSearch as LineSearch, line_search as line_search
from effects.optimize.minimizing import Minimum as Minimum, minimize as minimize
from effects.optimize.objective import Status as Status
