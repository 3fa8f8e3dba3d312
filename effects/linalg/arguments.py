"""Arguments of the functions of linear algebra: checks and promotion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from effects.arguments import choice, refusal
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import convert, inexact, promote_pair
from effects.errors import ShapeError
from effects.functions.manipulation import movement
from effects.types import dtypes, shapes
from effects.types.shapes.matrices import matrices, squares

if TYPE_CHECKING:
    type Transposed = Literal["N", "T", "C", 0, 1, 2]


def matrix(function: str, x: object, argument: str = "x") -> Array:
    """A matrix of floating point, or several along leading axes."""
    array = inexact(function, x, argument)
    matrices(function, array.aval.shape, argument)
    return array


def square(function: str, x: object, argument: str = "x") -> Array:
    """A square matrix of floating point, or several along leading axes."""
    array = inexact(function, x, argument)
    squares(function, array.aval.shape, argument)
    return array


def pair(function: str, x: object, y: object, names: tuple[str, str]) -> tuple[Array, Array]:
    """Two arrays of floating point, of one dtype."""
    if type(x) is type(y) is Concrete and x.aval.dtype is y.aval.dtype and x.aval.dtype in dtypes.INEXACT:
        return x, y  # which takes a quarter of the time
    return promote_pair(function, inexact(function, x, names[0]), inexact(function, y, names[1]), names)


def rounded[R: tuple[Array, ...]](f: Callable[..., R], *xs: Array) -> R:
    """f(*xs); for narrow floats it is computed in single precision, and results that are floats are rounded once."""
    narrow = xs[0].aval.dtype
    if narrow not in dtypes.NARROW:
        return f(*xs)
    results = f(*[convert(x, dtypes.float32) if x.aval.dtype is narrow else x for x in xs])
    return tuple([convert(x, narrow) if x.aval.dtype is dtypes.float32 else x for x in results])  # type: ignore[return-value]  # as many


def in_lanes(function: str, a: Array, b: Array) -> tuple[Array, Array]:
    """Both matrices with leading axes broadcast to the same ones."""
    lead, other = a.aval.shape[:-2], b.aval.shape[:-2]
    if lead == other:
        return a, b
    try:
        lanes = shapes.broadcast(lead, other)
    except ShapeError as error:
        raise ShapeError(f"{function}: leading axes: {error.reason}") from None
    spread = movement.broadcast_to
    return spread(a, (*lanes, *a.aval.shape[-2:])), spread(b, (*lanes, *b.aval.shape[-2:]))


def two(function: str, argument: str, value: object, description: str) -> tuple[Any, Any]:
    """The two entries of an argument that is a pair; `description` says of what."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise refusal(function, argument, f"a pair, {description}", value)
    return value[0], value[1]


def transposed(function: str, trans: object) -> str:
    """ "N", "T" or "C": whether a matrix is taken unchanged, transposed, or transposed and conjugate."""
    if type(trans) is int and 0 <= trans <= 2:
        return "NTC"[trans]
    return choice(function, "trans", trans, ("N", "T", "C"))
