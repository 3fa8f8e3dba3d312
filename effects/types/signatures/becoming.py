"""Arguments of which the type checker knows what becomes of their dtype: functions of one array need no overloads.

    def nanmean(x: Floats[DT], /, axis: Axes = None, keepdims: bool = False) -> Array[DT]: ...

A dtype class says what its arrays become (`floats`, `sums`, `real_floats` in `effects.types.dtypes`), and an array says
its dtype: so it is a `HasFloats[E, S]` for one `E`. A number, or an array of NumPy's, leaves that unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from effects.arrays.array import Foreign
    from effects.types.dtypes import DType


class _Floats[E: DType](Protocol):
    @property
    def floats(self) -> E: ...


class _Sums[E: DType](Protocol):
    @property
    def sums(self) -> E: ...


class _Reals[E: DType](Protocol):
    @property
    def reals(self) -> E: ...


class _RealFloats[E: DType](Protocol):
    @property
    def real_floats(self) -> E: ...


class HasFloats[E: DType, S: tuple[Any, ...]](Protocol):
    """An array of shape `S` whose fractions are `E`: floating-point numbers stay, integers and bools are float64."""

    def _pin(self, dtype: Any, shape: S, /) -> _Floats[E]: ...


class HasSums[E: DType](Protocol):
    """An array whose sums are `E`: integers become int64 or uint64."""

    def _pin(self, dtype: Any, shape: Any, /) -> _Sums[E]: ...


class HasReals[E: DType, S: tuple[Any, ...]](Protocol):
    """An array of shape `S` whose absolute values are `E`: complex numbers become real."""

    def _pin(self, dtype: Any, shape: S, /) -> _Reals[E]: ...


class HasRealFloats[E: DType](Protocol):
    """An array whose absolute values, with fractions, are `E`."""

    def _pin(self, dtype: Any, shape: Any, /) -> _RealFloats[E]: ...


type AsFloatsOf[E: DType, S: tuple[Any, ...]] = HasFloats[E, S] | complex | Foreign
type AsFloats[E: DType] = HasFloats[E, Any] | complex | Foreign
type AsReals[E: DType, S: tuple[Any, ...]] = HasReals[E, S] | complex | Foreign
type AsSums[E: DType] = HasSums[E] | complex | Foreign
type AsRealFloats[E: DType] = HasRealFloats[E] | complex | Foreign
