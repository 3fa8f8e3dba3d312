"""Types of derivatives of functions of real numbers, for the type checker: arrays of the types of the arguments.

As in `along`; when programs run these are plain functions. Of a number, dtype and shape of the gradient are unknown.
"""

from __future__ import annotations

from typing import Any

from typing_extensions import TypeVar

from effects.arrays.array import Array, Scalar
from effects.arrays.operators import DT, Sh
from effects.types.dtypes import DType
from effects.types.signatures.becoming import Real
from handlers.transformations.calls.types import RealNumber, Varying

DY = TypeVar("DY", bound=DType, default=Any)
DZ = TypeVar("DZ", bound=DType, default=Any)
SY = TypeVar("SY", bound=tuple[Any, ...], default=Any)
SZ = TypeVar("SZ", bound=tuple[Any, ...], default=Any)


class GradOfTwo:
    """The gradients of a function of real numbers along its first two arguments."""

    def __call__(
        self, x: Array[DT, Sh] | RealNumber, y: Array[DY, SY] | RealNumber, /, *args: Real
    ) -> tuple[Array[DT, Sh], Array[DY, SY]]:
        raise NotImplementedError


class ValueAndGradOfTwo:
    """The value of such a function, and its gradients."""

    def __call__(
        self, x: Array[DT, Sh] | RealNumber, y: Array[DY, SY] | RealNumber, /, *args: Real
    ) -> tuple[Scalar[Any], tuple[Array[DT, Sh], Array[DY, SY]]]:
        raise NotImplementedError


class GradOfThree:
    """The gradients of a function of real numbers along its three arguments."""

    def __call__(
        self, x: Array[DT, Sh] | RealNumber, y: Array[DY, SY] | RealNumber, z: Array[DZ, SZ] | RealNumber, /
    ) -> tuple[Array[DT, Sh], Array[DY, SY], Array[DZ, SZ]]:
        raise NotImplementedError


class ValueAndGradOfThree:
    """The value of such a function, and its gradients."""

    def __call__(
        self, x: Array[DT, Sh] | RealNumber, y: Array[DY, SY] | RealNumber, z: Array[DZ, SZ] | RealNumber, /
    ) -> tuple[Scalar[Any], tuple[Array[DT, Sh], Array[DY, SY], Array[DZ, SZ]]]:
        raise NotImplementedError


class JacobianOfFractions:
    """The derivative of a function that keeps the dtype of real numbers."""

    def __call__(self, x: Array[DT] | Varying, /, *args: Any, **kwargs: Any) -> Array[DT]:
        raise NotImplementedError
