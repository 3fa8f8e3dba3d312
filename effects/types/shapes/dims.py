"""Dimensions: what every shape rule reads and gives.

A dimension is an int when a program runs. When a type checker reads the program it may also be a `Sym` (a named
dimension), a `Star` (a pack of any number of dimensions, at most one per shape) or None (a size that is not known).
Rules are overloaded: ints give ints. Two symbols are equal sizes only if they are the same symbol; an
unknown size agrees with every size, so that missing knowledge never becomes an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import SupportsIndex, cast, overload

from typing_extensions import TypeIs

from effects.arguments import entries, integer
from effects.errors import ShapeError
from effects.runtime.caches import memoised


@dataclass(frozen=True, slots=True)
class Sym:
    """A named dimension, such as a type variable; equal keys are equal sizes.

    >>> Sym("n", "N") == Sym("n", "M"), str(Sym("n", "N"))
    (True, 'N')
    """

    key: Hashable
    name: str = field(compare=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Star:
    """A pack of dimensions of unknown number; ``Star()`` is a pack equal only to itself.

    >>> Star("s") == Star("s"), Star() == Star(), str(Star())
    (True, False, '*?')
    """

    key: Hashable = field(default_factory=object)
    name: str = field(compare=False, default="*?")

    def __str__(self) -> str:
        return self.name


type Dim = int | Sym | Star | None
type Shape = tuple[Dim, ...]
type Ints = tuple[int, ...]
type Ranked = tuple[int | Sym | None, ...]

UNKNOWN: Shape = (Star(),)
"""The shape of which nothing is known."""


class NotStatic(LookupError):
    """The question has no answer before the program runs (for example an axis behind a pack of dimensions)."""


def rule[F: Callable[..., object]](function: F) -> F:
    """Make ``function`` a shape rule: remember results by argument, and give `UNKNOWN` for `NotStatic`.

    Arguments must be hashable: shapes and axes are tuples.
    """

    @wraps(function)
    def gradual(*args: object, **keywords: object) -> object:
        try:
            return function(*args, **keywords)
        except NotStatic:
            return UNKNOWN

    return cast("F", memoised(gradual))


def show(shape: Sequence[Dim]) -> str:
    """The shape as error messages print it; an unknown size is ``?``.

    >>> show((3, Sym("n", "N"), None))
    '[3, N, ?]'
    """
    return "[" + ", ".join(["?" if d is None else str(d) for d in shape]) + "]"


def is_ranked(shape: Shape) -> TypeIs[Ranked]:
    """Whether the number of dimensions is known: no pack among them."""
    return Star not in map(type, shape)


def all_ranked(shapes: Sequence[Shape]) -> TypeIs[Sequence[Ranked]]:
    """Whether the rank of every shape is known."""
    return all(map(is_ranked, shapes))


def is_static(shape: Shape) -> TypeIs[Ints]:
    """Whether every dimension is an int."""
    return all([isinstance(d, int) for d in shape])


def with_rank(shape: Shape, rank: int) -> Shape:
    """The shape with its pack, if any, replaced by as many unknown sizes as make ``rank`` dimensions.

    The result has another length only if the shape cannot have this rank.

    >>> with_rank((3, Star()), 3), with_rank((3, 4), 3)
    ((3, None, None), (3, 4))
    """
    if is_ranked(shape):
        return shape
    at = [isinstance(d, Star) for d in shape].index(True)
    return (*shape[:at], *[None] * (rank - len(shape) + 1), *shape[at + 1 :])


@overload
def check_shape(op: str, shape: SupportsIndex | Sequence[SupportsIndex], argument: str = ...) -> Ints: ...
@overload
def check_shape(op: str, shape: SupportsIndex | Sequence[SupportsIndex | Dim], argument: str = ...) -> Shape: ...
def check_shape(op: str, shape: SupportsIndex | Sequence[SupportsIndex | Dim], argument: str = "shape") -> Shape:
    """A shape given by a user as a canonical shape: a tuple of Python ints (or symbols), none negative.

    An int n stands for (n,). Raises `ArgumentError` for sizes that are not ints and `ShapeError` for negative ones.
    Symbols and unknown sizes are a type checker's: the functions that programs call refuse them (`static_shape`).

    >>> check_shape("zeros", [3, 4]), check_shape("zeros", 3)
    ((3, 4), (3,))
    >>> check_shape("zeros", (3, -4))
    Traceback (most recent call last):
    effects.errors.ShapeError: zeros: dimension -4 is negative in shape [3, -4]
      at ...
    """
    what = f"a dimension of {argument}"
    out = tuple([d if d is None or isinstance(d, Sym | Star) else integer(op, what, d) for d in entries(shape)])
    for d in out:
        if isinstance(d, int) and d < 0:
            raise ShapeError(f"{op}: dimension {d} is negative in {argument} {show(out)}")
    return out


def static_shape(op: str, shape: SupportsIndex | Sequence[SupportsIndex], argument: str = "shape") -> Ints:
    """As `check_shape`, for a shape that a program gives: nothing but ints.

    >>> static_shape("zeros", (3, None))
    Traceback (most recent call last):
    effects.errors.ArgumentError: zeros: a dimension of shape must be an int, got None of type NoneType
      at ...
    """
    sizes = check_shape(op, shape, argument)
    if None in sizes:
        integer(op, f"a dimension of {argument}", None)
    return sizes


def agree(a: Dim, b: Dim) -> bool:
    """Whether the two sizes may be equal: they are, or one is unknown."""
    return a == b or a is None or b is None


def known(a: Dim, b: Dim) -> Dim:
    """Of two sizes that agree, one that is known if there is one."""
    return b if a is None else a


def plus(a: Dim, b: Dim) -> Dim:
    """The sum of two sizes; unknown if it has a symbol that does not cancel.

    >>> plus(3, 4), plus(Sym("n", "N"), 0), plus(Sym("n", "N"), 1)
    (7, Sym(key='n', name='N'), None)
    """
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if b == 0:
        return a
    return b if a == 0 else None


@overload
def size(shape: Ints) -> int: ...
@overload
def size(shape: Shape) -> Dim: ...
def size(shape: Shape) -> Dim:
    """The number of elements, the product of the dimensions; unknown if that is not an int or one symbol.

    >>> size((3, 4)), size(()), size((1, Sym("n", "N"))), size((2, Sym("n", "N")))
    (12, 1, Sym(key='n', name='N'), None)
    """
    if is_static(shape):
        return math.prod(shape)
    rest = [d for d in shape if d != 1]
    return rest[0] if len(rest) == 1 and not isinstance(rest[0], Star) else None
