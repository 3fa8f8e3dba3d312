"""Saving of a checkpoint: values are collected, each process writes its own, then one publishes the checkpoint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, final

import numpy as np

from effects.arguments import shown
from effects.arrays.concrete import Concrete
from effects.arrays.mesh import Sharding
from effects.errors import ArgumentError, FileError
from effects.files import structure
from effects.files.formats import stored
from lowering import pjrt
from lowering.arrays import refuse_deleted, sharding_of
from lowering.checkpoints import chunks, manifest
from lowering.checkpoints.chunks import RegionElements
from lowering.checkpoints.folders import Unfinished
from lowering.checkpoints.manifest import Entry, Manifest
from lowering.checkpoints.stages import Together
from lowering.placement.parts import owned_blocks


class _Leaf(NamedTuple):
    """An array to save, and its sharding if several devices write it."""

    at: str
    array: Concrete
    entry: Entry
    sharding: Sharding | None


@final
class Job:
    """A checkpoint to write. The constructor checks everything, and copies the values if they are to be `copied`."""

    def __init__(
        self, function: str, where: Path, step: int, tree: object, *, keep: int | None, overwrite: bool, copied: bool
    ) -> None:
        chunks.tensorstore(function)
        self._function: Final = function
        self._keep: Final = keep
        self._team: Final = Together(function, where)
        self._unfinished: Unfinished | None = None
        self._leaves: dict[str, _Leaf] = {}

        def begin() -> str:
            node, self._leaves = self._described(tree)
            self._manifest = Manifest(node, {name: leaf.entry for name, leaf in self._leaves.items()})
            manifest.text(self._manifest)  # a tree that no manifest can describe is refused before anything is written
            path = ""
            if self._team.index == 0:
                self._unfinished = Unfinished(function, where, step, overwrite=overwrite)
                path = str(self._unfinished.path)
            return json.dumps([path, *self._common_message(step)])

        try:
            messages = [json.loads(text) for text in self._team.stage("begin", begin)]
            self._check_alike(messages)
            self._path = Path(messages[0][0])
            own = _own(self._leaves, self._team.index)
            self._pieces: Iterable[RegionElements] = list(map(_copied, own)) if copied else own
            if copied:
                self._leaves = {}
        except BaseException as error:
            self.give_up(error)
            raise

    def finish(self) -> None:
        """Write the parts of this process, and wait for the others."""
        try:
            sums = [json.loads(text) for text in self._team.stage("written", self._write)]
            self._team.stage("published", lambda: self._publish(sums))
        except BaseException as error:
            self.give_up(error)
            raise
        self._end()

    def _write(self) -> str:
        if not self._path.is_dir():
            if self._team.index == 0:
                raise FileError(f"{self._function}: {self._path} was removed while it was written")
            raise FileError(
                f"{self._function}: process {self._team.index} does not see {self._path}, which process 0 created; "
                "save in a folder that all processes reach"
            )
        described = self._manifest.entries.items() if self._team.index == 0 else ()
        return json.dumps(chunks.write(self._path, described, self._pieces))

    def _publish(self, sums: Iterable[Mapping[str, Mapping[str, str]]]) -> str:
        """Publish the checkpoint, with the checksums of what each process has written."""
        if self._unfinished is not None:
            node, entries = self._manifest
            sums_of: dict[str, dict[str, str]] = {name: {} for name in entries}
            for name, sums_by_chunk in [item for those in sums for item in those.items()]:
                sums_of[name].update(sums_by_chunk)
            entries_with_sums = {name: entry._replace(sums=sums_of[name]) for name, entry in entries.items()}
            manifest.write(self._path, manifest.text(Manifest(node, entries_with_sums)))
            self._unfinished.publish(self._function, self._keep)
        return ""

    def give_up(self, error: BaseException) -> None:
        """End the work after an error, and tell it to the others."""
        try:
            for stage in ("written", "published"):
                self._team.give_up(stage, error)
        finally:
            self._end()

    def _end(self) -> None:
        """Release the folder and the lock."""
        self._pieces, self._leaves = (), {}
        if self._unfinished is not None:
            self._unfinished.close()
            self._unfinished = None

    def _described(self, tree: object) -> tuple[structure.Node, dict[str, _Leaf]]:
        node, entries = structure.described(tree, self._function, "tree")
        arrays = [structure.as_it_is(self._function, leaf, at) for at, leaf in entries.values()]
        refuse_deleted(self._function, arrays, lambda: [at for at, _ in entries.values()])
        leaves: dict[str, _Leaf] = {}
        for number, (name, (at, _), value) in enumerate(zip(entries, entries.values(), arrays, strict=True)):
            array = value._demand(
                self._function, f"It is {at}: return it from the transformed function first", bare=True
            )
            sharding = sharding_of(array)
            if sharding is not None and self._team.joined_runtime is not None and not pjrt.is_spread(sharding.mesh):
                sharding = None  # over devices of one process, whose values all processes have
            block = array.aval.shape if sharding is None else sharding.block(array.aval.shape)
            leaves[name] = _Leaf(at, array, manifest.entry(name, number, array.aval, block), sharding)
        return node, leaves

    def _common_message(self, step: int) -> list[object]:
        """Message that must be equal in all processes: the tree, and the values that are not sharded."""
        if self._team.joined_runtime is None:
            return []
        types = [
            (
                name,
                str(e.aval),
                e.chunk,
                sharding and (tuple(sharding.mesh.axes.items()), sharding.mesh.devices, sharding.cuts),
            )
            for name, (_, _, e, sharding) in self._leaves.items()
        ]
        tree = _sum(repr((step, self._manifest.node, types)).encode())
        values = [
            None if sharding is not None else _sum(stored(array.fetch(), e.aval.dtype, "npz").tobytes())
            for _, array, e, sharding in self._leaves.values()
        ]
        return [tree, values]

    def _check_alike(self, messages: list[list[object]]) -> None:
        for process, message in enumerate(messages):
            if message[1:2] != messages[0][1:2]:
                raise ArgumentError(
                    f"{self._function}: process {process} saves another step or tree than process 0; all "
                    "must save the same"
                )
            for (at, array, _, _), mine, first in zip(
                self._leaves.values(), *[_values(t) for t in (message, messages[0])]
            ):
                if mine != first:
                    raise ArgumentError(
                        f"{self._function}: {at}, {array.aval}, is {shown(array)} in process {self._team.index}, and "
                        f"not the same in processes 0 and {process}; save process-local values by "
                        "distributed.process_allgather(x)"
                    )


def _own(leaves: Mapping[str, _Leaf], process: int) -> Iterator[RegionElements]:
    """Blocks that this process writes."""
    for turn, (name, (_, array, entry, sharding)) in enumerate(leaves.items()):
        if sharding is not None:
            for region, host in owned_blocks(array, sharding, turn):
                yield RegionElements(name, entry, region, host)
        elif process == 0:
            yield RegionElements(name, entry, tuple([slice(0, size) for size in array.aval.shape]), array.fetch())


def _values(message: list[object]) -> list[object]:
    values = message[2] if len(message) > 2 else []
    return values if isinstance(values, list) else []


def _sum(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _copied(piece: RegionElements) -> RegionElements:
    """The piece with a copy of its elements, so that the array may be changed or donated."""
    return piece._replace(host=np.array(piece.host))
