"""`Select` and `Clamp` by NumPy, by the function that is fastest for the operands."""

from __future__ import annotations

from typing import Final

import numpy as np

from effects.arrays.concrete import Host

_CLIP_FROM: Final = 1000
"""Number of elements from which a function is faster that costs more to call, and less for each element."""
_MISPREDICTED_FROM: Final = 1 << 14
"""Number of elements from which a processor no longer remembers which way its branches went."""
_RARELY_MISPREDICTED: Final = 1 / 16
"""Largest share of mispredicted branches at which branches are the fastest way."""


def chosen(pred: Host, x: Host, y: Host) -> Host:
    """x where `pred` holds, else y.

    Long arrays take a quarter of the time: the operand that is chosen most often is copied and the rest written over it
    or, where branches would be mispredicted, bits are selected.
    """
    if pred.size < _MISPREDICTED_FROM:
        return np.where(pred, x, y)
    share = np.count_nonzero(pred) / pred.size
    if share <= _RARELY_MISPREDICTED:
        return _with(y, x, pred)
    if share >= 1 - _RARELY_MISPREDICTED:
        return _with(x, y, ~pred)
    if x.itemsize > 8:
        return np.where(pred, x, y)
    bits = f"u{x.itemsize}"
    other = y.view(bits)
    out: Host = np.multiply(np.bitwise_xor(x.view(bits), other, out=...), pred, out=...)
    np.bitwise_xor(out, other, out=out)
    return out.view(x.dtype)


def _with(x: Host, some: Host, where: Host) -> Host:
    out = np.empty(np.broadcast_shapes(x.shape, some.shape, where.shape), x.dtype)
    out[...] = x
    np.copyto(out, some, where=where)
    return out


def clamped(low: Host, x: Host, high: Host) -> Host:
    """min(max(x, low), high)."""
    of_numbers = x.size > _CLIP_FROM and x.dtype.isbuiltin == 1 and not low.ndim and not high.ndim
    if of_numbers and high and (low or not np.signbit(low)):
        limited: Host = np.clip(x, low, high)  # a third of the time, but -0 stays in bounds of 0
        return limited if low else np.add(limited, low, out=limited)
    raised: Host = np.maximum(x, low, out=...)
    in_place = high.ndim <= raised.ndim and high.size == 1
    return np.minimum(raised, high, out=raised if in_place else ...)
