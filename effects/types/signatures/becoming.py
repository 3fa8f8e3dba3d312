"""Arguments of which the type checker knows what becomes of their dtype: functions of one array need no overloads.

    def nanmean(x: AsFloats[DT], /, axis: Axes = None, keepdims: bool = False) -> Array[DT]: ...

A dtype class says what its arrays become (`floats`, `sums`, `real_floats`, `complexes` in `effects.types.dtypes`), and
an array says its dtype: so it is a `HasFloats[E, S]` for one `E`. A number, or an array of NumPy's, leaves that
unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never, Protocol

from typing_extensions import TypeVar

from effects.types.signatures import MYPY

if TYPE_CHECKING:
    from effects.arrays.array import Array, Foreign
    from effects.types import kinds
    from effects.types.dtypes import DType


W = TypeVar("W")


if MYPY:  # which takes the bound of a type variable for met where a method's own array is one by a protocol
    type Elements[D: DType] = Array[D, Any]
else:

    class Elements[D: DType](Protocol):
        """An array of dtype `D`. Its shape is not looked at: to pyright, an unknown one leaves no choice open."""

        @property
        def _element(self) -> D: ...


class Floats[E: DType](Protocol):
    @property
    def floats(self) -> E: ...


class Quotients[E: DType](Protocol):
    @property
    def quotients(self) -> E: ...


class RealFractions[E: DType](Protocol):
    @property
    def floats(self) -> E: ...
    @property
    def ordered(self) -> Any: ...


class _Sums[E: DType](Protocol):
    @property
    def sums(self) -> E: ...


class _Reals[E: DType](Protocol):
    @property
    def reals(self) -> E: ...


class _RealFloats[E: DType](Protocol):
    @property
    def real_floats(self) -> E: ...


class Complexes[E](Protocol):
    @property
    def complexes(self) -> E: ...


class _Beside[D, R](Protocol):
    def beside(self, other: D, /) -> R: ...


class Meets[D, R: DType, S: tuple[Any, ...]](Protocol):
    """An array of shape `S` that meets arrays of dtype `D` in `R` (`effects.types.meeting`)."""

    @property
    def _element(self) -> _Beside[D, R]: ...
    def _sized(self, shape: S, /) -> Any: ...


class _Becomes[K, R](Protocol):
    def become(self, kind: K, /) -> R: ...


class Beside[K, D, R: DType, S: tuple[Any, ...]](Protocol):
    """An array of shape `S` that meets arrays of dtype `D` in what functions of kind `K` make `R` of."""

    @property
    def _element(self) -> _Beside[D, _Becomes[K, R]]: ...
    def _sized(self, shape: S, /) -> Any: ...


class Broadcasts[K, D, S, R: DType, T: tuple[Any, ...]](Protocol):
    """An array that beside one of dtype `D` and shape `S` is, in functions of kind `K`, one of dtype `R` and shape `T`.

    Where this shape or that is unknown, so is `T`.
    """

    @property
    def _element(self) -> _Beside[D, _Becomes[K, R]]: ...
    def _beside(self, shape: S, /) -> T: ...


class Extends[D, S, R: DType, T: tuple[Any, ...]](Protocol):
    """The same in functions that keep what two dtypes meet in."""

    @property
    def _element(self) -> _Beside[D, R]: ...
    def _beside(self, shape: S, /) -> T: ...


class HasOperator[K, G](Protocol):
    """An array whose operator is, in functions of kind `K`, a `G`."""

    def _operator(self, kind: K, /) -> G: ...


class Gives[D: DType, S: tuple[Any, ...]](Protocol):
    """An array of dtype `D` and shape `S`, or a result that may become one."""

    def _pin(self, dtype: D, shape: S, /) -> tuple[D, S]: ...


class HasChoice[G, H](Protocol):
    """An array whose sum is a `G`, and of which a choice is an `H`."""

    def _operator(self, kind: kinds.Kept, /) -> G: ...
    @property
    def _choose(self) -> H: ...


class Rowless(Protocol):
    @property
    def row(self) -> Never: ...


class ArrayOf[D: DType, S: tuple[Any, ...]](Protocol):
    """An array of shape `S` whose dtype `D`, of a family or a float8, says not what it meets others in."""

    @property
    def _element(self) -> Rowless: ...
    def _pin(self, dtype: D, shape: S, /) -> Any: ...


class HasFloats[E: DType, S: tuple[Any, ...]](Protocol):
    """An array of shape `S` whose fractions are `E`: floating-point numbers stay, integers and bools are float64."""

    @property
    def _element(self) -> Floats[E]: ...
    def _sized(self, shape: S, /) -> Any: ...


class HasSums[E: DType](Protocol):
    """An array whose sums are `E`: integers become int64 or uint64."""

    @property
    def _element(self) -> _Sums[E]: ...


class HasReals[E: DType, S: tuple[Any, ...]](Protocol):
    """An array of shape `S` whose absolute values are `E`: complex numbers become real."""

    @property
    def _element(self) -> _Reals[E]: ...
    def _sized(self, shape: S, /) -> Any: ...


class HasRealFloats[E: DType](Protocol):
    """An array whose absolute values, with fractions, are `E`."""

    @property
    def _element(self) -> _RealFloats[E]: ...


class _FloatsAndReals[E: DType, R: DType](Protocol):
    @property
    def floats(self) -> E: ...
    @property
    def real_floats(self) -> R: ...


class HasFloatsAndReals[E: DType, R: DType](Protocol):
    """An array whose fractions are `E` and whose absolute values, with fractions, are `R`."""

    @property
    def _element(self) -> _FloatsAndReals[E, R]: ...


class HasComplexes[E: DType](Protocol):
    """An array that is `E` in complex numbers."""

    @property
    def _element(self) -> Complexes[E]: ...


class WithComplexes[E: DType, S: tuple[Any, ...]](Protocol):
    """An array of shape `S` that is `E` in complex numbers."""

    @property
    def _element(self) -> Complexes[E]: ...
    def _sized(self, shape: S, /) -> Any: ...


class HasSignal[E: DType](Protocol):
    """An array that is in complex numbers of which the parts are `E`: where it is narrower than float32, these."""

    @property
    def _element(self) -> Complexes[_RealFloats[E]]: ...


class _Spectrum[E: DType](Protocol):
    @property
    def complexes(self) -> E: ...
    @property
    def ordered(self) -> Any: ...


class HasSpectrum[E: DType](Protocol):
    """An array of real numbers that is `E` in complex numbers."""

    @property
    def _element(self) -> _Spectrum[E]: ...


class _Ordered(Protocol):
    @property
    def ordered(self) -> Any: ...


class HasOrder(Protocol):
    """An array of real numbers, or bools."""

    @property
    def _element(self) -> _Ordered: ...


class Bits[E: DType](Protocol):
    @property
    def bits(self) -> E: ...


class HasBits[E: DType, S: tuple[Any, ...]](Protocol):
    """An array of dtype `E` and shape `S` whose elements are bits: integers or bools."""

    @property
    def _element(self) -> Bits[E]: ...
    def _sized(self, shape: S, /) -> Any: ...


class _Writable[V](Protocol):
    writable: V


class Holds[V](Protocol):
    """An array into which `V` may be written."""

    @property
    def _element(self) -> _Writable[V]: ...


class _Counted[N](Protocol):
    number: N


class Counts[N](Protocol):
    """An array whose elements are `N` to Python."""

    @property
    def _element(self) -> _Counted[N]: ...


class _Whole[I](Protocol):
    @property
    def whole(self) -> I: ...


class _Truth[B](Protocol):
    @property
    def truth(self) -> B: ...


class HasIntegers[I](Protocol):
    """An array of integers, of dtype `I`."""

    @property
    def _element(self) -> _Whole[I]: ...


class HasBools[B](Protocol):
    """An array of bools; `B` is their dtype."""

    @property
    def _element(self) -> _Truth[B]: ...


class FloatingNumber(Protocol):
    """A `float`: what integers are not, though they pass for one."""

    def hex(self) -> str: ...


class ImaginaryNumber(Protocol):
    """A complex number of Python's: what real ones are not, though they pass for `complex`."""

    def __add__(self, other: complex, /) -> complex: ...
    def conjugate(self) -> complex: ...


type Integral = Array | int | Foreign
"""An array, or a number that is an integer."""

type Integers[I] = HasIntegers[I] | int | Foreign
"""Integers. A parameter that is no type variable would be what an argument's own are inferred from."""

type Bools[B] = HasBools[B] | bool | Foreign
type Mask = Bools[Any]
"""Mask of the elements that count."""

type Real = HasOrder | float | Foreign
"""Real numbers: what `ArrayLike` has but complex ones."""

type Discrete = HasIntegers[Any] | HasBools[Any]
"""An array of integers or of bools: what may be an index, and what integers are made of."""

type AsBits[E: DType, S: tuple[Any, ...]] = HasBits[E, S] | int | Foreign
type AsFloatsOf[E: DType, S: tuple[Any, ...]] = HasFloats[E, S] | complex | Foreign
type AsFloats[E: DType] = HasFloats[E, Any] | complex | Foreign
type AsReals[E: DType, S: tuple[Any, ...]] = HasReals[E, S] | complex | Foreign
type AsSums[E: DType] = HasSums[E] | complex | Foreign
type AsRealFloats[E: DType] = HasRealFloats[E] | complex | Foreign
type AsSignal[E: DType] = HasSignal[E] | complex | Foreign
type AsSpectrum[E: DType] = HasSpectrum[E] | float | Foreign
type AsComplexes[E: DType] = HasComplexes[E] | complex | Foreign
type Meeting[D: DType, R: DType] = Meets[D, R, Any] | complex | Foreign
"""Argument that meets a dtype `D` in `R`; a number, or an array of NumPy's, leaves that unknown."""
type Dividing[D: DType, R: DType] = Beside[kinds.Divided, D, R, Any] | complex | Foreign
"""Argument that meets a dtype `D` in `R` as in a division, so that integers become float64."""
type FloatMatrices[E: DType] = HasFloats[E, Any] | Foreign
"""Arguments of `AsFloats` without numbers, which have no rows."""
type RealMatrices[E: DType] = HasRealFloats[E] | Foreign
type ComplexMatrices[E: DType] = HasComplexes[E] | Foreign
