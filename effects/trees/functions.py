"""More functions of pytrees: paths of leaves, prefixes, functions and vectors as trees."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self, final

from effects.arguments import check_callable, refusal
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, as_leaf
from effects.errors import DTypeError, ShapeError, TreeError
from effects.functions.creation.creation import zeros
from effects.functions.data_types import result_type
from effects.functions.elementwise.unary import real
from effects.functions.manipulation.movement import concat, reshape
from effects.trees.keys import GetAttrKey, Path
from effects.trees.pytree import (
    LEAF,
    TreeDef,
    flatten_up_to,
    flatten_with_path,
    tree_flatten,
    tree_leaves_with_path,
    tree_structure,
)
from effects.trees.registration import register_node
from effects.types.avals import ShapedArray
from effects.types.dtypes import Complex, DType


def tree_flatten_with_path(
    tree: object, is_leaf: Callable[[object], bool] | None = None
) -> tuple[list[tuple[Path, Any]], TreeDef]:
    """The leaves of a tree, each with its path, a tuple of keys; and its structure.

    A key is a `SequenceKey` (`idx`), a `DictKey` (`key`), a `GetAttrKey` (`name`), or a `FlattenedIndexKey` (`key`) of
    a class registered without keys. `path_str` writes a path as an expression.

    >>> import effects as fx
    >>> leaves, _ = fx.tree_flatten_with_path({"w": [1, 2]})
    >>> leaves[1]
    ((DictKey(key='w'), SequenceKey(idx=1)), 2)
    """
    leaves, treedef = flatten_with_path(tree, is_leaf, "tree_flatten_with_path")
    return [(tuple(path), leaf) for path, leaf in leaves], treedef


def tree_map_with_path[T](
    f: Callable[..., object], tree: T, /, *rest: object, is_leaf: Callable[[object], bool] | None = None
) -> T:
    """The tree of `f(path, leaf, *leaves of rest)`; see `tree_flatten_with_path` and `tree_map`.

    >>> import effects as fx
    >>> fx.tree_map_with_path(lambda path, x: fx.path_str(path) + "!", {"a": 1, "b": (2,)})
    {'a': "['a']!", 'b': ("['b'][0]!",)}
    """
    check_callable("tree_map_with_path", f)
    leaves, treedef = tree_flatten_with_path(tree, is_leaf)
    columns = [
        flatten_up_to(treedef, tree, other, f"tree_map_with_path: tree {position}")
        for position, other in enumerate(rest, 2)
    ]
    rows = zip(leaves, *columns, strict=True)
    mapped: T = treedef.unflatten([f(path, leaf, *others) for (path, leaf), *others in rows])
    return mapped


def tree_transpose(outer: TreeDef, inner: TreeDef | None, tree: object) -> Any:
    """A tree of structure `outer` of trees of structure `inner`, as one of structure `inner` of `outer`.

    With None for `inner` it is the structure of what stands at the first leaf of `outer`.

    Raises TreeError naming the place where `tree` has another structure.

    >>> import effects as fx
    >>> pairs = [(1, "a"), (2, "b"), (3, "c")]
    >>> fx.tree_transpose(fx.tree_structure([0, 0, 0]), fx.tree_structure((0, 0)), pairs)
    ([1, 2, 3], ['a', 'b', 'c'])
    """
    for name, structure in [("outer", outer)] if inner is None else [("outer", outer), ("inner", inner)]:
        if type(structure) is not type(LEAF):
            raise refusal("tree_transpose", name, "the structure of a tree", structure, "see tree_structure")
    places = _places(outer)
    columns = flatten_up_to(outer, places, tree, "tree_transpose: the outer structure")
    if inner is None:
        if not columns:
            raise TreeError("tree_transpose: the outer structure has no leaves, so that inner has to be given")
        inner = tree_structure(columns[0])
    within = _places(inner)
    rows = [
        flatten_up_to(inner, within, column, f"tree_transpose: the inner structure at {path or 'the top'}")
        for (path, _), column in zip(tree_leaves_with_path(places), columns, strict=True)
    ]
    return inner.unflatten([outer.unflatten([row[i] for row in rows]) for i in range(inner.num_leaves)])


def _places(treedef: TreeDef) -> Any:
    return treedef.unflatten(range(treedef.num_leaves))


def tree_broadcast(prefix: object, tree: object, is_leaf: Callable[[object], bool] | None = None) -> Any:
    """A tree of the structure of `tree`, whose leaves are those of `prefix`, each in all of what stands at its place.

    Raises TreeError naming the place where `tree` does not begin as `prefix` does.

    >>> import effects as fx
    >>> fx.tree_broadcast({"a": 1, "b": 2}, {"a": 10, "b": [20, (30, 40)]})
    {'a': 1, 'b': [2, (2, 2)]}
    """
    leaves, treedef = tree_flatten(prefix, is_leaf)
    parts = flatten_up_to(treedef, prefix, tree, "tree_broadcast: the tree, whose beginning the prefix must be,")
    counts = [tree_structure(part, is_leaf).num_leaves for part in parts]
    spread = [leaf for leaf, count in zip(leaves, counts, strict=True) for _ in range(count)]
    return tree_structure(tree, is_leaf).unflatten(spread)


class Partial[R](functools.partial[R]):
    """`functools.partial` as a pytree: the arguments it holds are its children, the function is part of its structure.

    So a function goes where arrays go: through `jit` as an argument, into the carry of a loop, out of `vmap`.

    >>> import effects as fx
    >>> scale = fx.Partial(lambda factor, x: factor * x, 2.0)
    >>> fx.tree_flatten(scale)[0]
    [2.0]
    >>> scale(fx.ones(2))
    Array([2., 2.], float64)
    """

    def __new__(cls, f: Callable[..., R], /, *args: Any, **keywords: Any) -> Self:
        check_callable("Partial", f)
        return super().__new__(cls, f, *args, **keywords)


def _partial_of(f: Any, children: Sequence[Any]) -> Partial[Any]:
    args, keywords = children
    return Partial(f, *args, **keywords)


register_node(
    Partial,
    lambda p: ((p.args, p.keywords), p.func),
    _partial_of,
    keys=lambda p: (GetAttrKey("args"), GetAttrKey("keywords")),
)


@final
class Unravel[T](NamedTuple):
    """From a vector back to the tree that `ravel_pytree` made it of; equal for equal structures and types."""

    treedef: TreeDef[T]
    avals: tuple[ShapedArray, ...]
    dtype: type[DType]

    def __call__(self, flat: object) -> T:
        """The tree whose leaves `flat` holds one after the other, in their own dtypes.

        Raises ShapeError or DTypeError where it is no such vector.
        """
        vector = as_array(flat, "unravel", "flat")
        size = sum([aval.size for aval in self.avals])
        if vector.aval.shape != (size,):
            raise ShapeError(f"unravel: flat must have shape {[size]}, got {vector.aval}")
        if vector.aval.dtype is not self.dtype:
            raise DTypeError(f"unravel: flat must be {self.dtype}, got {vector.aval}; convert it with astype")
        ends = list(itertools.accumulate([aval.size for aval in self.avals], initial=0))
        leaves: list[Array] = []
        for aval, begin, end in zip(self.avals, ends, ends[1:], strict=False):
            part = reshape(vector[begin:end], aval.shape)
            if issubclass(self.dtype, Complex) and not issubclass(aval.dtype, Complex):
                part = real(part)
            leaves.append(part.astype(aval.dtype))
        return self.treedef.unflatten(leaves)


def ravel_pytree[T](tree: T) -> tuple[Array, Unravel[T]]:
    """The leaves of a tree of arrays as one vector, and the function that makes the tree of such a vector.

    The vector has the dtype that all leaves meet in. The function is hashable, so that it may be a static argument.

    >>> import effects as fx
    >>> flat, unravel = fx.ravel_pytree({"w": fx.ones(2), "b": 3.0})
    >>> flat
    Array([3., 1., 1.], float64)
    >>> unravel(2.0 * flat)
    {'b': Array(6., float64), 'w': Array([2., 2.], float64)}
    """
    paths = tree_leaves_with_path(tree)
    arrays = [as_leaf(leaf, "ravel_pytree", f"tree{path}") for path, leaf in paths]
    treedef = tree_structure(tree)
    avals = tuple([array.aval.strong() for array in arrays])
    if not arrays:
        return zeros(0), Unravel(treedef, (), zeros(0).dtype)
    dtype = result_type(*[aval.dtype for aval in avals])
    flat = concat([reshape(array.astype(dtype), (array.aval.size,)) for array in arrays])
    return flat, Unravel(treedef, avals, dtype)
