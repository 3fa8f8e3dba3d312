"""`Array`: what user code annotates and holds.

An abstract class: a concrete array is a `Concrete`, and under a transformation user code holds the handler's carriers
(`Dual`, `Batched`, `Traced`, a user's own), which are Arrays that also name their `owner`. Operators and methods are
spellings of the public functions; functions make arrays, so the two import each other, here and nowhere else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Generic, NoReturn, Self, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from effects.arguments import choice, shown
from effects.arrays.value import Value
from effects.errors import ArgumentError
from effects.types import dtypes
from effects.types.dtypes import DType

if TYPE_CHECKING:
    from typing import Any

    import effects.types.signatures.contraction as products
    import effects.types.signatures.creation as creations
    import effects.types.signatures.elementwise as signatures
    import effects.types.signatures.reduction as folds
    from effects.program.chain import Handler

DT = TypeVar("DT", bound=DType, default="Any")
Sh = TypeVar("Sh", bound="tuple[Any, ...]", default="Any")

type ArrayLike = Like[Any]
type Like[D: DType] = Array[D] | complex | Foreign
type Foreign = npt.NDArray[Any] | np.generic
type Axes = int | tuple[int, ...]


class Array(Value, Generic[DT, Sh]):  # noqa: PLW1641  # `==` is elementwise, so there is no hash (see Value)
    """An n-dimensional array of dtype `DT` and shape `Sh`, both known to the type checker as far as they are written.

    >>> import effects as fx
    >>> x = fx.asarray([1.0, 2.0, 3.0])
    >>> (x * 2 + 1).sum()
    Array(15., float64)
    """

    __slots__ = ()
    # -- attributes ----------------------------------------------------------------------------------------------

    @final
    def _pin(self, dtype: DT, shape: Sh) -> None:
        """Makes both type parameters invariant for the type checker; never called."""

    @property
    def shape(self) -> Sh:
        return self.aval.shape  # type: ignore[return-value]  # the run-time shape is what Sh describes

    @property
    def dtype(self) -> type[DT]:
        return self.aval.dtype  # type: ignore[return-value]  # the run-time dtype is what DT describes

    @property
    def ndim(self) -> int:
        return self.aval.ndim

    @property
    def size(self) -> int:
        return self.aval.size

    @property
    def nbytes(self) -> int:
        """The memory that the elements take."""
        return self.aval.size * self.aval.dtype.itemsize

    @property
    def T(self) -> Array[DT]:
        """The transpose of a matrix (all axes reversed)."""
        return movement.permute_dims(self, tuple(range(self.ndim))[::-1])

    @property
    def mT(self) -> Array[DT]:
        """The last two axes swapped."""
        return movement.matrix_transpose(self)

    @property
    def real(self) -> Array:
        return elementwise.real(self)

    @property
    def imag(self) -> Array:
        return elementwise.imag(self)

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """The module of the public functions, as the Array API standard asks for."""
        if api_version is not None:
            choice("__array_namespace__", "api_version", api_version, ("2023.12", "2024.12"))
        return sys.modules["effects"]

    # -- containers ----------------------------------------------------------------------------------------------

    def __round__(self, ndigits: int | None = None) -> Array[DT, Sh]:
        return elementwise.round(self, decimals=0 if ndigits is None else ndigits)

    def __len__(self) -> int:
        if not self.aval.ndim:
            raise ArgumentError(f"an array of rank 0 has no length: {self.aval}")
        return self.aval.shape[0]

    def __iter__(self) -> Iterator[Array[DT]]:
        if not self.aval.ndim:
            raise ArgumentError(f"an array of rank 0 cannot be iterated over: {self.aval}")
        return movement.parts(self, 0)

    def __getitem__(self, key: indexing.Index, /) -> Array[DT]:
        return indexing.getitem(self, key)

    if not TYPE_CHECKING:  # to the type checker there is no such method, as for any other immutable class

        def __setitem__(self, key: object, value: object, /) -> NoReturn:
            raise ArgumentError(
                f"x[{shown(key)}] = … : arrays are immutable. Write x = where(mask, new, x), or "
                "x = dynamic_update_slice(x, new, starts)"
            )

    def __contains__(self, value: object, /) -> bool:
        same: object = self == value
        return bool(reduction.any(same) if isinstance(same, Array) else same)

    # -- operators, and methods that are functions: their types; `effects.arrays.methods` gives them their functions ---

    if TYPE_CHECKING:
        __neg__ = signatures.keeping
        __pos__ = signatures.keeping
        __invert__ = signatures.keeping
        __abs__ = signatures.real_valued
        __add__ = signatures.arithmetic
        __radd__ = signatures.arithmetic
        __sub__ = signatures.arithmetic
        __rsub__ = signatures.arithmetic
        __mul__ = signatures.arithmetic
        __rmul__ = signatures.arithmetic
        __floordiv__ = signatures.arithmetic
        __rfloordiv__ = signatures.arithmetic
        __mod__ = signatures.arithmetic
        __rmod__ = signatures.arithmetic
        __pow__ = signatures.arithmetic
        __rpow__ = signatures.arithmetic
        __truediv__ = signatures.division
        __rtruediv__ = signatures.division
        __matmul__ = products.matmul
        __rmatmul__ = products.matmul
        __and__ = signatures.arithmetic
        __rand__ = signatures.arithmetic
        __or__ = signatures.arithmetic
        __ror__ = signatures.arithmetic
        __xor__ = signatures.arithmetic
        __rxor__ = signatures.arithmetic
        __lshift__ = signatures.arithmetic
        __rlshift__ = signatures.arithmetic
        __rshift__ = signatures.arithmetic
        __rrshift__ = signatures.arithmetic
        __divmod__ = signatures.quotient_and_rest
        __rdivmod__ = signatures.quotient_and_rest
        __eq__ = signatures.equality  # type: ignore[assignment]  # elementwise, as in every array library
        __ne__ = signatures.equality  # type: ignore[assignment]  # elementwise, as in every array library
        __lt__ = signatures.comparison
        __le__ = signatures.comparison
        __gt__ = signatures.comparison
        __ge__ = signatures.comparison

    # -- methods -------------------------------------------------------------------------------------------------

    if TYPE_CHECKING:
        astype = signatures.conversion
        conj = signatures.keeping
        round = signatures.rounding
        clip = signatures.limits
        sum = folds.accumulation_method
        prod = folds.accumulation_method
        mean = folds.mean_method
        var = folds.spread_method
        std = folds.spread_method
        max = folds.extreme_method
        min = folds.extreme_method
        any = folds.truth_method
        all = folds.truth_method
        argmax = folds.position_method
        argmin = folds.position_method
        dot = products.matmul
        to_device = creations.moved

    def reshape(self, *shape: SupportsIndex | Sequence[SupportsIndex]) -> Array[DT]:
        """The same elements in another shape: `x.reshape(2, -1)` or `x.reshape((2, -1))`."""
        return movement.reshape(self, shape[0] if len(shape) == 1 else shape)  # type: ignore[arg-type]  # of integers

    def ravel(self) -> Array[DT]:
        return movement.reshape(self, (-1,))

    flatten = ravel

    def squeeze(self, axis: Axes | None = None) -> Array[DT]:
        return movement.squeeze(self, axis)

    def transpose(self, *axes: SupportsIndex | Sequence[SupportsIndex] | None) -> Array[DT]:
        """The axes permuted, `x.transpose(1, 0)` or `x.transpose((1, 0))`; all reversed when none are given."""
        if not axes or axes[0] is None:
            return self.T
        return movement.permute_dims(self, axes[0] if len(axes) == 1 else axes)  # type: ignore[arg-type]  # as above

    def swapaxes(self, axis1: int, axis2: int, /) -> Array[DT]:
        return movement.swapaxes(self, axis1, axis2)


class Carrier(Array[DT, Sh]):
    """The base of the values that handlers put in place of arrays: an Array with an `owner`.

    A subclass holds its parts and says its type by `aval`: the type that the program sees.
    """

    __slots__ = ("owner",)
    owner: Handler[Any]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        known = self._bare("pickle.dumps(x)", "Return it from the transformed function first")
        return known.__reduce__()


type Arr[D: DType, *S] = Array[D, tuple[*S]]
type Scalar[D: DType] = Array[D, tuple[()]]
type Bool[*S] = Array[dtypes.bool_, tuple[*S]]
type I8[*S] = Array[dtypes.i8, tuple[*S]]
type I16[*S] = Array[dtypes.i16, tuple[*S]]
type I32[*S] = Array[dtypes.i32, tuple[*S]]
type I64[*S] = Array[dtypes.i64, tuple[*S]]
type U8[*S] = Array[dtypes.u8, tuple[*S]]
type U16[*S] = Array[dtypes.u16, tuple[*S]]
type U32[*S] = Array[dtypes.u32, tuple[*S]]
type U64[*S] = Array[dtypes.u64, tuple[*S]]
type BF16[*S] = Array[dtypes.bf16, tuple[*S]]
type F16[*S] = Array[dtypes.f16, tuple[*S]]
type F32[*S] = Array[dtypes.f32, tuple[*S]]
type F64[*S] = Array[dtypes.f64, tuple[*S]]
type C64[*S] = Array[dtypes.c64, tuple[*S]]
type C128[*S] = Array[dtypes.c128, tuple[*S]]


# Functions make arrays and arrays spell functions: they are imported once `Array` is there.
from effects.functions import (  # noqa: E402
    elementwise,
    indexing,
    movement,
    reduction,
)
