"""Reading annotations: of types, with the arguments of aliases and generic classes in place of their parameters."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Final, Literal, NamedTuple, Self, TypeVar, TypeVarTuple

import typing_extensions as extended

from effects.arrays.array import Array
from effects.check.dims import Dim, Name, NotSaid, Pack, formula
from effects.check.jaxtyping import is_jaxtyping, jaxtyping_meaning
from effects.check.meanings import SHAPELESS, Arrays, Either, Group, Maker, Many, Meaning, NoMeaning, Value
from effects.errors import ConcretizationError
from effects.random.keys import Key
from effects.types.dtypes import DType

_VARIABLES: Final = (TypeVar, extended.TypeVar)
_PACKS: Final = (TypeVarTuple, extended.TypeVarTuple)
_ALIASES: Final = (typing.TypeAliasType, extended.TypeAliasType)
_AROUND: Final = (Annotated, typing.Final, typing.Required, typing.NotRequired, extended.ReadOnly)
_LISTS: Final = {list: list, tuple: tuple, Sequence: list, Iterable: list}


class Place(NamedTuple):
    """The surroundings of an annotation: names that it may use, the meaning of parameters, the classes around it.

    Names in strings of dimensions are those of `scope`, the function that has the annotation.
    """

    names: Mapping[str, object]
    stands: Mapping[object, tuple[object, Place | None]]
    within: tuple[type, ...] = ()
    scope: object = None


def names_of(definition: Any) -> dict[str, object]:
    """The names that annotations of a function or a class may use."""
    module = sys.modules.get(definition.__module__)
    names: dict[str, object] = {} if module is None else dict(vars(module))
    if isinstance(definition, types.FunctionType):
        names = {**definition.__globals__, **inspect.getclosurevars(definition).nonlocals}
    return names | {p.__name__: p for p in getattr(definition, "__type_params__", ())}


def meaning_of(annotation: object, place: Place) -> Meaning:
    """The meaning of an annotation; `NoMeaning` with the reason where that cannot be known."""
    try:
        return _meaning_of(*_resolved(annotation, place), place.scope if annotation is Self else None)
    except NotSaid as reason:
        return NoMeaning(str(reason))


def _meaning_of(t: object, place: Place, of_fields: object) -> Meaning:
    if is_jaxtyping(t):
        return jaxtyping_meaning(t, place.scope)
    origin, args = typing.get_origin(t) or t, typing.get_args(t)
    inner = partial(meaning_of, place=place)
    if t is None or t is types.NoneType:
        return Value(lambda _: None, none=True)
    if origin is Literal or t is bool or isinstance(t, enum.EnumType):
        values = tuple(t) if isinstance(t, enum.EnumType) else args or (True, False)
        return Value(lambda maker: maker.chosen(values), chosen=True)
    if origin is type and args:
        return Value(lambda _: typing.get_origin(resolved := _resolved(args[0], place)[0]) or resolved)
    if t is int or t is float or t is complex:
        return Value(lambda maker: maker.number(t))
    if t is Key:
        return Value(Maker.key, has_arrays=True)
    if origin in (typing.Union, types.UnionType):
        return Either(tuple(map(inner, args)))
    if origin is tuple and args and args[-1] is not ...:
        items = {f"[{i}]": inner(arg) for i, arg in enumerate(args)}
        return Group(f"a tuple of {len(args)}", items, tuple, lambda value: value if isinstance(value, tuple) else None)
    if origin in _LISTS and args:
        return Many(inner(args[0]), _LISTS[origin])
    if origin in (dict, Mapping) and len(args) == 2 and args[0] is str:
        return Many(inner(args[1]), lambda values: {f"key {i}": value for i, value in enumerate(values)})
    if origin is Callable and args:
        return _callable(None if args[0] is ... else tuple(map(inner, args[0])), inner(args[1]))
    if isinstance(origin, type) and issubclass(origin, Array):
        try:
            return _array(args, place)
        except NotSaid as reason:
            return NoMeaning(str(reason), has_arrays=True)
    if isinstance(origin, type) and origin.__module__ != "builtins":
        inside = _with_arguments(getattr(origin, "__parameters__", ()), args, place)
        return _of_class(origin, inside._replace(names=names_of(origin), scope=of_fields))
    raise NotSaid(f"the annotation {_text(t)} says no shapes")


def _callable(arguments: tuple[Meaning, ...] | None, result: Meaning) -> Meaning:
    """A callable that holds its arguments against what is declared, and gives what is."""

    def make(maker: Maker) -> object:
        def called(*args: object) -> object:
            for i, (argument, arg) in enumerate(zip(arguments or (), args)):
                argument.fit(arg, maker.bound, "argument {} of a callable", str(i))
            return result.make(maker)

        return called

    return Value(make, result.arrays)


def with_own_parameters(cls: Any) -> object:
    """A generic class as its methods see it."""
    own = tuple([typing.Unpack[p] if isinstance(p, _PACKS) else p for p in getattr(cls, "__parameters__", ())])
    return cls[own] if own else cls


def _of_class(cls: Any, place: Place) -> Meaning:
    """The shapes in the objects of a class: by its fields, or where it has none by the arguments of `__init__`."""
    if cls in place.within:
        raise NotSaid(f"{cls.__name__} holds itself")
    place = place._replace(within=(*place.within, cls))
    fields = _fields(cls, place)
    if not fields:
        return _by_init(cls, place)

    def build(values: list[object]) -> object:
        if dataclasses.is_dataclass(cls) or hasattr(cls, "_fields"):
            return cls(**dict(zip(fields, values)))
        new = _instance(cls)
        for name, value in zip(fields, values):
            object.__setattr__(new, name, value)
        return new

    def parts(value: object) -> Sequence[object] | None:
        return [getattr(value, name) for name in fields] if all([hasattr(value, name) for name in fields]) else None

    def entries(value: object) -> Sequence[object] | None:
        return [value[name] for name in fields] if isinstance(value, dict) and fields.keys() <= value.keys() else None

    if extended.is_typeddict(cls):
        items = {f"[{name!r}]": field for name, field in fields.items()}
        return Group(cls.__name__, items, lambda values: dict(zip(fields, values)), entries)
    return Group(cls.__name__, {f".{name}": field for name, field in fields.items()}, build, parts)


def _by_init(cls: Any, place: Place) -> Meaning:
    """The objects that `__init__` makes of what its annotations say.

    Where they say too little, or it needs values, they have those attributes whose annotations it has.
    """
    annotations = inspect.get_annotations(cls.__init__)
    arguments = {name: meaning_of(t, place) for name, t in annotations.items() if name != "return"}
    attributes = {name: meaning_of(t, place) for name, t in _annotated_in(cls.__init__).items()}
    if annotations:
        is_complete = arguments.keys() >= _required(cls.__init__)
    else:  # code without annotations, which does whatever it does, is not run
        is_complete = cls.__init__ is object.__init__ and cls.__new__ is object.__new__

    def make(maker: Maker) -> object:
        if is_complete and not getattr(cls, "__abstractmethods__", None):
            with suppress(NotSaid, ConcretizationError):
                return cls(**{name: argument.make(maker) for name, argument in arguments.items()})
        new = _instance(cls)
        for name, attribute in attributes.items():
            with suppress(NotSaid):
                object.__setattr__(new, name, attribute.make(maker))
        return new

    return Value(make, any([one.arrays for one in (*arguments.values(), *attributes.values())]))


def _required(function: Any) -> set[str]:
    """The names of parameters that have no default."""
    _, *parameters = inspect.signature(function).parameters.values()
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {p.name for p in parameters if p.default is p.empty and p.kind not in several}


def _annotated_in(function: Any) -> dict[str, str]:
    """The annotations of attributes where a function assigns to them: `self.w: F32[N] = …`."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # it is not written in Python, or not in a file
        return {}
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.AnnAssign)]
    return {
        node.target.attr: ast.unparse(node.annotation) for node in assigned if isinstance(node.target, ast.Attribute)
    }


class _Uninitialised:
    """The first base of objects that `__init__` has not seen: what else they hold is not said."""

    __slots__ = ()

    def __init_subclass__(cls) -> None: ...

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotSaid(f"{type(self).__name__} does not say what its {name} is")


def _instance(cls: Any) -> object:
    """An object that `__init__` has not seen, whose abstract methods are called as they are."""
    try:
        made_of: Any = type(cls)(cls.__name__, (_Uninitialised, cls), {"__slots__": ()})
        made_of.__abstractmethods__ = frozenset()
        return object.__new__(made_of)
    except TypeError:  # of a class that is not written in Python, or of a metaclass
        raise NotSaid(f"{cls.__name__} does not say what it holds") from None


def _fields(cls: type, place: Place) -> dict[str, Meaning]:
    """The fields of a class with those of its bases, whose parameters are its arguments to them."""
    fields: dict[str, Meaning] = {}
    for base in types.get_original_bases(cls):
        origin = typing.get_origin(base) or base
        if isinstance(origin, type) and origin.__module__ not in ("builtins", "typing", "abc"):
            inner = _with_arguments(getattr(origin, "__parameters__", ()), typing.get_args(base), place)
            fields |= _fields(origin, inner._replace(names=names_of(origin)))
    left_out = {f.name for f in dataclasses.fields(cls) if not f.init} if dataclasses.is_dataclass(cls) else set()
    for name, annotation in inspect.get_annotations(cls).items():
        if name not in left_out and "ClassVar" not in str(annotation):
            fields[name] = meaning_of(annotation, place)
    return fields


def _with_arguments(parameters: Sequence[Any], args: Sequence[object], place: Place) -> Place:
    """A place inside an alias or a generic class. Without arguments, each parameter is a size of its own."""
    stands: dict[object, tuple[object, Place | None]] = {}
    pending = [] if args == ((),) else list(args)
    for i, p in enumerate(parameters):
        if isinstance(p, _PACKS):
            several = len(pending) - (len(parameters) - i - 1)
            stands[p] = tuple(pending[:several]), place
            pending = pending[several:]
        else:
            stands[p] = (pending.pop(0), place) if pending else (Name(object(), p.__name__), None)
    return place._replace(stands=stands)


def _resolved(t: Any, place: Place) -> tuple[Any, Place]:
    """The annotation that one in quotes, an alias or a parameter stands for, and the place where that is written."""
    for _ in range(100):
        if isinstance(t, typing.ForwardRef):
            t = t.__forward_arg__
        if isinstance(t, str):
            try:
                t = eval(t, {}, place.names)  # an annotation of a module that is imported
            except Exception as error:
                raise NotSaid(f"the annotation {t} raises {type(error).__name__}: {error}") from None
        elif (isinstance(t, (*_VARIABLES, *_PACKS)) or t is Self) and t in place.stands:
            t, outer = place.stands[t]
            place = outer or place
        elif isinstance(alias := typing.get_origin(t) or t, _ALIASES):
            place = _with_arguments(alias.__type_params__, typing.get_args(t), place)
            t = alias.__value__
        elif typing.get_origin(t) in _AROUND:
            t = typing.get_args(t)[0]
        else:
            return t, place
    raise NotSaid("an alias of itself")


def _array(args: Sequence[Any], place: Place) -> Meaning:
    shape, inside = _resolved(args[1], place) if len(args) > 1 else (None, place)
    if typing.get_origin(shape) is not tuple:
        raise NotSaid(SHAPELESS)
    dims = tuple(_dims(typing.get_args(shape), inside))
    if sum([isinstance(dim, Pack) for dim in dims]) > 1:
        raise NotSaid("a shape with two packs of dimensions")
    dtype = args[0].__metadata__[0] if hasattr(args[0], "__metadata__") else _resolved(args[0], place)[0]
    known = getattr(dtype, "__bound__", None) if isinstance(dtype, _VARIABLES) else dtype
    if not (isinstance(known, type) and issubclass(known, DType)):
        known = DType
    return Arrays(known, dtype if isinstance(dtype, _VARIABLES) else known, dims)


def _dims(args: Sequence[Any], place: Place) -> list[Dim | Pack]:
    """The dimensions that the arguments of a tuple say."""
    dims: list[Dim | Pack] = []
    for arg in args:
        if arg is ...:
            dims[-1:] = [Pack(None, "?")]
        elif typing.get_origin(arg) is typing.Unpack or getattr(arg, "__unpacked__", False):
            pack, inside = (arg, place) if hasattr(arg, "__unpacked__") else _resolved(typing.get_args(arg)[0], place)
            if isinstance(pack, _PACKS):
                dims.append(Pack(pack, pack.__name__))
            else:
                dims += _dims(pack if isinstance(pack, tuple) else typing.get_args(pack), inside)
        elif arg != ():
            dims.append(_dim(arg, place))
    return dims


def _dim(arg: object, place: Place) -> Dim:
    """The dimension that an argument says: an integer, a name, or a formula, `"2 * N"` or `Literal["2 * N"]`."""
    if isinstance(arg, str):
        return formula(arg, lambda name: _named(name, place))
    t, place = _resolved(arg, place)
    value: object = typing.get_args(t)[0] if typing.get_origin(t) is Literal else t
    if isinstance(value, str):
        return formula(value, lambda name: _named(name, place))
    if type(value) is int or isinstance(value, Name):
        return value
    if value is int or value is Any:
        return None
    if isinstance(value, (type, typing.NewType, *_VARIABLES)):
        return Name(value, value.__name__)
    raise NotSaid(f"{_text(t)} is no dimension")


def _named(name: str, place: Place) -> Dim:
    if name not in place.names:
        raise NotSaid(f"the dimension {name} is no type parameter, and no name of the module")
    return _dim(place.names[name], place)


def _text(t: object) -> str:
    return t.__name__ if isinstance(t, type) else str(t)
