"""Bools as the bits of bytes, and back. Names and semantics are NumPy's."""

from __future__ import annotations

from typing import Final, Literal

from effects.arguments import choice, integer
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, scalar
from effects.errors import DTypeError, ShapeError
from effects.functions.elementwise import arithmetic, unary
from effects.functions.manipulation import movement, padding
from effects.operations.movement import Bitcast
from effects.program.chain import perform
from effects.types import dtypes, shapes
from effects.types.dtypes import u8

type Bitorder = Literal["big", "little"]

_EACH: Final = 0x0101010101010101
_FIRST_IS_LAST, _FIRST_IS_FIRST = 0x8040201008040201, 0x0102040810204080
_GATHERED: Final = {"big": _FIRST_IS_LAST, "little": _FIRST_IS_FIRST}
"""Factors by bitorder: the product with eight bytes, each 0 or 1, has them as the bits of its highest byte."""
_CHOSEN: Final = {"big": _FIRST_IS_FIRST, "little": _FIRST_IS_LAST}
"""Masks of single bits, one in each byte, the lowest byte first."""


def _along(function: str, x: Array, axis: int | None) -> tuple[Array, int]:
    """x with the axis last (flattened for None), and the position of the axis."""
    if axis is None:
        return movement.reshape(x, (-1,)), 0
    if not x.aval.ndim:
        raise ShapeError(f"{function}: x must have at least one axis, got {x.aval}")
    at = shapes.normalize_axis(function, x.aval.shape, axis)
    return movement.moveaxis(x, at, -1), at


def packbits(x: ArrayLike, /, axis: int | None = None, bitorder: Bitorder = "big") -> Array[u8]:
    """The bits "is not zero" of the elements along `axis` (None: of all), eight in each uint8; the last has zeros.

    The first of eight is the highest bit of a byte, or the lowest if `bitorder` is "little". Integers and bools only.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.packbits(np.array([1, 0, 0, 0, 0, 0, 1, 1, 1]))
    Array([131, 128], uint8)
    """
    array = as_array(x, "packbits", "x")
    if dtypes.is_inexact(array.aval.dtype):
        raise DTypeError(f"packbits: x must be of bools or integers, got {array.aval}; compare it, as in x != 0")
    factor = _GATHERED[choice("packbits", "bitorder", bitorder, Bitorder)]
    bits, at = _along("packbits", unary.astype(array, dtypes.bool_), axis)
    *others, n = bits.aval.shape
    full = padding.pad(unary.astype(bits, dtypes.uint8), (*[(0, 0)] * len(others), (0, -n % 8)))
    eights = perform(Bitcast(dtypes.uint64, full))
    return movement.moveaxis(unary.astype((eights * scalar(factor, dtypes.uint64)) >> 56, dtypes.uint8), -1, at)


def unpackbits(
    x: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: Bitorder = "big"
) -> Array[u8]:
    """The bits of uint8 along `axis` (None: of all), eight for each, as zeros and ones.

    `count` says how many: zeros are put behind where that is more, and a negative one leaves so many out at the end.
    `bitorder` is as of `packbits`.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.unpackbits(np.array([131], "uint8")), fx.unpackbits(np.array([131], "uint8"), count=3)
    (Array([1, 0, 0, 0, 0, 0, 1, 1], uint8), Array([1, 0, 0], uint8))
    """
    array = as_array(x, "unpackbits", "x")
    if array.aval.dtype is not dtypes.uint8:
        raise DTypeError(f"unpackbits: x must be of uint8, got {array.aval}")
    chosen = _CHOSEN[choice("unpackbits", "bitorder", bitorder, Bitorder)]
    bytes_, at = _along("unpackbits", array, axis)
    *others, n = bytes_.aval.shape
    eights = (unary.astype(bytes_, dtypes.uint64) * _EACH) & scalar(chosen, dtypes.uint64)
    bits = arithmetic.minimum(perform(Bitcast(dtypes.uint8, eights)), 1)
    length = 8 * n if count is None else integer("unpackbits", "count", count)
    length = 8 * n + length if length < 0 else length
    if length < 0:
        raise ShapeError(f"unpackbits: count {count} leaves out more than the {8 * n} bits of x, {array.aval}")
    rank = len(others)
    if length > 8 * n:
        bits = padding.pad(bits, (*[(0, 0)] * rank, (0, length - 8 * n)))
    return movement.moveaxis(movement.slice_axis(bits, rank, 0, length), -1, at)
