"""What the arguments of a call are known by: their types and structure, and what of them is static.

What is told of several arguments in a row is a key, so it says where each part ends.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from operator import itemgetter
from typing import Any, Final

from effects.arrays.concrete import Concrete
from effects.runtime.caches import PLAIN, exactly, memoised
from effects.trees.pytree import REGISTRY, TreeDef, tree_structure
from lowering.arrays import placed
from lowering.pjrt import BUFFER, DEVICES


def tell_tree(tree: object, told: list[Hashable], buffers: list[Any], shared: bool) -> bool:
    """Add what a tree of arrays and numbers is known by, and its buffers; False where it is something else.

    The buffers of numbers are `shared` with other calls. Where arrays on the host belong is seen when there is one
    device only; otherwise it depends on what else there is in the call.
    """
    try:
        leaves, treedef = _dict_of_arrays(tree) or REGISTRY.flatten(tree, None)
    except (TypeError, ValueError, SystemError):  # which is raised again when all arguments are taken apart
        return False
    found: list[Any] = [data for x in leaves if type(x) is Concrete and type(data := x.stored) is BUFFER]
    if len(found) != len(leaves):
        put = placed(leaves, shared=shared) if len(DEVICES) == 1 else None
        if put is None:
            return False
        leaves, found = put
    told.append((treedef, *[x.aval for x in leaves]))
    buffers += found
    return True


def tell_named(
    kwargs: dict[str, Any], static_names: Sequence[str], told: list[Hashable], buffers: list[Any], shared: bool
) -> bool:
    """As `tell_tree`, for arguments by name, of which some are static; a dict by position is told apart from them."""
    told.append(_NAMED)
    n_static = 0
    for name in static_names:
        if name in kwargs:
            x = kwargs[name]
            told.append((name, cls, x) if (cls := type(x)) in PLAIN else (name, exactly(x)))
            n_static += 1
    if n_static == len(kwargs):
        return True
    return tell_tree({name: x for name, x in kwargs.items() if name not in static_names}, told, buffers, shared)


def _dict_of_arrays(tree: object) -> tuple[Sequence[Any], TreeDef] | None:
    """The leaves and the structure of a dict of arrays, in half the time that the registry takes; None for others."""
    if type(tree) is not dict or not 1 < len(tree) <= _MOST_KEYS:
        return None
    leaves_of, treedef = _of_keys(tuple(tree))
    leaves = leaves_of(tree)
    return (leaves, treedef) if _ARRAYS.issuperset(map(type, leaves)) else None


@memoised
def _of_keys(keys: tuple[Hashable, ...]) -> tuple[Callable[[dict[Any, Any]], tuple[Any, ...]], TreeDef]:
    tree = dict.fromkeys(keys, 0)
    return itemgetter(*sorted(tree)), tree_structure(tree)  # type: ignore[type-var]  # TypeError for keys without order


_NAMED: Final = "by name:"
_ARRAYS: Final = frozenset({Concrete})
_MOST_KEYS: Final = 100
