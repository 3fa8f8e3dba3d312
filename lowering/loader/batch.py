"""Batches, and where in the epochs they are."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

from typing_extensions import TypeVar

D = TypeVar("D", default=Any)
"""The tree that the examples of a batch are."""


class Position(NamedTuple):
    """Place between two batches: the epochs that are over, and the examples of the present one that were given.

    It is a tree of two integers, which checkpoints save. Of a source that makes batches these are counted.
    """

    epoch: int = 0
    example: int = 0


class Batch(NamedTuple, Generic[D]):
    """Examples along the first axes of a tree of arrays.

    `examples` is how many of them are the source's, and those after are padding; `position` is where the next batch
    begins.
    """

    data: D
    examples: int
    position: Position
