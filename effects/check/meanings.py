"""Meaning of annotations: making a value at some sizes, and testing a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from effects import random
from effects.arrays.array import Array
from effects.check.dims import Bound, Dim, Formula, Name, NotSaid, Pack, shown, sizes, unify
from effects.errors import DTypeError, ShapeError, TreeError
from effects.functions.manipulation.movement import broadcast_to
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType

_ANY: Final = Pack("...", "...")  # what packs without a name are made as: the same everywhere, so that they broadcast
SHAPELESS: Final = "an array whose shape is not said"
_SAMPLES: Final = (dtypes.f32, dtypes.i64, dtypes.bool_, dtypes.c64)


class Sizes(NamedTuple):
    """Sizes for staging a function: the numbers that names stand for, the axes in a pack, the length of lists, which
    of several values is taken, and the shape of arrays of keys.
    """

    numbers: Sequence[int]
    axes: int
    length: int
    choice: int
    lanes: tuple[int, ...] = ()


class Maker:
    """Makes values of which nothing but the type is known, from `seeds`: a number of float32, and Python's kinds.

    Names that are not bound get the next of `numbers`; where there are none, as for what a callee gives, it is NotSaid.
    """

    def __init__(self, seeds: Sequence[Array], sizes: Sizes, bound: Bound, numbers: Iterator[int] | None) -> None:
        self.seeds, self.sizes, self.bound, self.numbers = seeds, sizes, bound, numbers
        self.lists, self.keys, self.choices, self.undeclared = False, False, 1, False

    @property
    def length(self) -> int:
        self.lists = True
        return self.sizes.length

    def array(self, dims: Sequence[Dim | Pack], declared: type[DType], key: object) -> object:
        """An array; what is not bound is bound."""
        if self.numbers is not None:
            self.undeclared |= None in dims
            dims = [next(self.numbers) if dim is None else _ANY if dim == Pack(None, "") else dim for dim in dims]
            for dim in dims:
                self._number(dim, self.numbers)
        shape, dtype = sizes(dims, self.bound), self.bound.dtypes.get(key)
        if shape is None or not (dtype or self.numbers or hasattr(declared, "dtype")):
            raise NotSaid("an array whose shape or dtype is not said")
        if dtype is None:
            samples = (one for one in _SAMPLES if issubclass(one, declared))
            dtype = declared if hasattr(declared, "dtype") else next(samples, dtypes.f32)
            self.bound.dtypes[key] = dtype
        return broadcast_to(self.seeds[0].astype(dtype), shape)

    def _number(self, dim: Dim | Pack, numbers: Iterator[int]) -> None:
        if isinstance(dim, Formula):
            for _, operand in dim.operands:
                self._number(operand, numbers)
        elif isinstance(dim, Name | Pack) and dim.key is not None and dim not in self.bound.sizes:
            self.bound.sizes[dim] = tuple(islice(numbers, self.sizes.axes if isinstance(dim, Pack) else 1))

    def number(self, kind: type) -> object:
        """A Python number that is not known."""
        if self.numbers is None:
            raise NotSaid("a number that is not known")
        return self.seeds[1 + (float, int, complex).index(kind)]

    def chosen(self, values: Sequence[object]) -> object:
        """One of several values."""
        self.choices = max(self.choices, len(values))
        return values[self.sizes.choice % len(values)]

    def key(self) -> object:
        """A key of random numbers, or an array of them."""
        self.keys = True
        return random.wrap_key_data(broadcast_to(self.seeds[0].astype(dtypes.u32), (*self.sizes.lanes, 2)))

    def of_callee(self, bound: Bound) -> Maker:
        """The maker of a callee's results, whose names its arguments have bound."""
        return Maker(self.seeds, self.sizes, bound, None)


class Meaning:
    """Meaning of an annotation; here none."""

    @property
    def inner(self) -> Sequence[Meaning]:
        """The meanings that it is of."""
        return ()

    @property
    def arrays(self) -> bool:
        """True if it contains arrays, also where their shapes are not known, or keys."""
        return any([one.arrays for one in self.inner])

    @property
    def unread(self) -> str:
        """The reason why the shape of an array in it cannot be read; "" where there is none."""
        return next((one.unread for one in self.inner if one.unread), "")

    def make(self, maker: Maker) -> object:
        """A value. Raises NotSaid where too little is said."""
        raise NotSaid("no annotation")

    def fit(self, value: object, bound: Bound, template: str, at: str) -> None:
        """Raises ShapeError, DTypeError or TreeError for another value, which is called `at` in the words of "
        "`template`."""


@dataclass(frozen=True, slots=True)
class NoMeaning(Meaning):
    """Nothing that is known here, and why."""

    reason: str
    has_arrays: bool = False

    @property
    def arrays(self) -> bool:
        return self.has_arrays

    @property
    def unread(self) -> str:
        return self.reason if self.has_arrays and self.reason != SHAPELESS else ""

    def make(self, maker: Maker) -> object:
        raise NotSaid(self.reason)


@dataclass(frozen=True, slots=True)
class Value(Meaning):
    """Something that is no array by itself, and how it is made. Any value fits; `none`: only None does.

    `chosen` of a few values, of which each is tried.
    """

    how: Callable[[Maker], object]
    has_arrays: bool = False
    none: bool = False
    chosen: bool = False

    @property
    def arrays(self) -> bool:
        return self.has_arrays

    def make(self, maker: Maker) -> object:
        return self.how(maker)

    def fit(self, value: object, bound: Bound, template: str, at: str) -> None:
        if self.none and value is not None:
            raise TreeError(f"{template.format(at)} is {_kind(value)}, and None is declared")


@dataclass(frozen=True, slots=True)
class Arrays(Meaning):
    """An array, of a dtype that is said or of a class of these: the same under a `key` that is no class."""

    dtype: type[DType]
    key: object
    dims: tuple[Dim | Pack, ...]

    @property
    def arrays(self) -> bool:
        return True

    def make(self, maker: Maker) -> object:
        return maker.array(self.dims, self.dtype, self.key)

    def fit(self, value: object, bound: Bound, template: str, at: str) -> None:
        number = isinstance(value, bool | int | float | complex)
        shape, dtype = () if number else getattr(value, "shape", None), getattr(value, "dtype", None)
        declared = shown(self.dims, bound)
        if not isinstance(shape, tuple):
            raise TreeError(f"{template.format(at)} is {_kind(value)}, and an array {declared} is declared")
        if not unify(self.dims, shape, bound):
            raise ShapeError(f"{template.format(at)} has shape {shown(shape, bound)}, and {declared} is declared")
        if not isinstance(dtype, type):
            return
        bound_dtype = dtype if isinstance(self.key, type) else bound.dtypes.get(self.key, dtype)
        if not issubclass(dtype, self.dtype) or dtype is not bound_dtype:
            expected = bound_dtype if issubclass(bound_dtype, self.dtype) and bound_dtype is not dtype else self.dtype
            raise DTypeError(f"{template.format(at)} has dtype {dtype}, and {expected} is declared")
        bound.dtypes.setdefault(self.key, dtype)


@dataclass(frozen=True, slots=True)
class Group(Meaning):
    """Some values by name: a tuple, an object with fields, a dictionary with known keys."""

    text: str
    items: dict[str, Meaning]
    build: Callable[[list[object]], object]
    parts: Callable[[object], Sequence[object] | None]

    @property
    def inner(self) -> Sequence[Meaning]:
        return [*self.items.values()]

    def make(self, maker: Maker) -> object:
        return self.build([item.make(maker) for item in self.items.values()])

    def fit(self, value: object, bound: Bound, template: str, at: str) -> None:
        parts = self.parts(value)
        if parts is not None and len(parts) == len(self.items):
            for (name, item), part in zip(self.items.items(), parts):
                item.fit(part, bound, template, at + name)
        elif self.arrays:
            raise TreeError(f"{template.format(at)} is {_kind(value)}, and {self.text} is declared")


@dataclass(frozen=True, slots=True)
class Many(Meaning):
    """Any number of values of a kind, in a list, a tuple or a dictionary."""

    item: Meaning
    build: Callable[[list[object]], object]

    @property
    def inner(self) -> Sequence[Meaning]:
        return (self.item,)

    def make(self, maker: Maker) -> object:
        return self.build([self.item.make(maker) for _ in range(maker.length)])

    def fit(self, value: object, bound: Bound, template: str, at: str) -> None:
        parts = value if isinstance(value, dict) else dict(enumerate(value if isinstance(value, list | tuple) else ()))
        for key, part in parts.items():
            self.item.fit(part, bound, template, f"{at}[{key!r}]")


@dataclass(frozen=True, slots=True)
class Either(Meaning):
    """One of several, arrays first."""

    options: tuple[Meaning, ...]

    @property
    def inner(self) -> Sequence[Meaning]:
        return self.options

    def make(self, maker: Maker) -> object:
        reason = NotSaid("nothing")
        for option in sorted(self.options, key=lambda option: not option.arrays):
            try:
                return option.make(maker)
            except NotSaid as error:
                reason = error
        raise reason

    def fit(self, value: object, bound: Bound, template: str, at: str) -> None:
        wrong: list[ShapeError | DTypeError | TreeError] = []
        for option in self.options:
            tried = bound.copy()
            try:
                option.fit(value, tried, template, at)
            except (ShapeError, DTypeError, TreeError) as error:
                wrong.append(error)
            else:
                bound.sizes, bound.dtypes = tried.sizes, tried.dtypes
                return
        raise min(wrong, key=lambda error: isinstance(error, TreeError))


def _kind(value: object) -> str:
    if isinstance(aval := getattr(value, "aval", None), ShapedArray):
        return f"an array {aval}"
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return f"a tuple of {len(value)}"
    return "None" if value is None else type(value).__name__
