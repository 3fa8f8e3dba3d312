"""Dicts with more than keys and values, as nodes of trees."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from effects.trees.keys import DictKey


def register_dicts(registry: Any) -> None:  # jaxlib's registry, which has no types
    """Make OrderedDict, in its order, and defaultdict, by sorted keys, nodes of a registry."""
    _register(registry, OrderedDict, list, lambda _: None, lambda _, items: OrderedDict(items))
    _register(registry, defaultdict, sorted, lambda tree: tree.default_factory, defaultdict)


def _register[T: dict[Any, Any]](
    registry: Any,
    cls: type[T],
    keys: Callable[[T], list[Any]],
    static: Callable[[T], Hashable],
    make: Callable[[Any, Any], T],
) -> None:
    """Register a class of dicts by its `keys` in order, its `static` data, and the constructor `make`."""

    def flatten(tree: T) -> tuple[list[object], tuple[Hashable, tuple[object, ...]]]:
        order = keys(tree)
        return [tree[key] for key in order], (static(tree), tuple(order))

    def with_keys(tree: T) -> tuple[list[tuple[object, object]], Hashable]:
        values, data = flatten(tree)
        return list(zip(map(DictKey, data[1]), values, strict=True)), data

    def rebuild(data: Any, children: Iterable[object]) -> T:
        return make(data[0], zip(data[1], children, strict=True))

    registry.register_node(cls, flatten, rebuild, with_keys)
