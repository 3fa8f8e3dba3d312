"""Pytrees: nested containers of arrays, flattened and rebuilt.

A typed surface over jaxlib's C++ registry (this library's own instance of it). Tuples, lists, dicts (OrderedDict and
defaultdict, too), None, NamedTuples and registered classes are nodes; everything else is a leaf.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast, overload

from typing_extensions import TypeVar

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")  # XLA reads it when it is loaded; its log is not for users

from jaxlib import _jax  # type: ignore[attr-defined]  # a compiled module without stubs

from effects.arguments import check_callable, flag, refusal, shown
from effects.errors import TreeError
from effects.runtime.cpython.c_stack import counted_back
from effects.trees.dicts import register_dicts
from effects.trees.keys import Path, key_str, path_str

if TYPE_CHECKING:
    from typing import Generic

    from typing_extensions import TypeVar

    from effects.arrays.array import Array

    T_co = TypeVar("T_co", default=Any, covariant=True)

    class TreeDef(Generic[T_co]):
        """The structure of a tree `T`: hashable, and equal for equal structures."""

        num_leaves: int
        num_nodes: int

        def unflatten(self, leaves: Iterable[object], /) -> T_co:
            raise NotImplementedError

        def flatten_up_to(self, tree: object, /) -> list[Any]:
            raise NotImplementedError

        def node_data(self) -> tuple[type, object] | None:
            raise NotImplementedError

        def children(self) -> list[TreeDef]:
            raise NotImplementedError

        def __getstate__(self) -> tuple[object, list[tuple[int, int, object, type | None, int, int]]]:
            """The registry, and for each node: kind, arity, data, registered class, numbers of leaves and nodes."""
            raise NotImplementedError

else:
    TreeDef = _jax.pytree.PyTreeDef

REGISTRY: Final = _jax.pytree.PyTreeRegistry()
REGISTRY.__module__, REGISTRY.__name__ = __name__, "REGISTRY"  # the module in which pickled structures find it


_DEEPEST: Final = 500
LEAF: Final = REGISTRY.flatten(0)[1]
"""The structure of a single leaf."""


register_dicts(REGISTRY)


def tree_flatten[T](tree: T, is_leaf: Callable[[object], bool] | None = None) -> tuple[list[Any], TreeDef[T]]:
    """The leaves of a tree in order, and its structure; a node is a leaf where `is_leaf` is true of it.

    >>> import effects as fx
    >>> fx.tree_flatten({"b": (1, 2), "a": 3})[0]
    [3, 1, 2]
    """
    if is_leaf is not None:
        return _flatten_until("tree_flatten", REGISTRY.flatten, tree, is_leaf)  # type: ignore[no-any-return]  # as below
    try:
        return REGISTRY.flatten(tree, None)  # type: ignore[no-any-return]  # a compiled module without stubs
    except BaseException as error:
        _fail(REGISTRY.flatten, tree, None, error)


def _flatten_until(function: str, flatten: Callable[..., Any], tree: object, is_leaf: Callable[[object], bool]) -> Any:
    """`flatten(tree, is_leaf)`, with errors of `is_leaf` kept from the registry, which does not clean up after any."""
    check_callable(function, is_leaf, "is_leaf")
    _refuse_deep(tree)
    errors: list[BaseException] = []

    def guarded(*values: object) -> bool:  # the value, which follows its path in flattening with paths
        if errors:
            return True
        try:
            return flag(function, "the result of is_leaf", is_leaf(values[-1]))
        except BaseException as error:  # it is raised below
            errors.append(error)
            return True

    try:
        flattened = flatten(tree, guarded)
    except BaseException as error:
        _fail(flatten, tree, guarded, error)
    if errors:
        raise errors[0]
    return flattened


def _refuse_deep(tree: object) -> None:
    """Raise TreeError for a tree that is nested deeper than the registry goes, such as one that holds itself."""
    waiting: list[tuple[object, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > _DEEPEST:
            raise TreeError(f"not a pytree: it is nested more than {_DEEPEST} deep, or contains itself")
        try:
            level = REGISTRY.flatten_one_level(node)
        except ValueError:  # keys without an order, for which the whole tree is refused
            return
        if level is not None:
            waiting += [(child, depth + 1) for child in level[0]]


def _fail(flatten: Callable[..., Any], tree: object, is_leaf: object, error: BaseException) -> NoReturn:
    """Raise the error of a tree that the registry cannot flatten; an error of a user's class is raised unchanged."""
    if not isinstance(error, SystemError):
        counted_back(flatten, tree, is_leaf)
    if isinstance(error, SystemError | RecursionError):
        raise TreeError("not a pytree: it is nested too deeply, or contains itself") from None
    raise _refusal(tree, error) if isinstance(error, ValueError) else error


def _refusal(tree: object, error: ValueError) -> TreeError:
    """The error of a tree whose keys have no order, or with an object that is neither node nor leaf."""
    waiting: list[tuple[str, object]] = [("", tree)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, dict):
            try:
                keys = sorted(node)
            except TypeError:
                at = f" at {path}" if path else ""
                return TreeError(f"the keys of the dict{at} have no order: {list(node)!r}; use keys of one type")
            waiting += [(f"{path}[{key!r}]", node[key]) for key in keys]
        elif isinstance(node, list | tuple):
            waiting += [(f"{path}[{index}]", child) for index, child in enumerate(node)]
    return TreeError(f"not a pytree: {error}")


def tree_unflatten[T](treedef: TreeDef[T], leaves: Iterable[object]) -> T:
    """The tree of this structure with these leaves. Raises TreeError for another number of them.

    The type checker takes it for a tree like that of the structure, as it is with leaves of the same kind.

    >>> import effects as fx
    >>> fx.tree_unflatten(fx.tree_structure({"a": 0, "b": (0, 0)}), [1, 2, 3])
    {'a': 1, 'b': (2, 3)}
    """
    try:
        return treedef.unflatten(leaves)
    except (AttributeError, TypeError, ValueError) as error:
        raise _misfit(treedef, leaves, error) from None


def _misfit(treedef: object, leaves: object, error: Exception) -> Exception:
    """The error of leaves that do not fit a structure; an error of a user's class is returned unchanged."""
    if not isinstance(treedef, _jax.pytree.PyTreeDef):
        return refusal("tree_unflatten", "treedef", "the structure of a tree", treedef)
    if not isinstance(leaves, Iterable) or getattr(leaves, "shape", None) == ():
        return refusal("tree_unflatten", "leaves", "a sequence of leaves", leaves)
    if isinstance(error, ValueError) and "leaves for PyTreeDef" in str(error):
        count = f", got {len(leaves)}" if isinstance(leaves, Sized) else ""
        return TreeError(
            f"tree_unflatten: leaves must be {treedef.num_leaves}, as many as those of treedef {treedef}{count}"
        )
    return error


type Leaves[L] = L | Mapping[Any, Leaves[L]] | Sequence[Leaves[L]] | None
"""Type of a tree of leaves `L`, made of lists, tuples and dicts."""


@overload
def tree_leaves[L: Array](tree: Leaves[L], is_leaf: None = None) -> list[L]: ...
@overload
def tree_leaves(tree: object, is_leaf: Callable[[object], bool] | None = None) -> list[Any]: ...
def tree_leaves(tree: object, is_leaf: Callable[[object], bool] | None = None) -> list[Any]:
    """The leaves of a tree in order: dicts by sorted keys.

    >>> import effects as fx
    >>> fx.tree_leaves([1, (2, None), {"x": 3}])
    [1, 2, 3]
    """
    if is_leaf is not None:
        leaves: list[Any] = _flatten_until("tree_leaves", REGISTRY.flatten, tree, is_leaf)[0]
        return leaves
    try:
        return REGISTRY.flatten(tree, None)[0]  # type: ignore[no-any-return]  # as above
    except BaseException as error:
        _fail(REGISTRY.flatten, tree, None, error)


def tree_structure[T](tree: T, is_leaf: Callable[[object], bool] | None = None) -> TreeDef[T]:
    """The structure of a tree without its leaves; hashable.

    >>> import effects as fx
    >>> fx.tree_structure([1, 2]) == fx.tree_structure([3.0, None])
    False
    """
    return (
        tree_flatten(tree)[1]
        if is_leaf is None
        else _flatten_until("tree_structure", REGISTRY.flatten, tree, is_leaf)[1]
    )


def tree_leaves_with_path(tree: object, is_leaf: Callable[[object], bool] | None = None) -> list[tuple[str, Any]]:
    """The leaves of a tree, each with the expression that reaches it.

    >>> import effects as fx
    >>> fx.tree_leaves_with_path({"w": [1, 2]})
    [("['w'][0]", 1), ("['w'][1]", 2)]
    """
    return [(path_str(path), leaf) for path, leaf in flatten_with_path(tree, is_leaf)[0]]


def flatten_with_path(
    tree: object, is_leaf: Callable[[object], bool] | None, function: str = "tree_leaves_with_path"
) -> tuple[list[tuple[Path, Any]], TreeDef]:
    """The leaves of a tree, each with the keys that lead to it, and its structure. Errors name `function`."""
    if is_leaf is not None:
        return _flatten_until(function, REGISTRY.flatten_with_path, tree, is_leaf)  # type: ignore[no-any-return]  # as below
    tree_flatten(tree)  # which raises the error of a bad tree
    try:
        return REGISTRY.flatten_with_path(tree, None)  # type: ignore[no-any-return]  # a compiled module without stubs
    except BaseException as error:
        _fail(REGISTRY.flatten_with_path, tree, None, error)


T = TypeVar("T")
R = TypeVar("R", default=T)


def tree_map(  # noqa: UP047  # R has a default
    f: Callable[..., object], tree: T, /, *rest: object, is_leaf: Callable[[object], bool] | None = None
) -> R:
    """The tree of `f(leaf, *leaves of rest)`; the trees in `rest` have at least the structure of the first.

    The type checker takes it for a tree like the first, as it is when `f` gives leaves of the same kind, or for what
    the program declares: `sizes: dict[str, int] = tree_map(...)`.

    Raises TreeError naming the place where a structure differs.

    >>> import effects as fx
    >>> fx.tree_map(lambda x, y: x + y, {"a": 1, "b": (2, 3)}, {"a": 10, "b": (20, 30)})
    {'a': 11, 'b': (22, 33)}
    """
    check_callable("tree_map", f, "f")
    flattened = tree_flatten(tree) if is_leaf is None else _flatten_until("tree_map", REGISTRY.flatten, tree, is_leaf)
    leaves, treedef = flattened
    columns = [leaves]
    for position, other in enumerate(rest, 2):
        columns.append(flatten_up_to(treedef, tree, other, f"tree_map: tree {position}"))
    return cast(R, treedef.unflatten([f(*row) for row in zip(*columns, strict=True)]))


def flatten_up_to(treedef: TreeDef, tree: object, other: object, subject: str) -> list[Any]:
    """The subtrees of `other` at the leaves of `treedef`, the structure of `tree`.

    Raises TreeError that begins with `subject` and names the first difference.
    """
    return _subtrees(treedef, tree, other, lambda difference: f"{subject} {difference}")


def broadcast_prefix(prefix: object, tree: object, message: Callable[[str], str]) -> list[Any]:
    """For each leaf of `tree` the leaf of `prefix`, a tree prefix, that stands for it; leaves may be None.

    Raises TreeError with the `message` of the first difference.
    """
    leaves, treedef = tree_flatten(prefix, lambda leaf: leaf is None)
    if treedef == LEAF:
        return leaves * len(tree_leaves(tree))
    subtrees = _subtrees(treedef, treedef.unflatten(range(len(leaves))), tree, message)
    return [leaf for leaf, subtree in zip(leaves, subtrees, strict=True) for _ in tree_leaves(subtree)]


def _subtrees(treedef: TreeDef, tree: object, other: object, message: Callable[[str], str]) -> list[Any]:
    try:
        return treedef.flatten_up_to(other)
    except Exception:  # also an error of the repr of a leaf, which the registry calls
        tree_flatten(other)  # which raises the error of a bad tree
        raise TreeError(message(structure_difference(tree, other))) from None


def check_like(subject: str, tree: object, name: str, other: object) -> None:
    """Raise TreeError unless a tree has the structure of another one, of this name."""
    if tree_structure(tree) != tree_structure(other):
        raise TreeError(f"{subject}, which must be a tree like {name}, {structure_difference(other, tree)}")


def structure_difference(tree: object, other: object) -> str:
    """Words for the first difference between the structures of `other` and `tree`, to follow a subject."""
    for prefix in (True, False):  # a leaf that stands for a whole subtree is a difference only if there is no other
        if (difference := _difference(tree, other, "", prefix)) is not None:
            return difference
    return f"has structure {tree_structure(other)}, expected {tree_structure(tree)}"


def _difference(tree: object, other: object, path: str, prefix: bool) -> str | None:
    ours, theirs = REGISTRY.flatten_one_level_with_keys(tree), REGISTRY.flatten_one_level_with_keys(other)
    where = f"at {path}" if path else "at the top"
    if ours is None:
        advice = "; write stack(…) for one array of several" if type(other) in (list, tuple) else ""
        return (
            None if prefix or theirs is None else f"differs {where}: expected one array, got {_summary(other)}{advice}"
        )
    if theirs is None or type(tree) is not type(other):
        advice = "; write asarray(…) of a list that is meant as one" if type(tree) is list and theirs is None else ""
        return f"differs {where}: expected a {type(tree).__name__}, got {_summary(other)}{advice}"
    our_children, their_children = list(ours[0]), list(theirs[0])
    our_keys = [key_str(k) for k, _ in our_children]
    their_keys = [key_str(k) for k, _ in their_children]
    if our_keys != their_keys:
        if missing := [k for k in our_keys if k not in their_keys]:
            return f"differs {where}: {', '.join(missing)} is missing"
        extra = [k for k in their_keys if k not in our_keys]
        return f"differs {where}: {', '.join(extra)} is not expected"
    for (key, child), (_, other_child) in zip(our_children, their_children, strict=True):
        if (difference := _difference(child, other_child, path + key_str(key), prefix)) is not None:
            return difference
    return None


def _summary(value: object) -> str:
    if (aval := getattr(value, "aval", None)) is not None:
        return f"an array, {aval}"
    return "None" if value is None else f"{type(value).__name__} {shown(value)}"
