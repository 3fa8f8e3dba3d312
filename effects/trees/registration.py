"""Users' classes as nodes of pytrees: `register_node`, and `register` for dataclasses."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Final, cast, overload

from effects.arguments import check_callable, describe, refusal, sequence, shown
from effects.errors import ArgumentError, TreeError
from effects.runtime.caches import SMALL, Cache
from effects.trees.keys import Key
from effects.trees.pytree import REGISTRY, TreeDef

_STATIC: Final[dict[type, tuple[str, ...]]] = {}
"""The static fields of registered dataclasses."""


def static_fields(cls: type) -> tuple[str, ...]:
    """The names of the static fields of a dataclass that is registered; none of another class."""
    return _STATIC.get(cls, ())


def register_node[T, D: Hashable](
    cls: type[T],
    flatten: Callable[[T], tuple[Iterable[object], D]],
    unflatten: Callable[[D, Sequence[Any]], T],
    keys: Callable[[T], Iterable[Key]] | None = None,
) -> None:
    """Make instances of `cls` nodes: `flatten` gives children and static data, `unflatten` puts them together.

    `keys` gives a key for each child, by which paths and messages name it, as `GetAttrKey("weight")`; without, it is
    its number. Raises ArgumentError for a class that is a pytree already.

    >>> import effects as fx
    >>> class Interval:
    ...     def __init__(self, low, high):
    ...         self.low, self.high = low, high
    >>> names = fx.GetAttrKey("low"), fx.GetAttrKey("high")
    >>> fx.register_node(Interval, lambda i: ((i.low, i.high), None), lambda _, ends: Interval(*ends), lambda i: names)
    >>> fx.tree_leaves_with_path([Interval(1.0, 2.0)])
    [('[0].low', 1.0), ('[0].high', 2.0)]
    """
    check_callable("register_node", flatten, "flatten")
    check_callable("register_node", unflatten, "unflatten")
    if keys is not None:
        check_callable("register_node", keys, "keys")

    def checked_flatten(tree: T) -> tuple[tuple[object, ...], Hashable]:
        parts: object = flatten(tree)
        if not isinstance(parts, tuple) or len(parts) != 2 or not isinstance(parts[0], Iterable):
            raise TreeError(f"{cls.__name__}: flatten must return (children, static data), got {shown(parts)}")
        return tuple(parts[0]), parts[1]

    def with_keys(tree: T) -> tuple[list[tuple[Key, object]], Hashable]:
        assert keys is not None
        children, static = checked_flatten(tree)
        pairs: object = keys(tree)
        if not isinstance(pairs, Iterable) or len(names := list(pairs)) != len(children):
            raise TreeError(
                f"{cls.__name__}: keys must return one key for each of the {len(children)} children that flatten "
                "gives, "
                f"got {shown(pairs)}"
            )
        return list(zip(names, children, strict=True)), static

    def rebuild(static: Hashable, children: Sequence[Any]) -> T:
        return unflatten(cast(D, static), tuple(children))  # as `flatten` returned it

    with _once("register_node", cls):
        REGISTRY.register_node(cls, checked_flatten, rebuild, None if keys is None else with_keys)


_LEAVES: Final = frozenset({object, type, bool, int, float, complex, str, bytes})


@contextlib.contextmanager
def _once(caller: str, cls: type) -> Iterator[None]:
    """Refuse a class that is registered already, as the registry reports; numbers and text are leaves."""
    if not isinstance(cls, type):
        raise refusal(caller, "cls", "a class", cls)
    if cls in _LEAVES:
        raise ArgumentError(f"{caller}: {cls.__name__} is a leaf of every tree; register a class of your own")
    try:
        yield
    except ValueError:
        raise ArgumentError(f"{caller}: {cls.__name__} is a pytree already; a class is registered once") from None


_WITHOUT_DATA: Final[Cache[TreeDef, bool]] = Cache(SMALL)
"""Structures of tuples, lists and leaves, which have no static data to check."""


def check_static(treedef: TreeDef, subject: Callable[[], str]) -> None:
    """Raise ArgumentError for static data in a structure that is not hashable, such as arrays and lists. `subject`
    names the structure, and is called for the message only.

    Static data is compared with structures, and comparing arrays gives no bool.
    """
    if treedef in _WITHOUT_DATA.recent:
        return
    nodes = treedef.__getstate__()[1]
    if not any([cls for _, _, _, cls, *_ in nodes]):  # the keys of dicts have a hash
        if not any([data for _, _, data, *_ in nodes]):
            _WITHOUT_DATA.keep(treedef, True)
        return
    node_data = treedef.node_data()
    if node_data is not None and node_data[0] is not dict:
        cls, data = node_data
        for field, value in zip(_STATIC[cls], cast("tuple[object, ...]", data)) if cls in _STATIC else [("", data)]:
            try:
                hash(value)
            except TypeError:
                kind = f"static field {field} of {cls.__name__}" if field else f"static data of {cls.__name__}"
                raise ArgumentError(
                    f"{subject()}: {kind} must be hashable, got {describe(value)}; what is static is a Python value: "
                    "leave arrays out of static, and use a tuple in place of a list"
                ) from None
    for child in treedef.children():
        check_static(child, subject)


@overload
def register[T](cls: type[T], /) -> type[T]: ...
@overload
def register[T](*, static: Sequence[str] = ...) -> Callable[[type[T]], type[T]]: ...
def register[T](cls: type[T] | None = None, /, *, static: Sequence[str] = ()) -> type[T] | Callable[[type[T]], type[T]]:
    """Class decorator that makes a dataclass a pytree; fields named in `static` are part of the structure.

    Static data is a Python value with a hash: text, a number, a tuple, a function, and no array. The class is called to
    put an instance together again, so its `__post_init__` runs with what stands for arrays where a function is
    transformed (and with None or objects where trees are compared): it may not look at values. A subclass is another
    class, and registered by itself.

    Raises ArgumentError for a class that is no dataclass or is a pytree already, and for names that are not its fields.

    >>> import dataclasses
    >>> import effects as fx
    >>> @fx.register(static=["rate"])
    ... @dataclasses.dataclass
    ... class Layer:
    ...     w: float
    ...     rate: float
    >>> fx.tree_map(lambda w: 2 * w, Layer(1.5, 0.1))
    Layer(w=3.0, rate=0.1)
    """

    for name in sequence("register", "static", static, "names of fields"):
        if not isinstance(name, str):
            raise refusal("register", "an entry of static", "the name of a field", name)

    def decorate(cls: type[T]) -> type[T]:
        if not isinstance(cast(object, cls), type) or not dataclasses.is_dataclass(cls):
            raise ArgumentError(f"register takes a dataclass, got {shown(cls)}; use register_node for other classes")
        names = [f.name for f in dataclasses.fields(cls) if f.init]
        if unknown := [s for s in static if s not in names]:
            raise ArgumentError(
                f"register: static: {', '.join(unknown)} is not a field of {cls.__name__} ({', '.join(names)})"
            )
        data = [n for n in names if n not in static]
        with _once("register", cls):
            REGISTRY.register_dataclass_node(cls, data, list(static))
        _STATIC[cls] = tuple(static)
        return cast("type[T]", cls)

    return decorate if cls is None else decorate(cls)
