"""Reshape: the same elements in the same order under other axes."""

from __future__ import annotations

import math

from effects.errors import ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.dims import Ints, show, static_shape


def reshape(shape: Ints, target: Ints) -> Ints:
    """``target``, of as many elements as ``shape``; one dimension may be -1, which is then computed.

    >>> reshape((3, 4), (2, -1))
    (2, 6)
    >>> reshape((3, 4), (5, -1))
    Traceback (most recent call last):
    effects.errors.ShapeError: reshape: cannot reshape [3, 4] into [5, -1]: 12 is not a multiple of 5
      at ...
    """
    return shape if shape == target else _reshape(shape, target)


@memoised
def _reshape(shape: Ints, target: Ints) -> Ints:
    inferred = target.count(-1)
    if inferred > 1:
        raise ShapeError(f"reshape: only one dimension of {show(target)} may be -1")
    at = target.index(-1) if inferred else None
    known = static_shape("reshape", target if at is None else (*target[:at], *target[at + 1 :]))
    have, want = math.prod(shape), math.prod(known)
    if at is None:
        if have != want:
            raise _mismatch(shape, target, f"{have} elements vs {want}")
        return known
    if want == 0:
        raise _mismatch(shape, target, "-1 is ambiguous beside a dimension 0")
    if have % want:
        raise _mismatch(shape, target, f"{have} is not a multiple of {want}")
    return (*known[:at], have // want, *known[at:])


def _mismatch(shape: Ints, target: Ints, reason: str) -> ShapeError:
    return ShapeError(f"reshape: cannot reshape {show(shape)} into {show(target)}: {reason}")
