"""Identity of a function: where it was written, and the values that it closes over, also through wrappers.

It includes the functions behind effax's wrappers, `functools.partial` and bound methods. So `jit(grad(f))` and
`jit(partial(f, 2.0))` are identified by the line of `f` too, and the variables of `f` are named as those of `jit(f)`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dis import get_instructions
from enum import Enum
from functools import partial
from itertools import islice
from types import FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, Final, NamedTuple, cast

import numpy as np

from effects.arrays.array import Array
from lowering.explanation.short_text import entries_of, is_own, text, with_article

_MAX_WRAPPERS: Final = 16
_MOST_PARTS: Final = 64
_MOST_ENTRIES: Final = 32
_NUMBERS: Final = (int, float, complex, str, bytes, Array, np.generic)
_LEAVES: Final = (*_NUMBERS, np.ndarray, Enum, frozenset, set, type, ModuleType, type(None))
_PACKAGES: Final = ("effects.", "handlers.", "lowering.")

type SourceIdentity = tuple[tuple[str, int, str, int], ...]
"""For a function and each that it wraps: file, line, name, and a hash of the code, since several may share a line."""


def source_of(f: object) -> SourceIdentity | None:
    """Source location of a function and of the functions it wraps; None where there is none.

    The library's own functions with data, such as loaded programs, share a line although they differ.
    """
    codes: list[tuple[str, int, str, int]] = []
    for _ in range(_MAX_WRAPPERS):
        inner, function = _wrapped(f), f
        if inner is None and type(f) is not FunctionType:
            function = getattr(type(f), "__call__", None)  # noqa: B004  # the class has the line
        if isinstance(function, FunctionType):
            code = function.__code__
            codes.append((code.co_filename, code.co_firstlineno, code.co_qualname, hash(code)))
        if inner is None:
            known = isinstance(function, FunctionType) and not (is_own(function) and _has_data(function, f))
            return tuple(codes) if known else None
        f = inner
    return None


def _has_data(function: FunctionType, f: object) -> bool:
    """Return True if a function has data: closed-over variables, or the object of a method."""
    return bool(function.__closure__) or function is not f


class _Part(NamedTuple):
    """A value that a function refers to: how (closed-over, default, global), by which expression, and the value."""

    how: str
    path: str
    value: object

    def variables(self, how: str, items: Iterable[tuple[str, object]]) -> Iterator[_Part]:
        """Variables of this part, a function: by name, with the function's name unless it is the outermost."""
        return (_Part(how, f"{name} of {self.path}" if self.path else name, value) for name, value in items)

    def within(self, items: Iterable[tuple[str, object]]) -> Iterator[_Part]:
        """Parts inside this one, by the suffixes of their expressions."""
        return (_Part(self.how, f"{self.path}{end}", value) for end, value in items)


def closed_over(f: Callable[..., object]) -> Iterator[tuple[str, str, int]]:
    """Descriptions of the values that a function closes over: names, texts, and hashes of what texts omit.

    They are its variables, defaults, bound arguments, and the numbers and functions among its globals. Containers,
    objects and functions are entered, breadth first, up to a bound.
    """
    waiting = deque([_Part("closed-over", "" if type(f) is FunctionType or _is_transparent(f) else "self", f)])
    visited: set[int] = set()
    remaining = _MOST_PARTS
    while waiting:
        part = waiting.popleft()
        cls = type(part.value)
        if not issubclass(cls, _LEAVES):
            if id(part.value) in visited:
                continue
            visited.add(id(part.value))
            parts = list(islice(_parts(part), min(remaining, _MOST_ENTRIES)))
            remaining -= len(parts)
            waiting += parts
            if not part.path or _is_transparent(part.value):
                continue
        words = text(part.value) if issubclass(cls, (*_LEAVES, FunctionType)) else with_article(cls)
        code = part.value.__code__ if cls is FunctionType else None  # type: ignore[attr-defined]  # as its class says
        yield f"{part.how} {part.path}", words, hash(code)


def _parts(part: _Part) -> Iterator[_Part]:
    value: Any = part.value
    cls = type(value)
    if _is_transparent(value):
        yield part._replace(value=_wrapped(value))
    if cls is FunctionType and is_own(value):
        for name, variable in _variables(value):
            settings = _attributes(variable).items() if _is_own_class(type(variable)) else [(name, variable)]
            yield from part.variables("closed-over", settings)
    elif cls is FunctionType:
        yield from part.variables("closed-over", _variables(value))
        yield from part.variables("default", _defaults(value))
        yield from part.variables("global", _globals(value))
    elif cls is MethodType:
        yield from part.variables("closed-over", [("self", value.__self__)])
    elif issubclass(cls, partial):
        yield from part.variables("closed-over", [*_bound(value), *value.keywords.items()])
    elif _is_transparent(value):
        yield from part.variables("closed-over", _attributes(value).items())
    elif issubclass(cls, dict):
        yield from part.within([(f"[{text(key)}]", each) for key, each in islice(dict.items(value), _MOST_ENTRIES)])
    elif not issubclass(cls, list | tuple) or entries_of(cls):
        yield from part.within([(f".{name}", each) for name, each in _attributes(value).items()])
    else:
        entries = (list if issubclass(cls, list) else tuple).__iter__(value)
        yield from part.within([(f"[{i}]", each) for i, each in enumerate(islice(entries, _MOST_ENTRIES))])


def _wrapped(f: Any) -> object:
    """The function that another one wraps; None if it wraps none."""
    cls = type(f)
    if cls is FunctionType:
        return f.__dict__.get("__wrapped__")
    if cls is MethodType:
        return f.__func__
    if issubclass(cls, partial):
        return f.func
    return vars(f).get("__wrapped__") if _is_own_class(cls) and hasattr(f, "__dict__") else None


def _is_transparent(value: object) -> bool:
    """Return True for a wrapper, which is no function that a user wrote."""
    return not _is_users(value) and _wrapped(value) is not None


def _is_users(value: object) -> bool:
    return type(value) is FunctionType and not is_own(value)


def _is_own_class(cls: type) -> bool:
    return str(cls.__module__).startswith(_PACKAGES)


def _variables(f: FunctionType) -> Iterator[tuple[str, object]]:
    """The variables that a function closes over."""
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
        try:
            yield name, cell.cell_contents
        except ValueError:  # the variable has no value
            continue


def _defaults(f: FunctionType) -> Iterator[tuple[str, object]]:
    yield from zip(reversed(_parameters(f)), reversed(f.__defaults__ or ()))
    yield from (f.__kwdefaults__ or {}).items()


def _globals(f: FunctionType) -> Iterator[tuple[str, object]]:
    """The numbers, texts, arrays and functions of users among the globals that a function reads."""
    values = {name: f.__globals__.get(name) for name in f.__code__.co_names}
    candidates = {
        name: value for name, value in values.items() if issubclass(type(value), _NUMBERS) or _is_users(value)
    }
    if candidates:  # which could also be names of attributes
        read = {step.argval for step in get_instructions(f) if step.opname == "LOAD_GLOBAL"}
        yield from [(name, value) for name, value in candidates.items() if name in read]


def _bound(function: partial[Any]) -> Iterator[tuple[str, object]]:
    """The positional arguments of a partial application."""
    inner = function.func
    names = _parameters(inner.__func__)[1:] if type(inner) is MethodType else _parameters(inner)
    for position, value in enumerate(function.args):
        yield (names[position] if position < len(names) else f"args[{position}]"), value


def _parameters(f: object) -> tuple[str, ...]:
    return f.__code__.co_varnames[: f.__code__.co_argcount] if type(f) is FunctionType else ()


def _attributes(value: object) -> Mapping[str, object]:
    """The attributes that an instance stores, without running code of its class; of the library's, only public ones."""
    cls = type(value)
    attributes: dict[str, object] = {}
    if names := entries_of(cls):
        attributes.update(zip(names, tuple.__iter__(cast("tuple[object, ...]", value))))
    try:
        own_dict = cast(object, object.__getattribute__(value, "__dict__"))
    except Exception:  # there is none, or it is computed
        own_dict = None
    if type(own_dict) is dict:
        attributes.update(islice(own_dict.items(), _MOST_ENTRIES))
    for base in [base for base in cls.__mro__ if "__slots__" in vars(base)]:
        for name in [name for name, slot in vars(base).items() if type(slot) is MemberDescriptorType]:
            try:
                attributes[name] = vars(base)[name].__get__(value)
            except AttributeError:  # the slot has no value
                continue
    return {name: each for name, each in attributes.items() if not (_is_own_class(cls) and name.startswith("_"))}
