"""Promotion of two dtypes, for type checkers: the table of `promote`, of which each dtype's class has a row.

`D.beside(E)` gives what stands in `E`'s row in the column of `D`: it takes whatever has such a column, and its
result is the entry. So a signature solves the result from the two dtypes:

    def add[D: DType, R: DType, S: Shape](x: Array[D, S], y: Meets[D, R, S], /) -> Array[R, S]: ...

`Meets[D, R, S]` is an array whose dtype gives `R` beside `D`. Of families of dtypes, and of float8, no result is known.
"""

from __future__ import annotations

from typing import Protocol


class Row[BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, C64, C128]:
    """Promotion of a dtype with each dtype."""

    bool_: BOOL
    i8: I8
    i16: I16
    i32: I32
    i64: I64
    u8: U8
    u16: U16
    u32: U32
    u64: U64
    f16: F16
    bf16: BF16
    f32: F32
    f64: F64
    c64: C64
    c128: C128


class Among[W](Protocol):
    """A dtype with the row `W`."""

    @property
    def row(self) -> W: ...


class HasBool[R](Protocol):
    @property
    def bool_(self) -> R: ...


class HasI8[R](Protocol):
    @property
    def i8(self) -> R: ...


class HasI16[R](Protocol):
    @property
    def i16(self) -> R: ...


class HasI32[R](Protocol):
    @property
    def i32(self) -> R: ...


class HasI64[R](Protocol):
    @property
    def i64(self) -> R: ...


class HasU8[R](Protocol):
    @property
    def u8(self) -> R: ...


class HasU16[R](Protocol):
    @property
    def u16(self) -> R: ...


class HasU32[R](Protocol):
    @property
    def u32(self) -> R: ...


class HasU64[R](Protocol):
    @property
    def u64(self) -> R: ...


class HasF16[R](Protocol):
    @property
    def f16(self) -> R: ...


class HasBf16[R](Protocol):
    @property
    def bf16(self) -> R: ...


class HasF32[R](Protocol):
    @property
    def f32(self) -> R: ...


class HasF64[R](Protocol):
    @property
    def f64(self) -> R: ...


class HasC64[R](Protocol):
    @property
    def c64(self) -> R: ...


class HasC128[R](Protocol):
    @property
    def c128(self) -> R: ...
