"""Signatures of what draws random numbers: a dtype class given as `dtype` is the dtype of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

from effects.types.signatures import MYPY, P, R, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Scalar
    from effects.functions.random.keys import Key
    from effects.types.dtypes import DType, ForeignDType, u32
    from effects.types.signatures.creation import Sizes


class OfDrawn:
    """A key, a shape and a dtype: `normal`."""

    @overload
    def __call__[D: DType](self, key: Key, shape: tuple[()] = (), *, dtype: type[D]) -> Scalar[D]: ...
    @overload
    def __call__[D: DType](self, key: Key, shape: Sizes, dtype: type[D]) -> Array[D]: ...
    @overload
    def __call__(self, key: Key, shape: tuple[()] = (), dtype: ForeignDType | None = None) -> Scalar[Any]: ...
    @overload
    def __call__(self, key: Key, shape: Sizes, dtype: ForeignDType | None = None) -> Array: ...
    def __call__(self, key: object, shape: object = (), dtype: object = None) -> NoReturn:
        raise NotImplementedError


class OfBits:
    """`bits`."""

    @overload
    def __call__[D: DType](self, key: Key, shape: tuple[()] = (), *, dtype: type[D]) -> Scalar[D]: ...
    @overload
    def __call__[D: DType](self, key: Key, shape: Sizes, dtype: type[D]) -> Array[D]: ...
    @overload
    def __call__(self, key: Key, shape: tuple[()] = ()) -> Scalar[u32]: ...
    @overload
    def __call__(self, key: Key, shape: Sizes) -> Array[u32]: ...
    @overload
    def __call__(self, key: Key, shape: Sizes, dtype: ForeignDType) -> Array: ...
    @overload
    def __call__(self, key: Key, shape: Sizes = (), *, dtype: ForeignDType) -> Array: ...
    def __call__(self, key: object, shape: object = (), dtype: object = None) -> NoReturn:
        raise NotImplementedError


class OfUniform:
    """`uniform`."""

    @overload
    def __call__[D: DType](
        self,
        key: Key,
        shape: tuple[()] = (),
        *,
        dtype: type[D],
        minval: ArrayLike = 0.0,
        maxval: ArrayLike = 1.0,
    ) -> Scalar[D]: ...
    @overload
    def __call__[D: DType](
        self, key: Key, shape: Sizes, dtype: type[D], minval: ArrayLike = 0.0, maxval: ArrayLike = 1.0
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        key: Key,
        shape: tuple[()] = (),
        dtype: ForeignDType | None = None,
        minval: ArrayLike = 0.0,
        maxval: ArrayLike = 1.0,
    ) -> Scalar[Any]: ...
    @overload
    def __call__(
        self,
        key: Key,
        shape: Sizes,
        dtype: ForeignDType | None = None,
        minval: ArrayLike = 0.0,
        maxval: ArrayLike = 1.0,
    ) -> Array: ...
    def __call__(
        self, key: object, shape: object = (), dtype: object = None, minval: object = 0.0, maxval: object = 1.0
    ) -> NoReturn:
        raise NotImplementedError


if MYPY:
    Drawn = lambda function: OfDrawn().__call__
    Bits = lambda function: OfBits().__call__
    Uniform = lambda function: OfUniform().__call__
else:

    class Drawn(OfDrawn, Signature[P, R]):
        pass

    class Bits(OfBits, Signature[P, R]):
        pass

    class Uniform(OfUniform, Signature[P, R]):
        pass
