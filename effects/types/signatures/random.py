"""Signatures of what draws random numbers: a dtype class given as `dtype` is the dtype of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from typing_extensions import TypeVar

from effects.types.signatures import MYPY, P, R, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, Foreign, Scalar
    from effects.arrays.operators import DT, FT, IT, XT
    from effects.random.keys import Key
    from effects.types.dtypes import DTypeOf, Floating, Unsigned, i64, u32
    from effects.types.signatures.becoming import Integral, Real
    from effects.types.signatures.creation import Sizes
    from effects.types.signatures.refused import NoDType, NoInteger, NoKey, NoReal, NoSizes

UT = TypeVar("UT", bound="Unsigned", default="Any")
X = TypeVar("X", bound="Real")
Y = TypeVar("Y", bound="Real")


class OfDrawn(Signature[P, R]):
    """A key, a shape and a dtype: `normal`.

    What takes a key alone comes first, here and below: of it `vmap` and others make what they give.
    """

    @overload
    def __call__(self, key: Key, shape: tuple[()] = (), dtype: DTypeOf[XT] | None = None) -> Scalar[XT]: ...
    @overload
    def __call__(
        self, key: Key | NoKey, shape: Sizes | NoSizes, dtype: DTypeOf[XT] | NoDType | None = None
    ) -> Array[XT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfBits(Signature[P, R]):
    """`bits`."""

    @overload
    def __call__(self, key: Key, shape: tuple[()] = ()) -> Scalar[u32]: ...
    @overload
    def __call__(self, key: Key, shape: Sizes) -> Array[u32]: ...
    @overload
    def __call__(self, key: Key, shape: tuple[()] = (), *, dtype: DTypeOf[UT]) -> Scalar[UT]: ...
    @overload
    def __call__(self, key: Key, shape: Sizes, dtype: DTypeOf[UT]) -> Array[UT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfUniform(Signature[P, R]):
    """`uniform`."""

    @overload
    def __call__(
        self, key: Key, shape: tuple[()] = (), dtype: DTypeOf[FT] | None = None, minval: Real = 0.0, maxval: Real = 1.0
    ) -> Scalar[FT]: ...
    @overload
    def __call__(
        self,
        key: Key | NoKey,
        shape: Sizes | NoSizes,
        dtype: DTypeOf[FT] | NoDType | None = None,
        minval: Real | NoReal = 0.0,
        maxval: Real | NoReal = 1.0,
    ) -> Array[FT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfIntegers(Signature[P, R]):
    """`randint`."""

    @overload
    def __call__(
        self, key: Key | NoKey, shape: Sizes | NoSizes, minval: Integral | NoInteger, maxval: Integral | NoInteger
    ) -> Array[i64]: ...
    @overload
    def __call__(self, key: Key, shape: Sizes, minval: Integral, maxval: Integral, dtype: DTypeOf[IT]) -> Array[IT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfSigns(Signature[P, R]):
    """`rademacher`."""

    @overload
    def __call__(self, key: Key, shape: Sizes = ()) -> Array[i64]: ...
    @overload
    def __call__(self, key: Key, shape: Sizes = (), dtype: DTypeOf[DT] = ...) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfOrder(Signature[P, R]):
    """`permutation`."""

    @overload
    def __call__(self, key: Key, x: Array[DT] | Foreign, axis: int = 0, independent: bool = False) -> Array[DT]: ...
    @overload
    def __call__(self, key: Key, x: int, axis: int = 0, independent: bool = False) -> Array[i64]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfChoice(Signature[P, R]):
    """`choice`."""

    @overload
    def __call__(
        self,
        key: Key,
        a: Array[DT] | Foreign,
        shape: Sizes = (),
        replace: bool = True,
        p: Real | None = None,
        axis: int = 0,
    ) -> Array[DT]: ...
    @overload
    def __call__(
        self, key: Key, a: int, shape: Sizes = (), replace: bool = True, p: Real | None = None, axis: int = 0
    ) -> Array[i64]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


type Method = Literal["cholesky", "eigh", "svd"]


class OfVectors(Signature[P, R]):
    """`multivariate_normal`, whose parameters say the dtype."""

    @overload
    def __call__[D: Floating](
        self,
        key: Key,
        mean: Array[D, Any],
        cov: Array[D, Any],
        shape: Sizes | None = None,
        dtype: None = None,
        method: Method = "cholesky",
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        key: Key,
        mean: X,
        cov: Y,
        shape: Sizes | None = None,
        dtype: DTypeOf[DT] | None = None,
        method: Method = "cholesky",
    ) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


if MYPY:
    Drawn = lambda function: OfDrawn(function).__call__
    Bits = lambda function: OfBits(function).__call__
    Uniform = lambda function: OfUniform(function).__call__
    Integers = lambda function: OfIntegers(function).__call__
    Signs = lambda function: OfSigns(function).__call__
    Order = lambda function: OfOrder(function).__call__
    Vectors = lambda function: OfVectors(function).__call__
    Choice = lambda function: OfChoice(function).__call__
else:
    Drawn = OfDrawn
    Bits = OfBits
    Uniform = OfUniform
    Integers = OfIntegers
    Signs = OfSigns
    Order = OfOrder
    Vectors = OfVectors
    Choice = OfChoice
