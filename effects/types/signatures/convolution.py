"""Signatures of convolutions: operands of one dtype keep it, unless another one is asked for."""

# mypy: disable-error-code="overload-overlap"
# As in `pairs`.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from effects.types.signatures import MYPY, P, R, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Foreign
    from effects.arrays.operators import DT, RT
    from effects.functions.polynomials.coefficients import Overlap
    from effects.functions.windows.layout import Padding
    from effects.operations.contraction import Precision
    from effects.types.dtypes import ForeignDType
    from effects.types.signatures.becoming import Meets


type Sizes = int | Sequence[int]
type DimensionNumbers = tuple[str, str, str]


class Options(TypedDict, total=False):
    """Options of both `conv` and `conv_transpose`."""

    strides: Sizes
    padding: Padding
    kernel_dilation: Sizes
    feature_groups: int
    dimension_numbers: DimensionNumbers | None
    precision: Precision


class ConvOptions(Options, total=False):
    """Options of `conv`."""

    x_dilation: Sizes
    batch_groups: int


class TransposeOptions(Options, total=False):
    """Options of `conv_transpose`."""

    output_padding: Sizes


class OfConv(Signature[P, R]):
    """`conv`."""

    @overload
    def __call__(
        self,
        x: Array[DT] | Foreign,
        kernel: Meets[DT, RT, Any] | Foreign,
        /,
        *,
        preferred_element_type: None = None,
        **options: Unpack[ConvOptions],
    ) -> Array[RT]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        kernel: ArrayLike,
        /,
        *,
        preferred_element_type: type[DT] | ForeignDType,
        **options: Unpack[ConvOptions],
    ) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfConvTranspose(Signature[P, R]):
    """`conv_transpose`."""

    @overload
    def __call__(
        self,
        x: Array[DT] | Foreign,
        kernel: Meets[DT, RT, Any] | Foreign,
        /,
        *,
        preferred_element_type: None = None,
        **options: Unpack[TransposeOptions],
    ) -> Array[RT]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        kernel: ArrayLike,
        /,
        *,
        preferred_element_type: type[DT] | ForeignDType,
        **options: Unpack[TransposeOptions],
    ) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfSlid(Signature[P, R]):
    """`convolve`, `correlate`."""

    def __call__(
        self, x1: Array[DT] | complex | Foreign, x2: Meets[DT, RT, Any] | complex | Foreign, /, mode: Overlap = ...
    ) -> Array[RT]:
        raise NotImplementedError


if MYPY:
    Slid = lambda function: OfSlid(function).__call__
    Conv = lambda function: OfConv(function).__call__
    ConvTranspose = lambda function: OfConvTranspose(function).__call__
else:
    Slid = OfSlid
    Conv = OfConv
    ConvTranspose = OfConvTranspose
