"""Sizes that a program leaves open: `Size`, `SizedArray`, and polynomials of sizes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Final, NamedTuple, Self, final

from effects.arguments import natural, refusal, sequence
from effects.errors import ArgumentError
from effects.trees.pytree import tree_leaves, tree_map
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType, DTypeLike, as_dtype

type Values = Mapping[str, int]


class Polynomial(NamedTuple):
    """An integer that depends on sizes: a sum of products of sizes, each with a factor.

    >>> Polynomial(((("n",), 2), ((), -1)))
    2*n - 1
    """

    terms: tuple[tuple[tuple[str, ...], int], ...]

    @property
    def constant(self) -> int | None:
        """The number, if it is the same for all sizes; else None."""
        return None if any([names for names, _ in self.terms]) else self.at({})

    def at(self, values: Values) -> int:
        """The number for some sizes."""
        return sum([factor * math.prod([values[name] for name in names]) for names, factor in self.terms])

    def __repr__(self) -> str:
        written = [
            "*".join([*([str(factor)] if factor != 1 or not names else []), *names]) for names, factor in self.terms
        ]
        return " + ".join(written or ["0"]).replace("+ -", "- ")


_MOST: Final = 2**31 - 1
"""Largest open size: StableHLO has 32 bits for it."""


@final
class Size:
    """A size of arrays that a program leaves open, between `least` and `greatest`: sizes of one name are equal.

    Raises ArgumentError for what is no name, and where these are no sizes of which the first is the smaller one.

    >>> Size("batch", 1, 512)
    batch
    """

    def __init__(self, name: str, least: int, greatest: int) -> None:
        called: object = name
        if not (isinstance(called, str) and called.isidentifier()):
            raise refusal("Size", "name", "a name, as of a variable", called)
        self.name: Final = name
        self.least: Final = natural("Size", "least", least)
        self.greatest: Final = natural("Size", "greatest", greatest)
        if not self.least < self.greatest <= _MOST:
            raise ArgumentError(
                f"Size: the least {name} must be a size below its greatest, which is below 2**31, got {least} and "
                f"{greatest}"
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Size) and (self.name, self.least, self.greatest) == (
            other.name,
            other.least,
            other.greatest,
        )

    def __hash__(self) -> int:
        return hash((self.name, self.least, self.greatest))

    def __index__(self) -> int:
        """Raise the error of a size used as a number, which it is not yet."""
        raise ArgumentError(f"{self.name} is an open size, which only export accepts: give a number")

    def __repr__(self) -> str:
        return self.name


@final
class SizedArray:
    """The type of an array whose `shape` has sizes that a program leaves open: for `export`.

    The shapes of results contain what follows from these sizes.

    >>> import effects as fx
    >>> from lowering import Size
    >>> SizedArray((Size("batch", 1, 512), 784), fx.float32)
    float32[batch,784]
    """

    shape: tuple[int | Size | Polynomial, ...]
    dtype: type[DType]

    def __init__(self, shape: Sequence[int | Size], dtype: DTypeLike) -> None:
        sizes = sequence("SizedArray", "shape", shape, "sizes")
        self.shape = tuple([n if isinstance(n, Size) else _dimension(n) for n in sizes])
        self.dtype = as_dtype(dtype)

    @classmethod
    def of(cls, aval: ShapedArray, shape: Shape, sizes: Sequence[Size]) -> Self:
        """The type with the shape that follows from sizes."""
        alone = {Polynomial((((size.name,), 1),)): size for size in sizes}
        array = cls((), aval.dtype)
        array.shape = tuple([n.constant if n.constant is not None else alone.get(n, n) for n in shape])
        return array

    def at(self, values: Values) -> ShapedArray:
        """The type for some sizes."""
        sizes = [
            n if isinstance(n, int) else n.at(values) if isinstance(n, Polynomial) else values[n.name]
            for n in self.shape
        ]
        return ShapedArray(sizes, self.dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SizedArray) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


def _dimension(n: object) -> int:
    try:
        return natural("SizedArray", "a dimension of shape", n)
    except ArgumentError:
        if isinstance(n, int):
            raise
        raise refusal("SizedArray", "a dimension of shape", "an int or a Size", n) from None


type Shape = tuple[Polynomial, ...]


class Open(NamedTuple):
    """Sizes that a program leaves open, and the shapes that depend on them.

    `places` has, for each size, the leaf and the axis of the arguments from which it is read.
    """

    sizes: tuple[Size, ...]
    places: tuple[tuple[int, int], ...]
    arguments: tuple[Shape, ...]
    results: tuple[Shape, ...]
    residuals: tuple[Shape, ...]

    def values_of_sizes(self, avals: Sequence[ShapedArray]) -> tuple[Values, int | None]:
        """The sizes in a call, and the first leaf with a size out of range, or None."""
        values: dict[str, int] = {}
        for size, (leaf, axis) in zip(self.sizes, self.places, strict=True):
            shape = avals[leaf].shape
            if len(shape) != len(self.arguments[leaf]) or not size.least <= shape[axis] <= size.greatest:
                return values, leaf
            values[size.name] = shape[axis]
        return values, None

    def written(self) -> Mapping[str, Any]:
        """Description in the file, as JSON."""
        return {**self._asdict(), "sizes": [[size.name, size.least, size.greatest] for size in self.sizes]}

    @classmethod
    def read(cls, document: Mapping[str, Any], *ranks: Sequence[int]) -> Self:
        """Read from a file's description; ValueError if its shapes are not of these ranks, or not of its sizes."""
        sizes = tuple([Size(name, least, greatest) for name, least, greatest in document["sizes"]])
        names = [size.name for size in sizes]
        shapes = [
            tuple([tuple([_polynomial(each, names) for each in shape]) for shape in document[which]])
            for which in ("arguments", "results", "residuals")
        ]
        places = tuple([(int(leaf), int(axis)) for leaf, axis in document["places"]])
        of_arguments = [len(shape) for shape in shapes[0]]
        known = all([0 <= leaf < len(of_arguments) and 0 <= axis < of_arguments[leaf] for leaf, axis in places])
        if [[len(shape) for shape in each] for each in shapes] != [list(each) for each in ranks] or not known:
            raise ValueError("the shapes with open sizes are not those of the program")
        if len(places) != len(sizes) or len(set(names)) != len(names):
            raise ValueError("the open sizes are not those of axes of arguments")
        return cls(sizes, places, *shapes)


def _polynomial(terms_json: Sequence[Any], known: Sequence[str]) -> Polynomial:
    (terms,) = terms_json
    polynomial = Polynomial(tuple([(tuple(names), int(factor)) for names, factor in terms]))
    if not {name for names, _ in polynomial.terms for name in names}.issubset(known):
        raise ValueError(f"{polynomial} has sizes that are not among {', '.join(known)}")
    return polynomial


def with_shapes(avals: Sequence[ShapedArray], shapes: Sequence[Shape], values: Values) -> tuple[ShapedArray, ...]:
    """Types with the shapes that follow from sizes."""
    each = zip(avals, shapes, strict=True)
    return tuple([aval.with_shape(tuple([number.at(values) for number in shape])) for aval, shape in each])


def sized(function: str, tree: object) -> tuple[Size, ...]:
    """The sizes in a tree with `SizedArray`s; ArgumentError for different ones of a name."""
    sizes: dict[str, Size] = {}
    for leaf in tree_leaves(tree):
        for size in leaf.shape if isinstance(leaf, SizedArray) else ():
            if isinstance(size, Size) and sizes.setdefault(size.name, size) != size:
                raise ArgumentError(f"{function}: two sizes have the name {size}: one name is one size")
    return tuple(sizes.values())


def at_sizes[T](tree: T, values: Values) -> T:
    """A tree whose `SizedArray`s are of some sizes."""
    return tree_map(lambda leaf: leaf.at(values) if isinstance(leaf, SizedArray) else leaf, tree)


_NEAR: Final = 300
_CHECKS: Final = (0, 4, 1, 3)
"""Quarters of the ranges at which polynomials are checked."""

type Powers = tuple[int, ...]


class Points(NamedTuple):
    """Sample sizes, the first of which determine polynomials with these `powers` of the sizes."""

    each: tuple[Values, ...]
    powers: tuple[Powers, ...]

    def __repr__(self) -> str:
        return "; ".join([described(values) for values in self.each])


def described(values: Values) -> str:
    """Some sizes, for messages."""
    return ", ".join([f"{name}={value}" for name, value in values.items()])


def samples(sizes: Sequence[Size], tree: object, degree: int) -> Points:
    """Enough sample sizes to determine polynomials of this degree in the sizes, and more to check them.

    Products of different sizes are included. The first points are a lattice, with as many values of a size as powers of
    it. Values equal to other sizes, 1, 2, and their multiples are avoided, so that numbers are not equal by chance.
    """
    others = {n for leaf in tree_leaves(tree) for n in getattr(leaf, "shape", ()) if isinstance(n, int)}
    values: list[list[int]] = []
    for size in sizes:
        near = range(size.least, min(size.greatest, size.least + _NEAR) + 1)
        values.append(sorted(near, key=lambda n: (n in others, n < 5, not _prime(n), n))[: degree + 1])
        others.update(values[-1])
    powers = [
        each
        for each in itertools.product(*[range(len(some)) for some in values])
        if max(each) <= 1 or sum(each) <= degree
    ]
    powers.sort(key=lambda each: (sum(each), [-power for power in each]))
    lattice = [[some[i] for some, i in zip(values, each, strict=True)] for each in powers]
    checks = [[size.least + (size.greatest - size.least) * part // 4 for size in sizes] for part in _CHECKS]
    divisible = [_divisible(size) for size in sizes]
    beside = [n + 1 if n < size.greatest else n - 1 for n, size in zip(divisible, sizes, strict=True)]
    # Each size is the greatest at some point, if the ranges allow it.
    corners = [[size.greatest if size is at_most else size.least for size in sizes] for at_most in sizes]
    names = [size.name for size in sizes]
    every = dict.fromkeys(map(tuple, [*lattice, *checks, divisible, beside, *corners]))
    points = [dict(zip(names, point, strict=True)) for point in every]
    return Points(tuple(points), tuple(powers))


def _divisible(size: Size) -> int:
    """The size near the middle that most small numbers divide."""
    middle = (size.least + size.greatest) // 2
    near = range(max(size.least, middle - 12), min(size.greatest, middle + 12) + 1)
    return max(near, key=lambda n: (n > 0, math.gcd(n, 5040), -abs(n - middle)))


def _prime(n: int) -> bool:
    return n > 1 and all([n % d for d in range(2, math.isqrt(n) + 1)])


class NoPolynomial(ValueError):
    """Numbers that are no polynomial of the sizes."""


type Rounding = Callable[[int], int]


def fitting(sizes: Sequence[Size], points: Points) -> Callable[[Sequence[int], Rounding | None], Polynomial]:
    """Function that gives the polynomial of a number, from its values at the points; NoPolynomial if there is none.

    If values are rounded, those at the first points must not be.
    """
    names = [size.name for size in sizes]
    matrix = [
        [
            Fraction(math.prod([values[name] ** power for name, power in zip(names, powers, strict=True)]))
            for powers in points.powers
        ]
        for values in points.each[: len(points.powers)]
    ]
    inverse = _inverse(matrix)

    @cache
    def solved(numbers: tuple[int, ...]) -> Polynomial | None:
        factors = [sum([a * b for a, b in zip(row, numbers, strict=True)], Fraction(0)) for row in inverse]
        if any([factor.denominator != 1 for factor in factors]):
            return None
        terms = [
            (tuple([name for name, power in zip(names, powers, strict=True) for _ in range(power)]), int(factor))
            for powers, factor in zip(points.powers, factors, strict=True)
            if factor
        ]
        return Polynomial(tuple(terms))

    def fit(numbers: Sequence[int], rounded: Rounding | None = None) -> Polynomial:
        polynomial = solved(tuple(numbers[: len(points.powers)]))
        becomes = rounded or int
        if polynomial is None or [becomes(polynomial.at(values)) for values in points.each] != list(numbers):
            often = lambda pair: numbers.count(pair[0])
            each = sorted(zip(numbers, points.each, strict=True), key=often, reverse=True)[-5:]
            rare = sorted(each, key=often)  # the value that differs from equal ones comes first
            some = [f"{number} for {described(values)}" for number, values in rare]
            raise NoPolynomial(f"a number is no sum of products of up to three sizes, {'; '.join(some)}")
        greatest = {size.name: size.greatest for size in sizes}
        bound = sum([abs(factor) * Polynomial(((names, 1),)).at(greatest) for names, factor in polynomial.terms])
        if bound >= (2**53 if rounded else 2**63):  # numbers below it are exact
            raise NoPolynomial(f"a number may become {bound}, which is too large to be computed from the sizes")
        return polynomial

    return fit


def _inverse(matrix: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """The inverse of a regular matrix, exactly."""
    n = len(matrix)
    rows = [[*row, *[Fraction(i == j) for j in range(n)]] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = next(k for k in range(i, n) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k in range(n):
            if k != i and (factor := rows[k][i]):
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[n:] for row in rows]
