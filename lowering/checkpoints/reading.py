"""Loading of a checkpoint: its tree is compared with the expected one, then each process reads its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple, final

from effects.arguments import refusal, shown
from effects.arrays.concrete import Concrete, Host, concrete
from effects.arrays.mesh import Region, Sharding
from effects.files import structure
from effects.files.formats import Unreadable
from effects.files.structure import NUMBERS
from effects.trees.pytree import TreeDef, broadcast_prefix, tree_flatten, tree_leaves, tree_structure
from effects.types.avals import ShapedArray
from lowering import pjrt
from lowering.arrays import buffer_type, sharding_of
from lowering.checkpoints import chunks, manifest
from lowering.checkpoints.manifest import Entry, Manifest
from lowering.pjrt import Device, DeviceMesh
from lowering.placement.parts import on_device


class _Leaf(NamedTuple):
    """A leaf of the result: its name in errors, its entry in the checkpoint, its type, and its device or sharding."""

    at: str
    name: str
    entry: Entry
    aval: ShapedArray
    is_number: bool
    where: Device | Sharding | None


@final
class _Named:
    """Placeholder of a leaf in a tree."""

    def __init__(self, name: str, kind: str | None) -> None:
        self.name: Final = name
        self.kind: Final = kind


def read_tree(function: str, path: Path, like: object, shardings: object) -> object:
    """The tree of the checkpoint in a folder; Unreadable, naming the array, where it is broken."""
    contents = manifest.read(path)
    treedef, leaves = (
        _by_itself(f"{function}: {path}", contents) if like is None else _as_in(function, path, contents, like)
    )
    leaves = _with_shardings(function, treedef, leaves, shardings)
    regions = [(leaf.name, leaf.entry, region) for leaf in leaves for region in _regions(leaf)]
    with closing(chunks.read(path, regions)) as parts:
        return treedef.unflatten([_placed(leaf, parts) for leaf in leaves])


def _by_itself(called: str, contents: Manifest) -> tuple[TreeDef, list[_Leaf]]:
    """The tree as the manifest describes it, without `like`."""

    def leaf(name: str, kind: str | None) -> _Named:
        if name not in contents.entries:
            raise ValueError(f"it names an entry {shown(name)}, which is missing")
        structure.check_kind(name, kind, contents.entries[name].aval)
        return _Named(name, kind)

    try:
        named, treedef = tree_flatten(structure.rebuilt(contents.node, leaf, called))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the structure in its manifest cannot be read: {error}") from None
    leaves: list[_Leaf] = []
    for placeholder in named:
        assert isinstance(placeholder, _Named), "it is made of them"
        entry, kind = contents.entries[placeholder.name], placeholder.kind
        aval = ShapedArray(entry.aval.shape, entry.aval.dtype, kind == "weak")
        number = kind not in (None, "weak", "keys")
        leaves.append(_Leaf(f"entry {shown(placeholder.name)}", placeholder.name, entry, aval, number, None))
    return treedef, leaves


def _as_in(function: str, path: Path, contents: Manifest, like: object) -> tuple[TreeDef, list[_Leaf]]:
    node, entries = structure.described(like, function, "like")
    types_there = {name: entry.aval for name, entry in contents.entries.items()}
    types = structure.alike(function, f"{function}: {path}", types_there, contents.node, (node, entries))
    leaves = [
        _Leaf(at, name, contents.entries[name], types[name], type(leaf) in NUMBERS, _where(leaf))
        for name, (at, leaf) in entries.items()
    ]
    return tree_structure(like), leaves


def _where(leaf: object) -> Device | Sharding | None:
    """Placement of an array; None for the host."""
    if not isinstance(leaf, Concrete) or not pjrt.is_buffer(leaf.stored):
        return None
    placement = pjrt.placement_of(leaf.stored)
    return sharding_of(leaf) if isinstance(placement, DeviceMesh) else placement


def _with_shardings(function: str, treedef: TreeDef, leaves: Sequence[_Leaf], shardings: object) -> list[_Leaf]:
    """The leaves with the requested shardings; ShapeError for arrays that cannot be cut like this."""
    for leaf_sharding in tree_leaves(shardings):
        if not isinstance(leaf_sharding, Sharding):
            raise refusal(function, "shardings", "shardings, which mesh.sharding(…) makes, in a tree", leaf_sharding)
    tree = treedef.unflatten([_Named(leaf.name, None) for leaf in leaves])
    leaf_shardings = broadcast_prefix(
        shardings, tree, lambda difference: f"{function}: shardings, for the tree: the structure {difference}"
    )
    placed: list[_Leaf] = []
    for leaf, sharding in zip(leaves, leaf_shardings, strict=True):
        cut = leaf if sharding is None or leaf.is_number else leaf._replace(where=sharding)
        if isinstance(cut.where, Sharding):
            cut.where.block(cut.aval.shape, function, cut.at)
            placement = pjrt.placement_over(cut.where.mesh)
            cut = cut._replace(where=placement) if isinstance(placement, Device) else cut
        placed.append(cut)
    return placed


def _regions(leaf: _Leaf) -> list[Region]:
    """Regions of an array that this process needs, each once."""
    shape = leaf.aval.shape
    if not isinstance(leaf.where, Sharding):
        return [tuple([slice(0, size) for size in shape])]
    regions = pjrt.device_mesh(leaf.where.mesh).local_regions(leaf.where, shape)
    return list({str(region): region for _, region in regions}.values())


def _placed(leaf: _Leaf, parts: Iterator[Host]) -> object:
    aval, where = leaf.aval, leaf.where
    if isinstance(where, Sharding):
        by_region = {str(region): next(parts) for region in _regions(leaf)}
        return concrete(pjrt.put_sharded(lambda region: by_region[str(region)], buffer_type(aval), where), aval)
    host = next(parts)
    host.flags.writeable = False
    array = concrete(host, aval)
    return array.item() if leaf.is_number else array if where is None else on_device(array, where)
