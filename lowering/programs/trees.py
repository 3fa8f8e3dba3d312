"""The arguments and the results of a program as files have them: a structure, the leaves, what is static in it."""

from __future__ import annotations

import enum
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import zip_longest
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final, NamedTuple, Self

from effects.arguments import counted, describe, shown
from effects.errors import ArgumentError, FileError, TreeError
from effects.files import structure
from effects.files.structure import Node
from effects.random.keys import Key
from effects.trees.pytree import TreeDef, tree_structure, tree_unflatten
from effects.types.avals import ShapedArray
from effects.types.dtypes import as_dtype
from lowering.programs.sizes import Shape, Values, with_shapes

_WRITTEN: Final = (dict, OrderedDict, list, tuple, Key, type(None))
"""The nodes of which a structure says all."""


class Leaf(NamedTuple):
    """A leaf: the name of its entry in the structure, the expression that reaches it, and its type."""

    entry: str
    path: str
    aval: ShapedArray


class Tree(NamedTuple):
    """A tree of types as data. `static` is what its classes have of static fields, as text."""

    node: Node
    leaves: tuple[Leaf, ...]
    static: tuple[str, ...]

    @classmethod
    def of(
        cls, function: str, treedef: TreeDef, avals: Sequence[ShapedArray], names: Sequence[str] | None = None
    ) -> Self:
        """The tree of this structure; `function` is who asks, and `names` are those of the leaves, if not their paths.

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
        """The same tree with the shapes that follow from sizes."""
        avals = with_shapes(self.avals, shapes, values)
        leaves = [leaf._replace(aval=aval) for leaf, aval in zip(self.leaves, avals, strict=True)]
        return self._replace(leaves=tuple(leaves))

    def check(self, function: str, given: Tree) -> None:
        """Raise TreeError where `given`, what a function is called with, has another structure than this."""
        for path, kind, other in structure.differences(given.node, self.node, ""):
            at = path.replace("[0]", "args", 1) if path.startswith("[0]") else path.replace("[1]", "kwargs", 1)
            raise TreeError(f"{function}: {at} is {kind}, and it takes {other}")
        if given.node != self.node:
            raise TreeError(f"{function}: the arguments are {shown(given.node, 300)}, it takes {shown(self.node, 300)}")
        for here, there in zip_longest(given.static, self.static):
            if here != there:
                raise TreeError(f"{function}: an argument has a {here}, and it was exported for a {there}")

    def unflatten(self, where: str, like: object) -> Callable[[Sequence[object]], Any]:
        """What makes the tree of leaves; with the classes of `like`, a tree of the same structure, if it has some.

        FileError, which begins with `where`, where it has some and `like` is None or another tree.
        """
        names = [leaf.entry for leaf in self.leaves]
        if like is None:
            treedef = tree_structure(structure.rebuilt(self.node, lambda name, _: name, where))
            return lambda leaves: tree_unflatten(treedef, leaves)
        wanted = structure.described(like, "load_program", "like")
        types = {name: aval.strong() for name, aval in zip(names, self.avals, strict=True)}
        structure.alike("load_program", where, types, self.node, wanted)
        order, treedef = [names.index(name) for name in wanted[1]], tree_structure(like)
        for here, there in zip_longest(_static("load_program", treedef), self.static):
            if here != there:
                raise FileError(f"{where}: the result has a {there}, and like has a {here}")
        return lambda leaves: tree_unflatten(treedef, [leaves[i] for i in order])

    def written(self) -> Mapping[str, Any]:
        """What a file says of it."""
        leaves = [[name, path, aval.dtype.name, aval.shape, aval.weak_type] for name, path, aval in self.leaves]
        return {"tree": self.node, "leaves": leaves, "static": self.static}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Self:
        """Back from what a file says; ValueError where that is no tree."""
        leaves = [
            Leaf(name, path, ShapedArray(tuple(shape), as_dtype(dtype), weak))
            for name, path, dtype, shape, weak in told["leaves"]
        ]
        if _entries(told["tree"]) != [leaf.entry for leaf in leaves]:
            raise ValueError(f"{shown(told['tree'])} is no tree of its {counted(len(leaves), 'leaf', 'leaves')}")
        return cls(told["tree"], tuple(leaves), tuple(told["static"]))


def _plain(node: Any) -> Any:
    """A structure that does not say what kind of number a leaf was."""
    if isinstance(node, list):
        return [_plain(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    if len(node) == 1 and isinstance(name := next(iter(node.values())), str):
        return name
    return {kind: _plain(entry) for kind, entry in node.items()}


def _entries(node: Any) -> list[str]:
    """The names of the entries of a structure, in the order of the leaves; ValueError for what is none."""
    match node:
        case None:
            return []
        case str(name) | {"keys": str(name), "generator": str()}:
            return [name]
        case {"list": list(children)} | {"tuple": list(children)}:
            pass
        case {"dict": list(items)} | {"OrderedDict": list(items)} | {"class": str(), "children": list(items)}:
            children = [child for _, child in items]
        case _:
            raise ValueError(f"{shown(node)} is no structure")
    return [name for child in children for name in _entries(child)]


def _static(function: str, treedef: TreeDef) -> list[str]:
    found = treedef.node_data()
    if found is None:
        return []
    cls, data = found
    of_children = [text for child in treedef.children() for text in _static(function, child)]
    if cls in _WRITTEN or data is None or data == ():
        return of_children
    return [f"{cls.__name__} with {_text(function, cls, data)}", *of_children]


def _text(function: str, cls: type, value: Any) -> str:
    """A static value as text, by which it is known again; ArgumentError for what has none."""
    if value is None or (
        isinstance(value, bool | int | float | complex | str | bytes) and not isinstance(value, enum.Enum)
    ):
        return repr(value)
    if isinstance(value, tuple):
        return f"({', '.join([_text(function, cls, entry) for entry in value])})"
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if (
        isinstance(value, type | FunctionType | BuiltinFunctionType)
        and _reached(value.__module__, value.__qualname__) is value
    ):
        return f"{value.__module__}.{value.__qualname__}"
    raise ArgumentError(
        f"{function}: {cls.__name__} has static data that a file cannot tell from others, {describe(value)}; it may be "
        "text, numbers, enumerations, tuples of these, and functions and classes of modules"
    )


def _reached(module: str | None, name: str) -> object:
    found: object = sys.modules.get(module or "")
    return reduce(lambda value, part: getattr(value, part, None), name.split("."), found)
