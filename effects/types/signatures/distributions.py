"""Signatures of the methods of distributions: x, shape parameters, and where it lies, which meet in one floating dtype.

Parameters that are numbers, or arrays of no axes or of x's shape, leave x its shape.
"""

# mypy: disable-error-code="overload-overlap"
# What gives `Exactly` overlaps those that know the dtype, as it is meant to.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

from effects.types.signatures import Exactly, F, I, S, Shape

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Scalar
    from effects.types.dtypes import Inexact


@overload
def continuous[D: Inexact, T: Shape](
    x: Array[D, T], /, *shapes: Array[D, T] | float, loc: Array[D, T] | float = 0.0, scale: Array[D, T] | float = 1.0
) -> Array[D, T]: ...
@overload
def continuous[D: Inexact, T: Shape, Z: tuple[()]](
    x: Array[D, T], /, *shapes: Array[D, Z] | float, loc: Array[D, Z] | float = 0.0, scale: Array[D, Z] | float = 1.0
) -> Array[D, T]: ...
@overload
def continuous[D: Inexact, T: Shape, U: Shape, V: Shape, W: Shape](
    x: Array[D, T], /, *shapes: Array[D, U] | float, loc: Array[D, V] | float = 0.0, scale: Array[D, W] | float = 1.0
) -> Array[D]: ...
@overload
def continuous[D: Inexact, T: Shape, U: Shape, V: Shape, W: Shape](
    x: Array[D, T], /, *shapes: Array[D, U] | float, loc: Array[D, V] | float = 0.0, scale: Array[D, W] | float = 1.0
) -> Array[Exactly[D]]: ...
@overload
def continuous(x: Array[I, S], /, *shapes: float, loc: float = 0.0, scale: float = 1.0) -> Array[F, S]: ...
@overload
def continuous(x: float, /, *shapes: float, loc: float = 0.0, scale: float = 1.0) -> Scalar[Any]: ...
@overload
def continuous[X: ArrayLike, Y: ArrayLike](
    x: X, /, *shapes: Y | float, loc: Y | float = 0.0, scale: Y | float = 1.0
) -> Array: ...
def continuous(x: object, /, *shapes: object, loc: object = 0.0, scale: object = 1.0) -> NoReturn:
    """Of continuous distributions."""
    raise NotImplementedError


@overload
def discrete[D: Inexact, T: Shape](
    k: Array[D, T], /, *shapes: Array[D, T] | float, loc: Array[D, T] | float = 0.0
) -> Array[D, T]: ...
@overload
def discrete[D: Inexact, T: Shape, Z: tuple[()]](
    k: Array[D, T], /, *shapes: Array[D, Z] | float, loc: Array[D, Z] | float = 0.0
) -> Array[D, T]: ...
@overload
def discrete[D: Inexact, T: Shape, U: Shape, V: Shape](
    k: Array[D, T], /, *shapes: Array[D, U] | float, loc: Array[D, V] | float = 0.0
) -> Array[D]: ...
@overload
def discrete[D: Inexact, T: Shape, U: Shape, V: Shape](
    k: Array[D, T], /, *shapes: Array[D, U] | float, loc: Array[D, V] | float = 0.0
) -> Array[Exactly[D]]: ...
@overload
def discrete(k: Array[I, S], /, *shapes: float, loc: float = 0.0) -> Array[F, S]: ...
@overload
def discrete(k: float, /, *shapes: float, loc: float = 0.0) -> Scalar[Any]: ...
@overload
def discrete[X: ArrayLike, Y: ArrayLike](k: X, /, *shapes: Y | float, loc: Y | float = 0.0) -> Array: ...
def discrete(k: object, /, *shapes: object, loc: object = 0.0) -> NoReturn:
    """Of distributions of whole numbers."""
    raise NotImplementedError
