"""Element types: one class per dtype, in a tree, so that a signature can ask for `Inexact`.

Each says what arrays of it become, to type checkers; when programs run they have a name and NumPy's dtype.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Self, overload

import numpy as np

from effects.errors import ArgumentError
from effects.types.dtype_class import DTypeClass

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Foreign
    from effects.types import kinds
    from effects.types.meeting import (
        Among,
        HasBf16,
        HasBool,
        HasC64,
        HasC128,
        HasF16,
        HasF32,
        HasF64,
        HasI8,
        HasI16,
        HasI32,
        HasI64,
        HasU8,
        HasU16,
        HasU32,
        HasU64,
        Row,
    )
    from effects.types.signatures import MYPY
    from effects.types.signatures.becoming import Bits, Discrete, Floats, Quotients, RealFractions

    if MYPY:  # which takes a bound for what two dtypes meet in
        type Met = object
    else:  # pyright compares bounds first, and takes what fails then for what fails with every dtype
        type Met = Any

ml_dtypes: Final = import_module("ml_dtypes")  # by name: it says no types, and checkers take long over it


class DType(metaclass=DTypeClass):
    """The root of the dtype classes. `dtype` is NumPy's, which makes `numpy.dtype(cls)` work."""

    dtype: ClassVar[np.dtype[Any]]

    if not TYPE_CHECKING:

        def __new__(cls, *_: object, **__: object) -> NoReturn:
            raise ArgumentError(f"{cls} is a dtype, not a function: write asarray(x, dtype={cls}), or x.astype({cls})")

    # What an array of it gives with one of another dtype, for type checkers: `effects.types.meeting`.
    row: Any

    def beside(self, other: Any, /) -> Any:
        raise NotImplementedError

    # What arrays of it become, for type checkers (`effects.types.signatures.becoming`): by kinds of functions,
    # in what has fractions, in sums, in what is real, in what has fractions and is real, in complex numbers; what may
    # be written into them. And in bits, whole numbers, truth and what has an order, where they are of these.
    @overload
    def become(self, kind: kinds.Kept, /) -> Self: ...
    @overload
    def become[R: DType](self: Floats[R], kind: kinds.Divided, /) -> R: ...
    @overload
    def become[R: DType](self: RealFractions[R], kind: kinds.Measured, /) -> R: ...
    @overload
    def become[R: DType](self: Quotients[R], kind: kinds.Counted, /) -> R: ...
    @overload
    def become[R: DType](self: Bits[R], kind: kinds.Bitwise, /) -> R: ...
    def become(self, *args: Any, **kwargs: Any) -> Any: ...

    complexes: Any
    floats: Any
    sums: Any
    reals: Any
    real_floats: Any
    writable: Any
    number: Any

    rank: ClassVar[int] = 0
    """The kind's place in bool < integer < real < complex: a weak scalar adopts a dtype of its own rank or higher."""


class Num(DType):
    """Numbers: everything but bool."""


class Integer(Num):
    """Signed and unsigned integers."""

    bits: Self
    writable: Discrete | int | Foreign
    ordered: Self
    quotients: Self
    whole: Self
    number: int
    complexes: complex128
    floats: float64
    reals: Self
    real_floats: float64
    rank = 1


class Signed(Integer):
    """Signed integers."""

    sums: int64


class Unsigned(Integer):
    """Unsigned integers."""

    sums: uint64


class Inexact(Num):
    """Real and complex floating point: what can be differentiated."""

    floats: Self
    sums: Self


class Floating(Inexact):
    """Real floating point."""

    writable: Array | float | Foreign
    number: float
    ordered: Self
    quotients: Self
    reals: Self
    real_floats: Self
    rank = 2


class Complex(Inexact):
    """Complex floating point."""

    writable: ArrayLike
    number: complex
    complexes: Self
    rank = 3


class bool_(DType):
    bits: Self
    writable: Discrete | int | Foreign
    ordered: Self
    truth: Self
    number: bool
    complexes: complex128
    floats: float64
    sums: int64
    reals: Self
    real_floats: float64
    row: Row[bool_, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128]
    dtype = np.dtype(np.bool_)

    def beside[R: Met](self, other: Among[HasBool[R]], /) -> R:
        raise NotImplementedError


class int8(Signed):
    row: Row[i8, i8, i16, i32, i64, i16, i32, i64, f64, f16, bf16, f32, f64, c64, c128]
    dtype = np.dtype(np.int8)

    def beside[R: Met](self, other: Among[HasI8[R]], /) -> R:
        raise NotImplementedError


class int16(Signed):
    row: Row[i16, i16, i16, i32, i64, i16, i32, i64, f64, f16, bf16, f32, f64, c64, c128]
    dtype = np.dtype(np.int16)

    def beside[R: Met](self, other: Among[HasI16[R]], /) -> R:
        raise NotImplementedError


class int32(Signed):
    row: Row[i32, i32, i32, i32, i64, i32, i32, i64, f64, f16, bf16, f64, f64, c128, c128]
    dtype = np.dtype(np.int32)

    def beside[R: Met](self, other: Among[HasI32[R]], /) -> R:
        raise NotImplementedError


class int64(Signed):
    row: Row[i64, i64, i64, i64, i64, i64, i64, i64, f64, f16, bf16, f64, f64, c128, c128]
    dtype = np.dtype(np.int64)

    def beside[R: Met](self, other: Among[HasI64[R]], /) -> R:
        raise NotImplementedError


class uint8(Unsigned):
    row: Row[u8, i16, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128]
    dtype = np.dtype(np.uint8)

    def beside[R: Met](self, other: Among[HasU8[R]], /) -> R:
        raise NotImplementedError


class uint16(Unsigned):
    row: Row[u16, i32, i32, i32, i64, u16, u16, u32, u64, f16, bf16, f32, f64, c64, c128]
    dtype = np.dtype(np.uint16)

    def beside[R: Met](self, other: Among[HasU16[R]], /) -> R:
        raise NotImplementedError


class uint32(Unsigned):
    row: Row[u32, i64, i64, i64, i64, u32, u32, u32, u64, f16, bf16, f64, f64, c128, c128]
    dtype = np.dtype(np.uint32)

    def beside[R: Met](self, other: Among[HasU32[R]], /) -> R:
        raise NotImplementedError


class uint64(Unsigned):
    row: Row[u64, f64, f64, f64, f64, u64, u64, u64, u64, f16, bf16, f64, f64, c128, c128]
    dtype = np.dtype(np.uint64)

    def beside[R: Met](self, other: Among[HasU64[R]], /) -> R:
        raise NotImplementedError


class float16(Floating):
    complexes: complex64
    row: Row[f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f32, f32, f64, c64, c128]
    dtype = np.dtype(np.float16)

    def beside[R: Met](self, other: Among[HasF16[R]], /) -> R:
        raise NotImplementedError


class bfloat16(Floating):
    complexes: complex64
    row: Row[bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, f32, bf16, f32, f64, c64, c128]
    dtype = np.dtype(ml_dtypes.bfloat16)

    def beside[R: Met](self, other: Among[HasBf16[R]], /) -> R:
        raise NotImplementedError


class float32(Floating):
    complexes: complex64
    row: Row[f32, f32, f32, f64, f64, f32, f32, f64, f64, f32, f32, f32, f64, c64, c128]
    dtype = np.dtype(np.float32)

    def beside[R: Met](self, other: Among[HasF32[R]], /) -> R:
        raise NotImplementedError


class float64(Floating):
    complexes: complex128
    row: Row[f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, c128, c128]
    dtype = np.dtype(np.float64)

    def beside[R: Met](self, other: Among[HasF64[R]], /) -> R:
        raise NotImplementedError


class float8_e4m3fn(Floating):
    complexes: complex64
    dtype = np.dtype(ml_dtypes.float8_e4m3fn)


class float8_e5m2(Floating):
    complexes: complex64
    dtype = np.dtype(ml_dtypes.float8_e5m2)


class float8_e4m3b11fnuz(Floating):
    complexes: complex64
    dtype = np.dtype(ml_dtypes.float8_e4m3b11fnuz)


class float8_e4m3fnuz(Floating):
    complexes: complex64
    dtype = np.dtype(ml_dtypes.float8_e4m3fnuz)


class float8_e5m2fnuz(Floating):
    complexes: complex64
    dtype = np.dtype(ml_dtypes.float8_e5m2fnuz)


class complex64(Complex):
    reals: float32
    real_floats: float32
    row: Row[c64, c64, c64, c128, c128, c64, c64, c128, c128, c64, c64, c64, c128, c64, c128]
    dtype = np.dtype(np.complex64)

    def beside[R: Met](self, other: Among[HasC64[R]], /) -> R:
        raise NotImplementedError


class complex128(Complex):
    reals: float64
    real_floats: float64
    row: Row[c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128]
    dtype = np.dtype(np.complex128)

    def beside[R: Met](self, other: Among[HasC128[R]], /) -> R:
        raise NotImplementedError


# One statement each: type checkers take no others for aliases.
f16 = float16
bf16 = bfloat16
f32 = float32
f64 = float64
i8 = int8
i16 = int16
i32 = int32
i64 = int64
u8 = uint8
u16 = uint16
u32 = uint32
u64 = uint64
c64 = complex64
c128 = complex128
