"""Shapes, tuples of sizes: as users give them, and as errors show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

from effects.arguments import entries, integer
from effects.errors import ShapeError

type Ints = tuple[int, ...]


def show(shape: Sequence[int]) -> str:
    """The shape as error messages print it.

    >>> show((3, 4))
    '[3, 4]'
    """
    return "[" + ", ".join(map(str, shape)) + "]"


def static_shape(op: str, shape: SupportsIndex | Sequence[SupportsIndex], argument: str = "shape") -> Ints:
    """A shape given by a user as a canonical shape: a tuple of Python ints, none negative.

    An int n stands for (n,). Raises `ArgumentError` for sizes that are not ints and `ShapeError` for negative ones.

    >>> static_shape("zeros", [3, 4]), static_shape("zeros", 3)
    ((3, 4), (3,))
    >>> static_shape("zeros", (3, -4))
    Traceback (most recent call last):
    effects.errors.ShapeError: zeros: dimension -4 is negative in shape [3, -4]
      at ...
    >>> static_shape("zeros", (3, None))
    Traceback (most recent call last):
    effects.errors.ArgumentError: zeros: a dimension of shape must be an int, got None of type NoneType
      at ...
    """
    out = tuple([integer(op, f"a dimension of {argument}", d) for d in entries(shape)])
    for d in out:
        if d < 0:
            raise ShapeError(f"{op}: dimension {d} is negative in {argument} {show(out)}")
    return out
