"""Arguments of which the type checker knows what becomes of their dtype: functions of one array need no overloads.

    def nanmean(x: Floats[DT], /, axis: Axes = None, keepdims: bool = False) -> Array[DT]: ...

A dtype class says what its arrays become (`floats`, `sums`, `real_floats` in `effects.types.dtypes`), and an array says
its dtype: so it is a `HasFloats[E, S]` for one `E`. A number, or an array of NumPy's, leaves that unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from effects.arrays.array import Foreign


class _Floats[E](Protocol):
    @property
    def floats(self) -> E: ...


class _Sums[E](Protocol):
    @property
    def sums(self) -> E: ...


class _RealFloats[E](Protocol):
    @property
    def real_floats(self) -> E: ...


class HasFloats[E, S](Protocol):
    """An array of shape `S` whose fractions are `E`: floating-point numbers stay, integers and bools are float64."""

    @property
    def dtype(self) -> type[_Floats[E]]: ...
    def _pin(self, dtype: Any, shape: S, /) -> None: ...


class HasSums[E](Protocol):
    """An array whose sums are `E`: integers become int64 or uint64."""

    @property
    def dtype(self) -> type[_Sums[E]]: ...


class HasRealFloats[E](Protocol):
    """An array whose absolute values, with fractions, are `E`."""

    @property
    def dtype(self) -> type[_RealFloats[E]]: ...


type AsFloatsOf[E, S] = HasFloats[E, S] | complex | Foreign
type AsFloats[E] = HasFloats[E, Any] | complex | Foreign
type AsSums[E] = HasSums[E] | complex | Foreign
type AsRealFloats[E] = HasRealFloats[E] | complex | Foreign
