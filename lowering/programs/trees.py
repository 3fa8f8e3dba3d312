"""The arguments and results of a program in a file: a structure, its leaves, and its static data."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple, Self

from effects.arguments import counted, describe, shown
from effects.errors import ArgumentError, FileError, TreeError
from effects.files import structure
from effects.files.structure import Node
from effects.random.keys import Key
from effects.trees.pytree import TreeDef, tree_structure, tree_unflatten
from effects.types.avals import ShapedArray
from effects.types.dtypes import as_dtype
from handlers.transformations.calls.binding import NO_TEXT, Parameters, plain_text
from lowering.programs.sizes import Shape, Values, with_shapes

_WRITTEN: Final = (dict, OrderedDict, list, tuple, Key, type(None))
"""The nodes that a structure describes completely."""


class Leaf(NamedTuple):
    """A leaf: the name of its entry in the structure, the expression that reaches it, and its type."""

    entry: str
    path: str
    aval: ShapedArray


class Tree(NamedTuple):
    """A tree of types as data. `static` has the static fields of its classes, as text."""

    node: Node
    leaves: tuple[Leaf, ...]
    static: tuple[str, ...]

    @classmethod
    def of(
        cls, function: str, treedef: TreeDef, avals: Sequence[ShapedArray], names: Sequence[str] | None = None
    ) -> Self:
        """The tree of this structure; `function` is named in errors, and `names` replace the paths of the leaves.

        Raises TreeError for keys of dicts that are neither text nor numbers, ArgumentError for static fields that are
        no plain values.
        """
        node, entries = structure.described(tree_unflatten(treedef, avals), function, "result")
        paths = names or [path for path, _ in entries.values()]
        leaves = [Leaf(entry, path, aval) for entry, path, aval in zip(entries, paths, avals, strict=True)]
        return cls(_plain(node), tuple(leaves), tuple(_static(function, treedef)))

    @property
    def avals(self) -> tuple[ShapedArray, ...]:
        """The types of the leaves."""
        return tuple([leaf.aval for leaf in self.leaves])

    def at(self, shapes: Sequence[Shape], values: Values) -> Tree:
        """The same tree with the shapes for known sizes."""
        avals = with_shapes(self.avals, shapes, values)
        leaves = [leaf._replace(aval=aval) for leaf, aval in zip(self.leaves, avals, strict=True)]
        return self._replace(leaves=tuple(leaves))

    def check(self, function: str, tree: Tree, parameters: Parameters) -> None:
        """Raise TreeError where `tree`, the bound arguments of a call, have another structure than these."""
        named = [dict(arguments_of(tree.node, parameters)) for tree in (tree, self)]
        if named[0].keys() != named[1].keys():
            passed, takes = [", ".join(names) or "none" for names in named]
            raise TreeError(f"{function} was exported for the arguments {takes}, got {passed}")
        for name, node in named[0].items():
            for path, own, theirs in _differences(node, named[1][name], name):
                raise TreeError(f"{function}: {path} is {own}, and it was exported for {theirs}")
        for own, theirs in zip_longest(tree.static, self.static):
            if own != theirs:
                raise TreeError(f"{function}: an argument has a {own}, and it was exported for a {theirs}")

    def unflatten(self, where: str, like: object) -> Callable[[Sequence[object]], Any]:
        """Function from leaves to the tree, with the classes of `like`, a tree of the same structure.

        Raises FileError, which begins with `where`, if the tree has classes and `like` is None, or is another tree.
        """
        names = [leaf.entry for leaf in self.leaves]
        if like is None:
            treedef = tree_structure(structure.rebuilt(self.node, lambda name, _: name, where))
            return lambda leaves: tree_unflatten(treedef, leaves)
        like_described = structure.described(like, "load_program", "like")
        types = {name: aval.strong() for name, aval in zip(names, self.avals, strict=True)}
        structure.alike("load_program", where, types, self.node, like_described)
        order, treedef = [names.index(name) for name in like_described[1]], tree_structure(like)
        for own, theirs in zip_longest(_static("load_program", treedef), self.static):
            if own != theirs:
                raise FileError(f"{where}: the result has a {theirs}, and like has a {own}")
        return lambda leaves: tree_unflatten(treedef, [leaves[i] for i in order])

    def written(self) -> Mapping[str, Any]:
        """Description in the file, as JSON."""
        leaves = [[name, path, aval.dtype.name, aval.shape, aval.weak_type] for name, path, aval in self.leaves]
        return {"tree": self.node, "leaves": leaves, "static": self.static}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """Read from a file's description; ValueError if that is no tree."""
        leaves = [
            Leaf(name, path, ShapedArray(tuple(shape), as_dtype(dtype), weak))
            for name, path, dtype, shape, weak in document["leaves"]
        ]
        if not all([isinstance(leaf.path, str) for leaf in leaves]):
            raise ValueError("the paths of its leaves are not strings")
        if _entries(document["tree"]) != [leaf.entry for leaf in leaves]:
            raise ValueError(f"{shown(document['tree'])} is not a tree of its {counted(len(leaves), 'leaf', 'leaves')}")
        return cls(document["tree"], tuple(leaves), tuple(document["static"]))


def _plain(node: Any) -> Any:
    """A structure without the kinds of numbers that leaves were."""
    if isinstance(node, list):
        return [_plain(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    if len(node) == 1 and isinstance(name := next(iter(node.values())), str):
        return name
    return {kind: _plain(entry) for kind, entry in node.items()}


def _entries(node: Any) -> list[str]:
    """The names of a structure's entries, in the order of the leaves; ValueError for other data."""
    match node:
        case None:
            return []
        case str(name) | {"keys": str(name), "generator": str()}:
            return [name]
        case {"list": list(children)} | {"tuple": list(children)}:
            pass
        case {"dict": list(items)} | {"OrderedDict": list(items)} | {"class": str(), "children": list(items)}:
            if not all([isinstance(key, str | int | float) for key, _ in items]):
                raise ValueError(f"{shown(items)} are not items of a dict")
            children = [child for _, child in items]
        case _:
            raise ValueError(f"{shown(node)} is not a structure")
    return [name for child in children for name in _entries(child)]


def _static(function: str, treedef: TreeDef) -> list[str]:
    node_data = treedef.node_data()
    if node_data is None:
        return []
    cls, data = node_data
    of_children = [text for child in treedef.children() for text in _static(function, child)]
    if cls in _WRITTEN or data is None or data == ():
        return of_children
    if (text := plain_text(data)) == NO_TEXT:
        raise ArgumentError(
            f"{function}: {cls.__name__} has static data that a file cannot store, {describe(data)}; it may "
            "be strings, numbers, enumerations, tuples of these, and functions and classes of modules"
        )
    return [f"{cls.__name__} with {text}", *of_children]


def arguments_of(node: Any, parameters: Parameters) -> Iterator[tuple[str, Node]]:
    """The name and the structure of each argument, from the structure of `(args, kwargs)`."""
    positional, named = node["tuple"]
    children = positional["tuple"]
    yield from zip(parameters.names(len(children)), children, strict=True)
    yield from named["dict"]


def _differences(own: Node, theirs: Node, path: str) -> Iterator[tuple[str, str, str]]:
    """The differences of two structures: the path, and the words for either."""
    (kind, inside), (other, within) = _inside(own), _inside(theirs)
    if kind != other:
        yield path, kind, other
    elif list(inside) != list(within):
        yield path, f"{kind} of {_steps(inside)}", f"{kind} of {_steps(within)}"
    else:
        for step, child in inside.items():
            yield from _differences(child, within[step], path + step)


def _inside(node: Any) -> tuple[str, dict[str, Node]]:
    """The words for a node in messages, and its children by the suffixes of their expressions."""
    match node:
        case {"list": children}:
            return "a list", {f"[{i}]": child for i, child in enumerate(children)}
        case {"tuple": children}:
            return "a tuple", {f"[{i}]": child for i, child in enumerate(children)}
        case {"dict": items}:
            return "a dict", {f"[{key!r}]": child for key, child in items}
        case {"OrderedDict": items}:
            return "an OrderedDict", {f"[{key!r}]": child for key, child in items}
        case {"class": name, "children": items}:
            return f"a {name}", {
                f".{word}" if str(word).isidentifier() else f"[{word}]": child for word, child in items
            }
        case {"keys": _, "generator": generator}:
            return f"random keys of {generator}", {}
        case None:
            return "None", {}
        case _:
            return "an array", {}


def _steps(inside: Mapping[str, Node]) -> str:
    return shown(", ".join([step.strip("[].") for step in inside]) or "nothing", 100)[1:-1]
