"""Functional updates: `x.at[key].set(v)` is x with v in place of x[key].

Where a key is static, a part is put in place of a part; positions are written by `Scatter`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, final

from effects.arguments import check_callable, shown
from effects.arrays.array import Array, ArrayLike
from effects.arrays.subscripts import immutable
from effects.errors import ArgumentError, DTypeError, UnknownAttribute
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, unary
from effects.functions.indexing.slicing import fitting
from effects.functions.indexing.writing import Mode, applied, read, written
from effects.operations.gathering import ScatterKind as _K
from effects.types import dtypes

if TYPE_CHECKING:
    from effects.functions.indexing.keys import Index
    from effects.types.dtypes import DType


@final
class At[DT: DType, Sh: tuple[Any, ...], V]:
    """`x.at`: the places of x, `x.at[key]`."""

    __slots__ = ("_x",)

    def __init__(self, x: Array[DT, Sh]) -> None:
        self._x = x

    def __getitem__(self, key: Index, /) -> Place[DT, Sh, V]:
        return Place(self._x, key)

    if not TYPE_CHECKING:  # to which there are none

        def __getattr__(self, name: str) -> NoReturn:
            raise UnknownAttribute(f"x.at has no `.{name}`: the key comes first; write x.at[key].{name}(…)")

        def __call__(self, key: object, /) -> NoReturn:
            raise ArgumentError(f"x.at takes the key in brackets: write x.at[{shown(key)}]")

        def __setitem__(self, key: object, value: object, /) -> NoReturn:
            raise ArgumentError(immutable(key, "x.at"))


@final
class Place[DT: DType, Sh: tuple[Any, ...], V]:
    """`x.at[key]`: some places of x, to be read or written. Each method gives a new array; x stays what it is.

    `key` is what `x[key]` takes. Of `mode`: where positions are out of bounds, "clip" means the nearest one, "drop" or
    "fill" none (nothing is written; `fill_value` is read), and "wrap" the position modulo the size. By default
    they raise OutOfBoundsError where they are known; else they are clipped when read and dropped when written.
    Negative positions count from the end before that. With a mode, an int may be out of bounds, too.

    `unique_indices` promises that no place occurs twice, `indices_are_sorted` that positions ascend: compiled code may
    be faster, and is wrong where a promise is broken.

    >>> import effects as fx
    >>> x = fx.zeros(4)
    >>> x.at[1:3].set(5.0), x.at[[0, 0, 3]].add(1.0)
    (Array([0., 5., 5., 0.], float64), Array([2., 0., 0., 1.], float64))
    """

    __slots__ = ("_key", "_x")

    def __init__(self, x: Array[DT, Sh], key: Index) -> None:
        self._x = x
        self._key = key

    def __repr__(self) -> str:
        return f"{self._x!r}.at[{self._key!r}]"

    if not TYPE_CHECKING:  # to which there are none

        def __getattr__(self, name: str) -> NoReturn:
            methods = ", ".join([method for method in vars(Place) if not method.startswith("_")])
            raise UnknownAttribute(f"x.at[key] has no `.{name}`: its methods are {methods}")

        def __getitem__(self, key: object, /) -> NoReturn:
            raise ArgumentError(f"x.at[key][{shown(key)}] needs one key: write x.at[key, {shown(key)}]")

        def _computed(self, *_: object) -> NoReturn:
            raise ArgumentError(
                "x.at[key] is not an array: write x[key], or x = x.at[key].add(value) for x[key] += value"
            )

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _computed
        __neg__ = __pow__ = __rpow__ = __float__ = __int__ = __array__ = _computed

    def get(
        self,
        *,
        mode: Mode = None,
        fill_value: ArrayLike | None = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
    ) -> Array[DT]:
        """x[key], with a `mode` for what is out of bounds.

        >>> import effects as fx
        >>> fx.arange(3).at[5].get(mode="fill", fill_value=-1)
        Array(-1, int64)
        """
        return read(self._x, self._key, mode, fill_value, unique_indices, indices_are_sorted)

    def set(
        self, values: V, *, mode: Mode = None, unique_indices: bool = False, indices_are_sorted: bool = False
    ) -> Array[DT, Sh]:
        """x with `values`, broadcast, in place of x[key]. Of several values for one place the last is left (on
        accelerators, any one).

        Raises DTypeError when x cannot hold them, ShapeError when they do not broadcast.

        >>> import effects as fx
        >>> fx.zeros(3).at[-1].set(2.0)
        Array([0., 0., 2.], float64)
        """
        return written(self._x, self._key, "set", _K.SET, values, mode, unique_indices, indices_are_sorted)

    def add(
        self, values: V, *, mode: Mode = None, unique_indices: bool = False, indices_are_sorted: bool = False
    ) -> Array[DT, Sh]:
        """x with `values` added to x[key]; a place that occurs several times gets all of them.

        >>> import effects as fx
        >>> fx.zeros(3).at[fx.asarray([0, 0, 2])].add(1.0)
        Array([2., 0., 1.], float64)
        """
        return written(self._x, self._key, "add", _K.ADD, values, mode, unique_indices, indices_are_sorted)

    def subtract(
        self, values: V, *, mode: Mode = None, unique_indices: bool = False, indices_are_sorted: bool = False
    ) -> Array[DT, Sh]:
        """x with `values` subtracted from x[key]; from a place that occurs several times, all of them.

        >>> import effects as fx
        >>> fx.zeros(3).at[0].subtract(1.0)
        Array([-1.,  0.,  0.], float64)
        """
        minus = unary.negative(fitting("subtract", values, self._x, "values"))
        return written(self._x, self._key, "subtract", _K.ADD, minus, mode, unique_indices, indices_are_sorted)

    def multiply(
        self, values: V, *, mode: Mode = None, unique_indices: bool = False, indices_are_sorted: bool = False
    ) -> Array[DT, Sh]:
        """x with x[key] multiplied by `values`; a place that occurs several times by all of them.

        >>> import effects as fx
        >>> fx.ones(3).at[fx.asarray([0, 0, 2])].multiply(2.0)
        Array([4., 1., 2.], float64)
        """
        return written(self._x, self._key, "multiply", _K.MUL, values, mode, unique_indices, indices_are_sorted)

    def divide(
        self, values: V, *, mode: Mode = None, unique_indices: bool = False, indices_are_sorted: bool = False
    ) -> Array[DT, Sh]:
        """x with x[key] divided by `values`; a place that occurs several times by all of them. x must be inexact.

        >>> import effects as fx
        >>> fx.ones(3).at[1].divide(2.0)
        Array([1. , 0.5, 1. ], float64)
        """
        x = self._x
        if not dtypes.is_inexact(x.aval.dtype):
            raise DTypeError(f"divide: x is {x.aval} and cannot hold quotients; convert with astype")
        ones: Array[DT, Sh] = creation.ones_like(x)
        divisors = written(ones, self._key, "divide", _K.MUL, values, mode, unique_indices, indices_are_sorted)
        return arithmetic.divide(x, divisors)

    def power(
        self, values: V, *, mode: Mode = None, unique_indices: bool = False, indices_are_sorted: bool = False
    ) -> Array[DT, Sh]:
        """x with x[key] to the power of `values`; where a place occurs twice the last one is left.

        >>> import effects as fx
        >>> fx.asarray([2.0, 3.0]).at[1].power(2.0)
        Array([2., 9.], float64)
        """
        exponents = fitting("power", values, self._x, "values")
        return applied(
            self._x,
            self._key,
            "power",
            lambda x: arithmetic.pow(x, exponents),
            mode,
            unique_indices,
            indices_are_sorted,
        )

    def min(
        self, values: V, *, mode: Mode = None, unique_indices: bool = False, indices_are_sorted: bool = False
    ) -> Array[DT, Sh]:
        """x with the least of x[key] and `values`; in a place that occurs several times, of all of them.

        >>> import effects as fx
        >>> fx.zeros(3).at[0].min(-1.0)
        Array([-1.,  0.,  0.], float64)
        """
        return written(self._x, self._key, "min", _K.MIN, values, mode, unique_indices, indices_are_sorted)

    def max(
        self, values: V, *, mode: Mode = None, unique_indices: bool = False, indices_are_sorted: bool = False
    ) -> Array[DT, Sh]:
        """x with the greatest of x[key] and `values`; in a place that occurs several times, of all of them.

        >>> import effects as fx
        >>> fx.zeros(3).at[0].max(1.0)
        Array([1., 0., 0.], float64)
        """
        return written(self._x, self._key, "max", _K.MAX, values, mode, unique_indices, indices_are_sorted)

    def apply(
        self,
        f: Callable[[Array[DT]], Array],
        *,
        mode: Mode = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
    ) -> Array[DT, Sh]:
        """x with f(x[key]) in place of x[key]: `f` is called once, with all of it, and applied once to every place.

        >>> import effects as fx
        >>> fx.asarray([1.0, 4.0]).at[1:].apply(fx.sqrt)
        Array([1., 2.], float64)
        """
        check_callable("apply", f)
        return applied(self._x, self._key, "apply", f, mode, unique_indices, indices_are_sorted)
