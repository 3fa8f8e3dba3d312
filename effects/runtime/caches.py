"""Caches: every cache of the library is bounded, and can be emptied.

A `Cache` is a dictionary of two generations. Fast paths look in `recent`, a plain dictionary; other look-ups go through
`find` and `keep`, which record use. When `recent` holds half of the limit, it becomes the older generation, and entries
not used since the last such time are evicted: about the least recently used half. `memoised` is for pure functions of
small values.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable
from types import MethodType
from typing import Any, Final, cast, final
from weakref import WeakMethod, WeakValueDictionary, ref


@final
class Limit:
    """Largest number of entries that each cache of a kind holds."""

    __slots__ = ("count",)

    def __init__(self, count: int) -> None:
        self.count = count


SMALL: Final = Limit(4096)
"""Limit of caches whose entries are a few hundred bytes: types, scalars, shapes."""
RECENT: Final = Limit(256)
"""Limit of the cache of programs from which others were derived, for equal ones that are traced again."""
PROGRAMS: Final = Limit(1024)
"""Limit of caches of programs, traced and compiled; `lowering.keep_programs` sets it."""
lock: Final = threading.RLock()
"""Lock of all caches while one changes: comparing keys may run users' code, which may need any cache."""
_memos: Final[list[Callable[[], None]]] = []


@final
class Cache[K: Hashable, V]:
    """A cache of at most `limit` entries, of which the least recently used are evicted first.

    Safe to use from many threads. Values are not None.
    """

    __slots__ = ("__weakref__", "_limit", "_older", "recent")

    def __init__(self, limit: Limit = PROGRAMS) -> None:
        self._limit: Final = limit
        self._older: dict[K, V] = {}
        self.recent: Final[dict[K, V]] = {}
        """The newer generation, always the same dictionary, for fast look-ups; `find` looks in both."""
        with lock:
            _caches[id(self)] = self

    def find(self, key: K) -> V | None:
        """The value kept for `key`, or None."""
        value = self.recent.get(key)
        if value is None:
            value = self._older.get(key)
            if value is not None:
                return self.keep(key, value)
        return value

    def keep(self, key: K, value: V) -> V:
        """Keep `value` for `key`, unless there is one already; the one that is kept."""
        with lock:
            forgotten = self._older  # freed after the lock is released
            if 2 * len(self.recent) >= self._limit.count:
                self._older = dict(self.recent)
                self.recent.clear()
            cached = self.recent.setdefault(key, value)
        del forgotten
        return cached

    def clear(self) -> None:
        """Forget everything."""
        with lock:
            forgotten = self._older, dict(self.recent)
            self._older = {}
            self.recent.clear()
        del forgotten

    def __len__(self) -> int:
        return len(self.recent.keys() | self._older.keys())


_caches: Final[WeakValueDictionary[int, Cache[Any, Any]]] = WeakValueDictionary()


@final
class WeaklyHeld:
    """A function that is called and compared as `function`, as long as another reference keeps that alive."""

    __slots__ = ("__name__", "_function", "_hash")

    def __init__(self, function: Callable[..., object], reference: Callable[[], Callable[..., object] | None]) -> None:
        self.__name__ = getattr(function, "__name__", None) or type(function).__name__
        self._function: Final = reference
        self._hash: Final = hash(function)

    def __call__(self, *args: object, **kwargs: object) -> object:
        function = self._function()
        assert function is not None, "whoever runs a program holds its functions"
        return function(*args, **kwargs)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, WeaklyHeld):
            return self is other
        function = self._function()
        return function is not None and function == other._function()


def weakly_held(function: Callable[..., object]) -> Callable[..., object]:
    """A stand-in for `function`, which may be a class, that does not keep it alive, for keys and values of caches.

    It is `function` itself if other objects may be equal to it, since one could be mistaken for it later.
    """
    try:
        if type(function) is MethodType:
            return WeaklyHeld(function, WeakMethod(function))
        if getattr(type(function), "__eq__", None) is object.__eq__:
            return WeaklyHeld(function, ref(function))
    except TypeError:  # it allows no weak references
        pass
    return function


@final
class StructuralKey:
    """A structure with its hash computed once."""

    __slots__ = ("__weakref__", "_hash", "structure")

    def __init__(self, structure: Hashable) -> None:
        self.structure: Final = structure
        self._hash: Final = hash(structure)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, StructuralKey) and self._hash == other._hash and self.structure == other.structure
        )


class Personal:
    """Part of a program that may hold objects of users, which caches must not keep alive."""

    __slots__ = ()

    @property
    def meaning(self) -> Hashable:
        """Key of this part, without these objects, for compiled programs."""
        raise NotImplementedError


def without_user_objects(part: Hashable) -> Hashable:
    """A key without objects of users: the key itself if it holds none."""
    if type(part) is tuple:
        parts = [without_user_objects(inner) for inner in part]
        return part if all([new is old for new, old in zip(parts, part, strict=True)]) else tuple(parts)
    if isinstance(part, Personal):
        return part.meaning
    return weakly_held(part) if callable(part) and not isinstance(part, type) else part


def exact_key(value: Hashable) -> Hashable:
    """A key that is equal only for identical values: 1, 1.0 and True differ, as do 0.0 and -0.0; nan equals nan.

    The same holds inside tuples, also of subclasses, frozensets and slices.
    """
    cls = type(value)
    if cls is tuple:
        return tuple([exact_key(element) for element in value])  # type: ignore[attr-defined]  # a tuple
    if cls is float and value == value and value != 0.0:  # noqa: PLR0124  # no NaN
        return cls, value
    if cls in PLAIN:
        return cls, value
    if isinstance(value, (float, complex)):
        return cls, repr(value)
    if isinstance(value, tuple) and cls.__eq__ is tuple.__eq__:
        return cls, tuple([exact_key(element) for element in value])
    if isinstance(value, frozenset) and cls.__eq__ is frozenset.__eq__:
        return cls, frozenset([exact_key(element) for element in value])
    if isinstance(value, slice):
        return cls, exact_key((value.start, value.stop, value.step))
    return cls, value


PLAIN: Final = frozenset({int, str, bool, bytes, type(None)})
"""Classes whose equal values are identical."""


def memoised[F: Callable[..., object]](function: F, *, typed: bool = False) -> F:
    """Decorator: a pure function of hashable values, with a cache of recent results.

    With `typed`, 1, 1.0 and True differ.
    """
    remembering = functools.lru_cache(maxsize=SMALL.count, typed=typed)(function)
    _memos.append(remembering.cache_clear)
    return cast(F, remembering)


def clear() -> None:
    """Empty all caches."""
    with lock:
        caches = list(_caches.values())
    for cache in caches:
        cache.clear()
    for forget in _memos:
        forget()
