"""Shapes in mypy's types: what they say of values, and the types of results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mypy.maptype import map_instance_to_supertype
from mypy.nodes import TypeInfo
from mypy.types import (
    AnyType,
    Instance,
    LiteralType,
    NoneType,
    TupleType,
    Type,
    TypeOfAny,
    TypeVarTupleType,
    TypeVarType,
    UnpackType,
    get_proper_type,
)

from effects.check.annotations import Place, meaning_of
from effects.check.dims import Bound, Dim, Formula, Name, NotSaid, Pack, formula
from effects.check.meanings import Arrays, Group, Maker, Meaning, NoMeaning, Value
from effects.random.keys import Key
from effects.types import dtypes
from effects.types.dtypes import DType

ARRAY: Final = "effects.arrays.array.Array"
type Sized = tuple[int | str | None, ...] | None
"""A shape by its dimensions: numbers, names (of packs with a star), None for what has no name. None: no array."""


class Reader:
    """Reads types of one call. `classes` finds the class that a type is of, where that is looked into."""

    def __init__(self, classes: Callable[[TypeInfo], object]) -> None:
        self.names: dict[str, Type] = {}
        """The types that names of dimensions are."""
        self._classes = classes

    def meaning(self, t: Type) -> Meaning:
        """Meaning of a type for its values. Raises NotSaid where a shape in it is not known."""
        t = get_proper_type(t)
        if isinstance(t, TypeVarType):
            t = get_proper_type(t.upper_bound)
        if isinstance(t, NoneType):
            return Value(_none, none=True)
        if isinstance(t, TupleType):
            if t.partial_fallback.type.fullname == "builtins.tuple":
                items = {f"[{i}]": self.meaning(item) for i, item in enumerate(t.items)}
                return Group("a tuple", items, tuple, lambda value: None)
            t = t.partial_fallback
        if not isinstance(t, Instance):
            raise NotSaid("a type without shapes")
        if (array := array_of(t)) is not None:
            dtype = self._dtype(array.args[0])
            return Arrays(dtype, dtype, self._dims(array.args[1]))
        return self._object(t)

    def _object(self, t: Instance) -> Meaning:
        cls = self._classes(t.type)
        if cls is Key or not isinstance(cls, type) or len(t.args) != len(getattr(cls, "__parameters__", ())):
            raise NotSaid("a class that says no shapes, as that of keys, which may be many")
        args = [self._dim(arg) for arg in t.args]
        class_meaning = meaning_of(cls[tuple(args)] if args else cls, Place({}, {}))  # type: ignore[index]
        if isinstance(class_meaning, NoMeaning) or not class_meaning.arrays:
            raise NotSaid("an object without arrays")
        return class_meaning

    def _dtype(self, t: Type) -> type[DType]:
        t = get_proper_type(t)
        known = getattr(dtypes, t.type.name, None) if isinstance(t, Instance) else None
        if not (isinstance(known, type) and issubclass(known, DType) and hasattr(known, "dtype")):
            raise NotSaid("a dtype that is not known")
        return known

    def _dims(self, shape: Type) -> tuple[Dim | Pack, ...]:
        shape = get_proper_type(shape)
        if not isinstance(shape, TupleType):
            raise NotSaid("a shape that is not known")
        return tuple([self._pack(i.type) if isinstance(i, UnpackType) else self._dim(i) for i in shape.items])

    def _pack(self, t: Type) -> Pack:
        t = get_proper_type(t)
        if not isinstance(t, TypeVarTupleType):
            raise NotSaid("axes that are not known")
        self._name(f"*{t.name}", UnpackType(t))
        return Pack(f"*{t.name}", t.name)

    def _dim(self, t: Type) -> Dim:
        t = get_proper_type(t)
        if isinstance(t, Instance) and t.last_known_value is not None:
            t = t.last_known_value
        if isinstance(t, LiteralType) and isinstance(t.value, str):
            return formula(t.value, lambda name: Name(name, name))
        if isinstance(t, LiteralType) and isinstance(t.value, int):
            return int(t.value)
        if isinstance(t, TypeVarType):
            self._name(t.name, t)
            return Name(t.name, t.name)
        if isinstance(t, Instance) and t.type.is_newtype:
            self._name(t.type.name, t)
            return Name(t.type.name, t.type.name)
        raise NotSaid("a size that is not known")

    def _name(self, name: str, t: Type) -> None:
        if self.names.setdefault(name, t) != t:
            raise NotSaid("two sizes with one name")


def array_of(t: Type) -> Instance | None:
    """A type as one of arrays; None for others."""
    t = get_proper_type(t)
    if isinstance(t, Instance) and t.type.has_base(ARRAY):
        base = next(one for one in t.type.mro if one.fullname == ARRAY)
        return map_instance_to_supertype(t, base)
    return None


def is_open(t: Type) -> bool:
    """Return True if there are arrays in a type whose shapes are not known."""
    t = get_proper_type(t)
    if isinstance(t, TupleType):
        return any([is_open(item) for item in t.items])
    return isinstance(t, Instance) and t.type.fullname == ARRAY and isinstance(get_proper_type(t.args[1]), AnyType)


def opened(t: Type) -> Type:
    """The type of an array, of any shape."""
    t = get_proper_type(t)
    if not isinstance(t, Instance) or t.type.fullname != ARRAY:
        return t
    return t.copy_modified(args=[t.args[0], AnyType(TypeOfAny.special_form)])


def with_shapes(t: Type, results: object, names: dict[str, Type], integer: Instance, tuples: Instance) -> Type:
    """A type with the shapes of results where it has none."""
    t = get_proper_type(t)
    if isinstance(t, TupleType) and isinstance(results, list) and len(results) == len(t.items):
        items = [with_shapes(i, result, names, integer, tuples) for i, result in zip(t.items, results)]
        return t.copy_modified(items=items)
    if not isinstance(t, Instance) or not is_open(t) or not isinstance(results, tuple):
        return t
    dims: list[Type] = []
    for dim in results:
        if isinstance(dim, int):
            dims.append(LiteralType(dim, integer))
        else:
            dims.append(names[dim] if dim in names else AnyType(TypeOfAny.special_form))
    return t.copy_modified(args=[t.args[0], TupleType(dims, tuples)])


def sized(result: object, other: object, bound: Bound, other_bound: Bound) -> object:
    """The shapes of a result at two sets of sizes, by names: a list for a tuple, a tuple for an array."""
    if isinstance(result, tuple) and isinstance(other, tuple) and len(result) == len(other):
        return [sized(one, two, bound, other_bound) for one, two in zip(result, other)]
    first, second = getattr(result, "shape", None), getattr(other, "shape", None)
    if not isinstance(first, tuple) or not isinstance(second, tuple):
        return None
    return _shape(first, second, bound, other_bound)


def _shape(first: Sequence[int], second: Sequence[int], bound: Bound, other_bound: Bound) -> Sized:
    dims: list[int | str | None] = []
    i = j = 0
    while i < len(first) or j < len(second):
        for name, sizes in bound.sizes.items():
            others = other_bound.sizes.get(name, ())
            if tuple(first[i : i + len(sizes)]) == sizes and tuple(second[j : j + len(others)]) == others:
                dims.append(f"*{name.text}" if isinstance(name, Pack) else name.text)
                i, j = i + len(sizes), j + len(others)
                break
        else:
            if i == len(first) or j == len(second):
                return None
            dims.append(first[i] if first[i] == second[j] else None)
            i, j = i + 1, j + 1
    return tuple(dims)


def text(one: Meaning) -> str:
    """Text of a meaning, as the key of a memo."""
    if isinstance(one, Arrays):
        return f"{one.dtype}{[_text(dim) for dim in one.dims]}"
    if isinstance(one, Group):
        return f"{one.text}{[(name, text(item)) for name, item in one.items.items()]}"
    return repr(one)


def _text(dim: Dim | Pack) -> str:
    if isinstance(dim, Pack):
        return f"*{dim.text}"
    return dim.text if isinstance(dim, Name | Formula) else str(dim)


def _none(maker: Maker) -> object:
    return None
