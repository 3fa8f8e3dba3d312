"""Types of derivatives of functions of real numbers, for the type checker: arrays of the types of the arguments.

As in `along`; when programs run these are plain functions.
"""

from __future__ import annotations

from typing import Any, overload

from effects.arrays.array import Array, Foreign, Scalar
from effects.types.dtypes import DType
from effects.types.signatures.becoming import Real


class GradOfTwo:
    """The gradients of a function of real numbers along its first two arguments."""

    @overload
    def __call__[DX: DType, SX: tuple[Any, ...], DY: DType, SY: tuple[Any, ...]](
        self, x: Array[DX, SX], y: Array[DY, SY], /, *args: Real
    ) -> tuple[Array[DX, SX], Array[DY, SY]]: ...
    @overload
    def __call__(self, x: Real, y: Real, /, *args: Real) -> tuple[Array, Array]: ...
    def __call__(self, x: object, y: object, /, *args: object) -> Any:
        raise NotImplementedError


class ValueAndGradOfTwo:
    """The value of such a function, and its gradients."""

    @overload
    def __call__[DX: DType, SX: tuple[Any, ...], DY: DType, SY: tuple[Any, ...]](
        self, x: Array[DX, SX], y: Array[DY, SY], /, *args: Real
    ) -> tuple[Scalar[Any], tuple[Array[DX, SX], Array[DY, SY]]]: ...
    @overload
    def __call__(self, x: Real, y: Real, /, *args: Real) -> tuple[Scalar[Any], tuple[Array, Array]]: ...
    def __call__(self, x: object, y: object, /, *args: object) -> Any:
        raise NotImplementedError


class GradOfThree:
    """The gradients of a function of real numbers along its three arguments."""

    @overload
    def __call__[DX: DType, SX: tuple[Any, ...], DY: DType, SY: tuple[Any, ...], DZ: DType, SZ: tuple[Any, ...]](
        self, x: Array[DX, SX], y: Array[DY, SY], z: Array[DZ, SZ], /
    ) -> tuple[Array[DX, SX], Array[DY, SY], Array[DZ, SZ]]: ...
    @overload
    def __call__(self, x: Real, y: Real, z: Real, /) -> tuple[Array, Array, Array]: ...
    def __call__(self, x: object, y: object, z: object, /) -> Any:
        raise NotImplementedError


class ValueAndGradOfThree:
    """The value of such a function, and its gradients."""

    @overload
    def __call__[DX: DType, SX: tuple[Any, ...], DY: DType, SY: tuple[Any, ...], DZ: DType, SZ: tuple[Any, ...]](
        self, x: Array[DX, SX], y: Array[DY, SY], z: Array[DZ, SZ], /
    ) -> tuple[Scalar[Any], tuple[Array[DX, SX], Array[DY, SY], Array[DZ, SZ]]]: ...
    @overload
    def __call__(self, x: Real, y: Real, z: Real, /) -> tuple[Scalar[Any], tuple[Array, Array, Array]]: ...
    def __call__(self, x: object, y: object, z: object, /) -> Any:
        raise NotImplementedError


class JacobianOfUnsaid:
    """The derivative of a function that keeps the dtype of real numbers."""

    @overload
    def __call__[D: DType](self, x: Array[D, Any], /, *args: Any, **kwargs: Any) -> Array[D]: ...
    @overload
    def __call__(self, x: complex | Foreign, /, *args: Any, **kwargs: Any) -> Array: ...
    def __call__(self, x: object, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError
