"""Signatures of convolutions: operands of one dtype keep it, unless another one is asked for."""

# mypy: disable-error-code="overload-overlap"
# As in `pairs`.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, TypedDict, Unpack, overload

from typing_extensions import TypeVar

from effects.types.dtypes import DType
from effects.types.signatures import MYPY, Exactly, P, R, Shape, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike
    from effects.arrays.operators import DT
    from effects.functions.margins import Padding
    from effects.operations.contraction import Precision
    from effects.types.dtypes import ForeignDType

X = TypeVar("X", bound="ArrayLike")
Y = TypeVar("Y", bound="ArrayLike")

type Sizes = int | Sequence[int]
type DimensionNumbers = tuple[str, str, str]


class Options(TypedDict, total=False):
    """What `conv` and `conv_transpose` may both be told."""

    strides: Sizes
    padding: Padding
    kernel_dilation: Sizes
    feature_groups: int
    dimension_numbers: DimensionNumbers | None
    precision: Precision


class ConvOptions(Options, total=False):
    """What `conv` may be told."""

    x_dilation: Sizes
    batch_groups: int


class TransposeOptions(Options, total=False):
    """What `conv_transpose` may be told."""

    output_padding: Sizes


class OfConv:
    """`conv`."""

    @overload
    def __call__[D: DType, S: Shape, T: Shape](
        self,
        x: Array[D, S],
        kernel: Array[D, T],
        /,
        *,
        preferred_element_type: None = None,
        **options: Unpack[ConvOptions],
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType, S: Shape, T: Shape](
        self,
        x: Array[D, S],
        kernel: Array[D, T],
        /,
        *,
        preferred_element_type: None = None,
        **options: Unpack[ConvOptions],
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__(
        self,
        x: X,
        kernel: Y,
        /,
        *,
        preferred_element_type: type[DT] | ForeignDType | None = None,
        **options: Unpack[ConvOptions],
    ) -> Array[DT]: ...
    def __call__(self, x: object, kernel: object, /, **options: object) -> NoReturn:
        raise NotImplementedError


class OfConvTranspose:
    """`conv_transpose`."""

    @overload
    def __call__[D: DType, S: Shape, T: Shape](
        self,
        x: Array[D, S],
        kernel: Array[D, T],
        /,
        *,
        preferred_element_type: None = None,
        **options: Unpack[TransposeOptions],
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType, S: Shape, T: Shape](
        self,
        x: Array[D, S],
        kernel: Array[D, T],
        /,
        *,
        preferred_element_type: None = None,
        **options: Unpack[TransposeOptions],
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__(
        self,
        x: X,
        kernel: Y,
        /,
        *,
        preferred_element_type: type[DT] | ForeignDType | None = None,
        **options: Unpack[TransposeOptions],
    ) -> Array[DT]: ...
    def __call__(self, x: object, kernel: object, /, **options: object) -> NoReturn:
        raise NotImplementedError


if MYPY:
    Conv = lambda function: OfConv().__call__
    ConvTranspose = lambda function: OfConvTranspose().__call__
else:

    class Conv(OfConv, Signature[P, R]):
        pass

    class ConvTranspose(OfConvTranspose, Signature[P, R]):
        pass
