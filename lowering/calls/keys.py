"""Cache keys of calls: the types, structure and devices of the arguments, and the values of static ones.

The parts of all arguments form one key, so each part has a definite length.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from operator import itemgetter
from typing import Any, Final

from effects.arrays.concrete import Concrete
from effects.errors import ArgumentError
from effects.runtime.caches import PLAIN, exact_key, memoised
from effects.runtime.cpython.c_stack import counted_back
from effects.trees.pytree import REGISTRY, TreeDef, tree_structure
from lowering.arrays import arrays_of, placed, shared_number
from lowering.pjrt import BUFFER, DEVICES, default_device


def add_tree(tree: object, call_key: list[Hashable], buffers: list[Any], shared: bool) -> bool:
    """Add the key and the buffers of a tree of arrays and numbers; False if it has other leaves.

    The buffers of numbers are `shared` with other calls. Also False for arrays on the host if there are several
    devices, since the other arguments then decide their device.
    """
    if ((cls := type(tree)) is float or cls is int) and shared and len(DEVICES) == 1:
        try:
            aval, buffer = shared_number(tree)
        except ArgumentError:
            return False
        call_key.append(aval)
        buffers.append(buffer)
        return True
    try:
        flattened = _dict_of_arrays(tree) if type(tree) is dict else None
        if flattened is None:
            leaves, treedef = REGISTRY.flatten(tree, None)
            flattened = leaves, treedef, _on_device(leaves)
    except Exception as error:
        if not isinstance(error, SystemError):
            counted_back(REGISTRY.flatten, tree, None)
        return False  # flattening all arguments raises it again
    leaves, treedef, placed_leaves = flattened
    if len(placed_leaves) != len(leaves):
        arrays = arrays_of(leaves) if len(DEVICES) == 1 else None
        if arrays is None:
            return False
        leaves, placed_leaves = arrays, placed(arrays, default_device(), shared=shared)
    places = [buffer._sharding for buffer in placed_leaves] if len(DEVICES) > 1 else ()
    call_key.append((treedef, *[x.aval for x in leaves], *places))
    buffers += placed_leaves
    return True


def add_named(
    kwargs: dict[str, Any], static_names: Sequence[str], call_key: list[Hashable], buffers: list[Any], shared: bool
) -> bool:
    """Add arguments by name to the key, as `add_tree` does, each after its name."""
    for name in kwargs if len(kwargs) == 1 else sorted(kwargs):
        x = kwargs[name]
        cls = type(x)
        if name in static_names:
            call_key.append((name, cls, x) if cls in PLAIN else (name, exact_key(x)))
        elif cls is Concrete and type(data := x.stored) is BUFFER:
            call_key.append((name, x.aval, data._sharding) if len(DEVICES) > 1 else (name, x.aval))
            buffers.append(data)
        else:
            call_key.append(name)
            if not add_tree(x, call_key, buffers, shared):
                return False
    return True


def _dict_of_arrays(tree: dict[Any, Any]) -> tuple[Sequence[Any], TreeDef, list[Any]] | None:
    """The leaves of a dict of arrays on the device, its structure and the buffers, in half the registry's time."""
    if not 1 < len(tree) <= _MOST_KEYS or type(next(iter(tree.values()))) is not Concrete:
        return None
    leaves_of, treedef = _of_keys(tuple(tree))
    leaves = leaves_of(tree)
    buffers_ = _on_device(leaves)
    return (leaves, treedef, buffers_) if len(buffers_) == len(leaves) else None


def _on_device(leaves: Sequence[Any]) -> list[Any]:
    """The buffers of those that are arrays on the device."""
    return [data for x in leaves if type(x) is Concrete and type(data := x.stored) is BUFFER]


@memoised
def _of_keys(keys: tuple[Hashable, ...]) -> tuple[Callable[[dict[Any, Any]], tuple[Any, ...]], TreeDef]:
    tree = dict.fromkeys(keys, 0)
    return itemgetter(*sorted(tree)), tree_structure(tree)  # type: ignore[type-var]  # TypeError for keys without order


_MOST_KEYS: Final = 100
