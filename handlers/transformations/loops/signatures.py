"""What the type checker knows of loops: their signatures as overloads; never called.

Over a single array a scan keeps dtypes and shapes: the number of steps is in front of what is stacked. Trees of arrays
are Any, since annotations cannot say that each of their leaves has one axis less.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, overload

from effects.arrays.array import Array, ArrayLike, Scalar
from effects.types.dtypes import DType, bool_

type Truth = Scalar[bool_] | bool


@overload
def while_loop(
    cond_fun: Callable[[Array], Truth], body_fun: Callable[[Array], ArrayLike], init_val: complex
) -> Array: ...


@overload
def while_loop[C](cond_fun: Callable[[C], Truth], body_fun: Callable[[C], C], init_val: C) -> C: ...


def while_loop(cond_fun: object, body_fun: object, init_val: object) -> object:
    """`while_loop`: a Python number becomes an array."""
    raise NotImplementedError


@overload
def fori_loop(
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Array, Array], ArrayLike],
    init_val: complex,
    *,
    unroll: int | bool | None = None,
) -> Array: ...


@overload
def fori_loop[C](
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Array, C], C],
    init_val: C,
    *,
    unroll: int | bool | None = None,
) -> C: ...


def fori_loop(lower: object, upper: object, body_fun: object, init_val: object, *, unroll: object = None) -> object:
    """`fori_loop`: a Python number becomes an array."""
    raise NotImplementedError


@overload
def scan[DX: DType, *SX, DY: DType, *SY, N](
    f: Callable[[Array, Array[DX, tuple[*SX]]], tuple[ArrayLike, Array[DY, tuple[*SY]]]],
    init: complex,
    xs: Array[DX, tuple[N, *SX]],
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Array, Array[DY, tuple[N, *SY]]]: ...


@overload
def scan(
    f: Callable[[Array, Any], tuple[ArrayLike, object]],
    init: complex,
    xs: object = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Array, Any]: ...


@overload
def scan[C, DX: DType, *SX, DY: DType, *SY, N](
    f: Callable[[C, Array[DX, tuple[*SX]]], tuple[C, Array[DY, tuple[*SY]]]],
    init: C,
    xs: Array[DX, tuple[N, *SX]],
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[C, Array[DY, tuple[N, *SY]]]: ...


@overload
def scan[C](
    f: Callable[[C, Any], tuple[C, object]],
    init: C,
    xs: object = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[C, Any]: ...


def scan(*args: object, **kwargs: object) -> NoReturn:
    """`scan`."""
    raise NotImplementedError


@overload
def map[DX: DType, *SX, DY: DType, *SY, N](
    f: Callable[[Array[DX, tuple[*SX]]], Array[DY, tuple[*SY]]],
    xs: Array[DX, tuple[N, *SX]],
    *,
    batch_size: int | None = None,
) -> Array[DY, tuple[N, *SY]]: ...


@overload
def map(f: Callable[[Any], object], xs: object, *, batch_size: int | None = None) -> Any: ...


def map(f: object, xs: object, *, batch_size: int | None = None) -> object:
    """`map`."""
    raise NotImplementedError
