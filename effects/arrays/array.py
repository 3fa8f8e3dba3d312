"""`Array`: what user code annotates and holds.

An abstract class: a concrete array is a `Concrete`, and under a transformation user code holds the handler's carriers
(`Dual`, `Batched`, `Traced`, a user's own), which are Arrays that also name their `owner`. Operators and methods are
names of the public functions, which `effects.arrays.methods` binds here later, as they make arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Never, NoReturn, Self, SupportsIndex, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from effects.arguments import choice, integers
from effects.arrays.operators import DT, RT, Sh
from effects.arrays.search_methods import SearchMethods
from effects.arrays.subscripts import immutable
from effects.errors import ArgumentError, OutOfBoundsError
from effects.runtime.memory_errors import MemoryErrors
from effects.types import dtypes
from effects.types.dtypes import DType, DTypeOf
from effects.types.signatures.attributes import Sizes

if TYPE_CHECKING:
    from effects.arrays.concrete import DeviceLike
    from effects.arrays.mesh import Shard, Sharding
    from effects.functions.indexing import keys, updates
    from effects.types.signatures.becoming import Counts, HasReals, Holds

Numbers = TypeVar("Numbers", bound="bool | int | float | complex | list[Any]", default="Any")

type ArrayLike = Like[Any]
type Like[D: DType] = Array[D] | complex | Foreign
type Foreign = npt.NDArray[Any] | np.number[Any] | np.bool
type Axes = int | tuple[int, ...]
type Order = Literal["C", "F"]
type Position = SupportsIndex | Sequence[SupportsIndex]

_WHERE: Final = "Ask it of an argument, before the call, or of a result; what is compiled runs where its arguments are"
_OF_LISTS: Final = MemoryErrors("x.tolist(): ")
_STANDARDS: Final = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


class Array(SearchMethods[DT, Sh]):  # `==` is elementwise, so there is no hash (see Value)
    """An n-dimensional array of dtype `DT` and shape `Sh`, both known to the type checker as far as they are written.

    >>> import effects as fx
    >>> x = fx.asarray([1.0, 2.0, 3.0])
    >>> (x * 2 + 1).sum()
    Array(15., float64)
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # the class takes no arguments

        def __init__(self, *args, **options):
            raise ArgumentError(f"{type(self).__name__} cannot be instantiated: write asarray(x)")

    # -- attributes ----------------------------------------------------------------------------------------------

    @final
    def _pin(self, dtype: DT, shape: Sh, /) -> tuple[DT, Sh]:
        """Makes both type parameters invariant, and known to `Gives`, for the type checker; never called."""
        raise NotImplementedError

    @property
    def _element(self) -> DT:
        """Names the dtype for the type checker, which asks its class what arrays of it become; never called."""
        raise NotImplementedError

    @final
    def _sized(self, shape: Sh, /) -> None:
        """Names the shape for the type checker, whatever the dtype; never called."""

    if TYPE_CHECKING:  # checkers take the first overload that fits, and unknown types fit any, also Never

        @overload
        def _beside(self, shape: Never, /) -> Any: ...
        @overload
        def _beside(self, shape: Sh, /) -> Sh: ...
        @overload
        def _beside(self, shape: tuple[()], /) -> Sh: ...
        @overload
        def _beside[T: tuple[Any, ...]](self: Array[Any, tuple[()]], shape: T, /) -> T: ...
        @overload
        def _beside(self, shape: tuple[Any, ...], /) -> Any: ...
        def _beside(self, shape: Any, /) -> Any:
            """The shape of a result beside an array of that shape, as far as it is certain."""

    @Sizes
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return self.aval.shape

    @property
    def dtype(self) -> type[DT]:
        """The dtype of the elements, a class: `x.dtype is fx.float32`, `issubclass(x.dtype, fx.Floating)`."""
        return self.aval.dtype  # type: ignore[return-value]  # the run-time dtype is what DT describes

    @property
    def ndim(self) -> int:
        """Number of axes: the rank."""
        return self.aval.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.aval.size

    @property
    def nbytes(self) -> int:
        """The memory that the elements take."""
        return self.aval.size * self.aval.dtype.itemsize

    @property
    def T(self) -> Array[DT]:
        """The transpose of a matrix (all axes reversed)."""
        raise NotImplementedError

    @property
    def mT(self) -> Array[DT]:
        """The last two axes swapped."""
        raise NotImplementedError

    @property
    def real[E: DType, S: tuple[Any, ...]](self: HasReals[E, S]) -> Array[E, S]:
        """The real part; real numbers themselves."""
        raise NotImplementedError

    @property
    def imag[E: DType, S: tuple[Any, ...]](self: HasReals[E, S]) -> Array[E, S]:
        """The imaginary part; zeros for real numbers."""
        raise NotImplementedError

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """The module of the public functions, as the Array API standard asks for; a version of it is the newest one."""
        if api_version is not None:
            choice("__array_namespace__", "api_version", api_version, _STANDARDS)
        return sys.modules["effects"]

    # -- containers ----------------------------------------------------------------------------------------------

    def __round__(self, ndigits: int | None = None) -> Array[DT, Sh]:
        raise NotImplementedError

    def __len__(self) -> int:
        if not self.aval.ndim:
            raise ArgumentError(f"an array of rank 0 has no length: {self.aval}")
        return self.aval.shape[0]

    def __iter__(self) -> Iterator[Array[DT]]:
        raise NotImplementedError

    def __getitem__(self, key: keys.Index, /) -> Array[DT]:
        raise NotImplementedError

    @property
    def at[V](self: Holds[V]) -> updates.At[DT, Sh, V]:
        """`x.at[key].set(v)`, `.add(v)`, … return x with elements changed; `x.at[key].get(mode=…)` reads."""
        raise NotImplementedError

    if not TYPE_CHECKING:  # to the type checker there is no such method, as for any other immutable class

        def __setitem__(self, key: object, value: object, /) -> NoReturn:
            raise ArgumentError(immutable(key))

    def __contains__(self, value: object, /) -> bool:
        raise NotImplementedError

    # -- where the elements are -----------------------------------------------------------------------------------

    @property
    def device(self) -> str:
        """The name of the device with the elements, `cpu:0`, or of their mesh; the default one while not known."""
        raise NotImplementedError

    @property
    def sharding(self) -> Sharding:
        """Layout of the elements on a mesh; for a single device, on a mesh of that device."""
        return self._demand("x.sharding", _WHERE).sharding

    @property
    def shards(self) -> tuple[Shard, ...]:
        """One `Shard` for each device of this process: the device's name, the index in x, and the block there, an
        array.
        """
        return self._demand("x.shards", _WHERE).shards

    # -- methods -------------------------------------------------------------------------------------------------

    @overload
    def item[N](self: Counts[N], *index: Position) -> N: ...
    @overload
    def item(self, *index: Position) -> bool | int | float | complex: ...
    def item(self, *index: Position) -> Any:
        """An element as a Python scalar: the single one, `x.item()`, or that at an index, `x.item(1, 2)`.

        One number alone counts the elements in row-major order, `x.item(5)`.
        """
        if not index:
            return self._number("x.item()", "Keep it an array")
        at = integers("item", "an index", index[0] if len(index) == 1 else index)
        sizes = (self.aval.size,) if len(at) == 1 else self.aval.shape
        if len(at) != len(sizes) or any([not -n <= i < n for i, n in zip(at, sizes)]):
            raise OutOfBoundsError(f"item: there is no element {', '.join(map(str, at))} in {self.aval}")
        host = self._numbers("x.item(i)", "Keep it an array")
        return host.item(*at)

    def tolist(self) -> Numbers:  # type: ignore[type-var]  # the expected type, or unknown
        """The elements as nested lists of Python scalars; the single one of rank 0."""
        host = self._numbers("x.tolist()", "Return it from the transformed function first")
        with _OF_LISTS:
            return host.tolist()  # type: ignore[no-any-return]  # as above

    def astype(self, dtype: DTypeOf[RT], *, copy: bool = True, device: DeviceLike | None = None) -> Array[RT, Sh]:
        """The same values as `dtype`: the function `astype`."""
        raise NotImplementedError

    def conj(self) -> Array[DT, Sh]:
        """The complex conjugate; real numbers themselves."""
        raise NotImplementedError

    def round(self, decimals: int = 0) -> Array[DT, Sh]:
        """The nearest integer, or multiple of 10⁻ᵈ, halves to the even one: the function `round`."""
        raise NotImplementedError

    @overload
    def clip[D: dtypes.Inexact, S: tuple[object, ...]](
        self: Array[D, S], min: float | None = None, max: float | None = None
    ) -> Array[D, S]: ...
    @overload
    def clip[D: dtypes.Integer, S: tuple[object, ...]](
        self: Array[D, S], min: int | None = None, max: int | None = None
    ) -> Array[D, S]: ...
    @overload
    def clip(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array: ...
    def clip(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:
        """x limited to [min, max]: the function `clip`."""
        raise NotImplementedError

    def to_device(self, device: DeviceLike, /, *, stream: None = None) -> Array[DT, Sh]:
        """x on another device, one of `devices()` or its name; there are no streams."""
        raise NotImplementedError

    def reshape(
        self, *shape: SupportsIndex | Sequence[SupportsIndex], order: Order = "C", copy: bool | None = None
    ) -> Array[DT]:
        """The same elements in another shape: `x.reshape(2, -1)` or `x.reshape((2, -1))`."""
        raise NotImplementedError

    def ravel(self, order: Order = "C") -> Array[DT]:
        """The elements in row-major order, as a vector; with `order` "F" in column-major order."""
        raise NotImplementedError

    def flatten(self, order: Order = "C") -> Array[DT]:
        """The elements as a vector: `ravel`."""
        raise NotImplementedError

    def squeeze(self, axis: Axes | None = None) -> Array[DT]:
        """Without the axes `axis`, each of size 1; None drops every axis of size 1."""
        raise NotImplementedError

    def transpose(self, *axes: SupportsIndex | Sequence[SupportsIndex] | None) -> Array[DT]:
        """The axes permuted, `x.transpose(1, 0)` or `x.transpose((1, 0))`; all reversed when none are given."""
        raise NotImplementedError

    def swapaxes(self, axis1: int, axis2: int) -> Array[DT]:
        """Two axes exchanged."""
        raise NotImplementedError

    def __copy__(self) -> Self:
        """An array of the same elements, which stays when this one is donated; itself if it is not known."""
        return self

    def __deepcopy__(self, memo: dict[int, object], /) -> Self:
        return self.__copy__()


class Carrier(Array[DT, Sh]):
    """The base of the values that handlers put in place of arrays: an Array with an `owner`.

    A subclass holds its parts and defines `aval`: the type that the program sees.
    """

    __slots__ = ("owner",)
    owner: Any  # the handler; a subclass may narrow its class, for which pyright needs this to be open

    def __reduce__(self) -> tuple[object, ...]:
        known = self._demand("pickle.dumps(x)", "Return it from the transformed function first", bare=True)
        return known.__reduce__()


type Arr[D: DType, *S] = Array[D, tuple[*S]]
type Scalar[D: DType] = Array[D, tuple[()]]
type Float[*S] = Array[Annotated[Any, dtypes.Floating], tuple[*S]]
type Int[*S] = Array[Annotated[Any, dtypes.Integer], tuple[*S]]
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
