"""The standard basis of lists of arrays: unit vectors in stacks, and splitting results by arrays."""

from __future__ import annotations

from collections.abc import Sequence

import effects as fx
from effects.arrays.array import Array


def standard_basis(arrays: Sequence[Array]) -> list[Array]:
    """For each array, the stack of its parts of the unit vectors of the joint space."""
    total = sum(array.aval.size for array in arrays)
    basis: list[Array] = []
    begin = 0
    for array in arrays:
        aval = array.aval
        block = fx.eye(total, aval.size, k=-begin, dtype=aval.dtype)
        basis.append(fx.reshape(block, (total, *aval.shape)))
        begin += aval.size
    return basis


def split_last(out: Array, arrays: Sequence[Array], sizes: Sequence[int]) -> list[Array]:
    """The last axis of `out` split into blocks, one with the shape of each array."""
    blocks: list[Array] = []
    begin = 0
    for array, size in zip(arrays, sizes, strict=True):
        block = out[..., begin : begin + size]
        blocks.append(fx.reshape(block, (*out.aval.shape[:-1], *array.aval.shape)))
        begin += size
    return blocks
