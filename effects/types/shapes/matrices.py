"""Shapes of operations on matrices, which are the last two axes of an array."""

from __future__ import annotations

from effects.errors import ShapeError
from effects.types.shapes.dims import Ints, show


def matrices(function: str, shape: Ints, name: str = "x") -> Ints:
    """The shape itself, of at least two axes.

    >>> matrices("svd", (3,))
    Traceback (most recent call last):
    effects.errors.ShapeError: svd: x must be a matrix, or several along leading axes, got shape [3]
      at ...
    """
    if len(shape) < 2:
        raise ShapeError(f"{function}: {name} must be a matrix, or several along leading axes, got shape {show(shape)}")
    return shape


def squares(function: str, shape: Ints, name: str = "x") -> Ints:
    """The shape itself, of which the last two sizes are equal.

    >>> squares("inv", (5, 3, 2))
    Traceback (most recent call last):
    effects.errors.ShapeError: inv: x must be a square matrix, or several along leading axes, got shape [5, 3, 2]
      at ...
    """
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ShapeError(
            f"{function}: {name} must be a square matrix, or several along leading axes, got shape {show(shape)}"
        )
    return shape


def solved(function: str, a: Ints, b: Ints) -> Ints:
    """The shape of the x with a·x = b, columns of one matrix after the other, with the same leading axes.

    >>> solved("solve", (4, 2, 2), (4, 2, 1))
    (4, 2, 1)
    """
    squares(function, a, "a")
    if len(b) != len(a) or b[:-1] != a[:-1]:
        raise ShapeError(f"{function}: b of shape {show(b)} does not have as many rows as a of shape {show(a)}")
    return b
