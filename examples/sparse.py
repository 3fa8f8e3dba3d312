"""Sparse matrices by compressed rows: a product with a vector is a gather and a sum by segments."""

from typing import NamedTuple

import effects as fx
from effects import Array
from handlers import cg


class Sparse(NamedTuple):
    """A matrix [rows, columns] of which only the non-zero entries are stored, row after row.

    `values` [E] are the entries, `columns` [E] their columns, and `starts` [rows + 1] the positions at which each row
    begins and the last one ends.
    """

    values: Array
    columns: Array
    starts: Array

    def __matmul__(self, x: Array) -> Array:
        """The product with a vector [columns].

        >>> matrix = Sparse(fx.asarray([2.0, 3.0, 4.0]), fx.asarray([1, 0, 1]), fx.asarray([0, 1, 1, 3]))
        >>> matrix @ fx.asarray([10.0, 1.0])
        Array([ 2.,  0., 34.], float64)
        """
        places = fx.arange(self.values.shape[0])
        rows = fx.searchsorted(self.starts, places, side="right") - 1
        return fx.segment_sum(self.values * x[self.columns], rows, self.starts.shape[0] - 1, indices_are_sorted=True)


def solve(matrix: Sparse, b: Array, steps: int) -> Array:
    """x with matrix @ x = b, for a symmetric and positive matrix, after steps of conjugate gradients.

    >>> matrix = Sparse(fx.asarray([2.0, 1.0, 1.0, 3.0]), fx.asarray([0, 1, 0, 1]), fx.asarray([0, 2, 4]))
    >>> solve(matrix, fx.asarray([4.0, 7.0]), 2)
    Array([1., 2.], float64)
    """
    return cg(lambda x: matrix @ x, b, tol=0.0, maxiter=steps)
