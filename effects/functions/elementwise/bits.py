"""The bits that elements are made of."""

from __future__ import annotations

from effects.arguments import shown
from effects.arrays.array import Array, ArrayLike
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, convert, integral
from effects.errors import DTypeError, ShapeError
from effects.functions.elementwise import arithmetic, unary
from effects.functions.manipulation import movement
from effects.operations.elementwise import Unary, UnaryKind
from effects.operations.movement import Bitcast
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.dtypes import DTypeOf, u8


def view(x: ArrayLike, /, dtype: DTypeOf[DT]) -> Array[DT]:
    """The bytes of x as elements of `dtype`, the low ones first, as NumPy's `x.view(dtype)`.

    Elements of another size make the last axis longer or shorter. A bool is a byte, true if it is not 0. Parts of
    complex numbers have a derivative, as have complex numbers of parts; bits have none. Raises ShapeError where there
    is no axis, or its bytes are no whole number of elements.

    >>> import effects as fx
    >>> fx.view(fx.asarray([1.0, -2.0]), fx.uint16)
    Array([    0,     0,     0, 16368,     0,     0,     0, 49152], uint16)
    """
    if isinstance(dtype, int | tuple | list):
        raise DTypeError(f"view: {shown(dtype)} is not a dtype; for another shape write reshape(x, {shown(dtype)})")
    array, target = as_array(x, "view", "x"), dtypes.as_dtype(dtype)
    own, shape = array.aval.dtype, array.aval.shape
    if own is target:
        return convert(array, target)
    if own.itemsize != target.itemsize and (not shape or shape[-1] * own.itemsize % target.itemsize):
        lacking = "bytes that are a whole number of elements of" if shape else "an axis for elements of the size of"
        raise ShapeError(f"view: x must have {lacking} {target}, got {array.aval}")
    line = array if shape else movement.reshape(array, (1,))
    if issubclass(own, dtypes.Complex):
        parts = movement.stack([unary.real(line), unary.imag(line)], axis=-1)
        line = movement.reshape(parts, (*line.aval.shape[:-1], 2 * line.aval.shape[-1]))
    elif own is dtypes.bool_:
        line = convert(line, dtypes.uint8)
    inner = dtypes.uint8 if target is dtypes.bool_ else dtypes.real_of(target)
    if line.aval.dtype is not inner:
        line = perform(Bitcast(inner, line))
    if issubclass(target, dtypes.Complex):
        line = arithmetic.complex(line[..., ::2], line[..., 1::2])
    elif target is dtypes.bool_:
        line = line != 0
    return line if shape else movement.reshape(line, ())


def bitwise_count(x: ArrayLike, /) -> Array[u8]:
    """Number of bits set in |x|, as uint8, for integers.

    >>> import effects as fx
    >>> fx.bitwise_count(-7)
    Array(3, uint8)
    """
    size = unary.abs(integral("bitwise_count", x))
    return unary.astype(perform(Unary(UnaryKind.BIT_COUNT, size)), dtypes.uint8)
