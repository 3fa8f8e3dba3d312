"""The structure of a tree as data, stored in a file beside its arrays, and the names of these.

A leaf is the name of its entry, or `{kind: name}` for a number of Python's and for a weakly typed array. A node is
`{kind: children}`, and random keys are `{"keys": name, "generator": name}`. Of other classes only the names are
written: reading a file creates no objects of classes.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from effects.arguments import shown
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, scalar
from effects.errors import FileError, TreeError
from effects.random.keys import Key, key_array
from effects.trees.keys import DictKey, FlattenedIndexKey, GetAttrKey, SequenceKey, key_str
from effects.trees.pytree import REGISTRY, tree_flatten
from effects.types import dtypes
from effects.types.avals import ShapedArray

type Node = str | Mapping[str, Any] | None

RESERVED: Final = ("__tree__", "__metadata__")
"""Names of entries that are reserved for the format."""

_SEQUENCES: Final[dict[type, str]] = {list: "list", tuple: "tuple"}
_MAPPINGS: Final[dict[type, str]] = {dict: "dict", OrderedDict: "OrderedDict"}
_KINDS: Final = {bool: "bool", int: "int", float: "float", complex: "complex"}
_OF_LEAVES: Final = ("weak", *_KINDS.values())
NUMBERS: Final = tuple(_KINDS)
_LONGEST: Final = 200

type Entries = dict[str, tuple[str, object]]
"""The leaves of a tree by the names of their entries, each with the expression that reaches it."""


def described(tree: object, function: str, argument: str) -> tuple[Node, Entries]:
    """The structure of a tree and its leaves; `function` and `argument` name it in errors.

    Raises TreeError for what a file cannot keep: keys of dicts that are neither text nor numbers.
    """
    entries: Entries = {}

    def named(keys: tuple[object, ...], leaf: object) -> str:
        plain = ".".join([_word(key) for key in keys]) or "array"
        plain = "".join([c if c.isprintable() else "_" for c in plain])[:_LONGEST]
        name, number = plain, 1
        while name in entries or name in RESERVED:
            number += 1
            name = f"{plain}#{number}"
        entries[name] = (argument + "".join(map(key_str, keys)), leaf)
        return name

    def node(tree: object, keys: tuple[object, ...]) -> Node:
        level = REGISTRY.flatten_one_level_with_keys(tree)
        if level is None:
            name, number = named(keys, tree), _KINDS.get(type(tree))
            weak = isinstance(tree, Array) and tree.aval.weak_type
            return {"weak": name} if weak else name if number is None else {number: name}
        if tree is None:
            return None
        kind = type(tree)
        if isinstance(tree, Key):
            return {"keys": named((*keys, GetAttrKey("data")), tree.data), "generator": tree.impl}
        children = [(key, node(child, (*keys, key))) for key, child in level[0]]
        if kind in _SEQUENCES:
            return {_SEQUENCES[kind]: [child for _, child in children]}
        if kind in _MAPPINGS:
            for key, _ in children:
                if type(key.key) not in (str, int, float, bool):
                    at = argument + "".join(map(key_str, keys))
                    raise TreeError(f"{function}: {shown(key.key)}, a key of {at}, is neither a string nor a number")
            return {_MAPPINGS[kind]: [[key.key, child] for key, child in children]}
        return {"class": kind.__name__, "children": [[_word(key), child] for key, child in children]}

    tree_flatten(tree)  # raises the error of a bad tree
    try:
        return node(tree, ()), entries
    except RecursionError:
        raise TreeError(f"{function}: {argument} is nested too deeply") from None


def _word(key: object) -> str:
    """The text of a step of a path in the name of an entry."""
    match key:
        case SequenceKey():
            return str(key.idx)
        case GetAttrKey():
            return key.name
        case DictKey() | FlattenedIndexKey():
            return str(key.key)
        case _:
            return str(key)


def written(node: Node, dtypes: Mapping[str, str]) -> str:
    """The text, in a file, of the structure and of the dtypes that are stored as others.

    Raises TreeError for a structure that is nested too deeply for it.
    """
    try:
        return json.dumps({"effax": 1, "tree": node, "dtypes": dict(dtypes)})
    except RecursionError:
        raise TreeError("tree is nested too deeply to be written") from None


def read(text: str) -> tuple[Node, dict[str, str]]:
    """The structure and the dtypes from the text; raises ValueError for other text."""
    try:
        document = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    match document:
        case {"effax": 1, "tree": node, "dtypes": dict(dtypes)} if all([isinstance(d, str) for d in dtypes.values()]):
            return node, dtypes
        case {"effax": int(version)} if version > 1:
            raise ValueError(f"it is of version {version}, written by a newer effax")
        case _:
            raise ValueError("effax did not write it")


def check_kind(name: str, kind: str | None, aval: ShapedArray) -> None:
    """Raise ValueError if an entry cannot be a leaf of this kind, as in `rebuilt`."""
    number = next((cls for cls, called in _KINDS.items() if called == kind), None)
    expected = ShapedArray((), dtypes.WEAK_OF[number]) if number is not None else aval
    if (aval.shape, aval.dtype) != (expected.shape, expected.dtype):
        raise ValueError(f"it calls {shown(name)} a number, {kind}, but it is {aval}")
    if kind == "keys" and aval.dtype is not dtypes.uint64:
        raise ValueError(f"it calls {shown(name)} random keys, but it is {aval}")


def rebuilt(node: object, leaf: Callable[[str, str | None], object], where: str) -> Any:
    """The tree of a structure, whose leaves are `leaf(name, kind)`; `kind` is "weak", a number's, or None.

    Raises ValueError if it is no structure, and FileError, which begins with `where`, for instances of classes, which
    only `like=` creates.
    """
    if isinstance(node, dict) and len(node) == 1:
        ((kind, entry),) = node.items()
        if kind in _OF_LEAVES and isinstance(entry, str):
            return leaf(entry, kind)
    match node:
        case None:
            return None
        case str(name):
            return leaf(name, None)
        case {"list": list(children)}:
            return [rebuilt(child, leaf, where) for child in children]
        case {"tuple": list(children)}:
            return tuple([rebuilt(child, leaf, where) for child in children])
        case {"dict": list(items)}:
            return dict(_items(items, leaf, where))
        case {"OrderedDict": list(items)}:
            return OrderedDict(_items(items, leaf, where))
        case {"keys": str(name), "generator": "threefry" | "philox" as impl}:
            return key_array(leaf(name, "keys"), impl)  # type: ignore[arg-type]  # a structure may be any JSON
        case {"class": str(name)}:
            raise FileError(
                f"{where} holds a {shown(name)[1:-1]}, and files do not create objects of classes; give a tree "
                "of the same structure, like=tree"
            )
        case _:
            raise ValueError(f"{shown(node)} is not a structure")


def _items(items: list[Any], leaf: Callable[[str, str | None], object], where: str) -> list[tuple[Any, Any]]:
    for item in items:
        if not isinstance(item, list) or len(item) != 2 or not isinstance(item[0], str | int | float):
            raise ValueError(f"{shown(item)} is not an item of a dict")
    return [(key, rebuilt(child, leaf, where)) for key, child in items]


def as_it_is(function: str, leaf: object, argument: str) -> Array:
    """A leaf as an array; Python's numbers in double precision, whatever `default_float` is."""
    if isinstance(leaf, bool | int | float | complex) and (dtype := dtypes.WEAK_OF.get(type(leaf))) is not None:
        return scalar(leaf, dtype, function=function, argument=argument)
    return as_array(leaf, function, argument)


def alike(
    function: str, called: str, entries: Mapping[str, ShapedArray], node: object, like: tuple[Node, Entries]
) -> dict[str, ShapedArray]:
    """The types of a file's entries as leaves of `like`; FileError, naming the entry, if they differ.

    `entries` are their types in the file, `node` its structure.
    """
    expected = like[1]
    missing, more = [n for n in expected if n not in entries], [n for n in entries if n not in expected]
    if missing:
        raise FileError(
            f"{called} has no entry {shown(missing[0])}, which like has; it has {shown(list(entries), 300)}"
        )
    if more:
        raise FileError(
            f"{called} has an entry {shown(more[0])}, which like lacks; like has {shown(list(expected), 300)}"
        )
    types: dict[str, ShapedArray] = {}
    for name, (at, leaf) in expected.items():
        types[name] = aval = leaf if isinstance(leaf, ShapedArray) else as_it_is(function, leaf, at).aval
        if entries[name].shape != aval.shape or entries[name].dtype is not aval.dtype:
            raise FileError(f"{called}, entry {shown(name)}: it is {entries[name]}, and {at} is {aval}")
    for path, kind, other in differences(node, like[0], "like"):
        raise FileError(f"{called}: at {path} it has {kind}, and like has {other}")
    nodes, like_nodes = dict(_generators(node)), dict(_generators(like[0]))
    for name in nodes.keys() & like_nodes.keys():
        if nodes[name] != like_nodes[name]:
            raise FileError(
                f"{called}, entry {shown(name)}: it is of keys of {shown(nodes[name])}, and {expected[name][0]} of "
                f"keys of {like_nodes[name]!r}"
            )
    return types


def differences(node: object, expected: object, path: str) -> Iterator[tuple[str, str, str]]:
    """The differences of two structures: the path, and the words for either.

    Instances of classes match those of other classes, and dicts of their attributes.
    """
    (kind, inside), (other, within) = _inside(node), _inside(expected)
    if kind != other and _INSTANCE not in (kind, other):
        yield path, kind, other
    elif inside.keys() != within.keys():
        yield path, f"{kind} of {shown(list(inside), 100)}", f"{other} of {shown(list(within), 100)}"
    for key in inside.keys() & within.keys():
        yield from differences(inside[key], within[key], f"{path}[{key!r}]")


def _inside(node: object) -> tuple[str, dict[object, object]]:
    """The words for a node in messages, and its children by the steps of paths."""
    match node:
        case {"list": list(children)}:
            return "a list", dict(enumerate(children))
        case {"tuple": list(children)}:
            return "a tuple", dict(enumerate(children))
        case {"dict": list(items)}:
            return "a dict", _by_word(items)
        case {"OrderedDict": list(items)}:
            return "an OrderedDict", _by_word(items)
        case {"children": list(items)}:
            return _INSTANCE, _by_word(items)
        case {"keys": _}:
            return "random keys", {}
        case None:
            return "None", {}
        case _:
            return "a leaf", {}


def _by_word(items: list[Any]) -> dict[object, object]:
    return {str(item[0]): item[1] for item in items if isinstance(item, list) and len(item) == 2}


_INSTANCE: Final = "an instance of a class"


def _generators(node: object) -> Iterator[tuple[str, object]]:
    """The generators of the keys in a structure, by the names of their entries."""
    match node:
        case {"keys": str(name), "generator": impl}:
            yield name, impl
        case {"list": list(children)} | {"tuple": list(children)}:
            for child in children:
                yield from _generators(child)
        case {"dict": list(items)} | {"OrderedDict": list(items)} | {"children": list(items)}:
            for item in items:
                if isinstance(item, list) and len(item) == 2:
                    yield from _generators(item[1])
        case _:
            return
