"""Linear algebra: the names of the Array API standard, and beside them NumPy's and SciPy's.

    from effects import linalg                  # or fx.linalg

Matrices are the last two axes of an array, all axes before them are lanes. Single precision stays single, integers
become the default float; narrower floats are computed in single precision and rounded once.

A result that does not exist, such as the inverse of a singular matrix or the Cholesky factor of one that is not
positive definite, raises LinearAlgebraError where values are known, as in NumPy. In compiled programs it is NaN, in
that lane alone.
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
