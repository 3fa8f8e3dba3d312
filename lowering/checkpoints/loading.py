"""`load_checkpoint`: the tree of a checkpoint, on the present mesh, of which each process reads its parts."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any, Final, overload

from effects.arguments import absolute_path, natural, shown
from effects.errors import FileError, MissingFileError
from effects.files.atomic_writes import translated_errors
from effects.files.formats import Unreadable
from lowering.checkpoints import chunks, manifest
from lowering.checkpoints.folders import complete, refuse_file, unfinished
from lowering.checkpoints.reading import read_tree
from lowering.checkpoints.saving import settle
from lowering.checkpoints.stages import Together

_TIMES: Final = 5
"""Number of attempts, since a checkpoint may be removed while it is read."""


def checkpoint_steps(folder: str | os.PathLike[str]) -> tuple[int, ...]:
    """The steps of the complete checkpoints in a folder, ascending; none if there is no folder.

    Raises ArgumentError for what is no path, FileError where it cannot be looked at.

    >>> checkpoint_steps("no/such/folder")
    ()
    """
    where = absolute_path("checkpoint_steps", "folder", folder)
    with translated_errors("checkpoint_steps", where):
        refuse_file("checkpoint_steps", where)
        return tuple(complete(where)) if where.exists() else ()


@overload
def load_checkpoint(folder: str | os.PathLike[str], step: int | None = None, *, shardings: object = None) -> Any: ...
@overload
def load_checkpoint[T](
    folder: str | os.PathLike[str], step: int | None = None, *, like: T, shardings: object = None
) -> T: ...
def load_checkpoint(
    folder: str | os.PathLike[str], step: int | None = None, *, like: object = None, shardings: object = None
) -> Any:
    """The tree of a checkpoint that `save_checkpoint` wrote: of `step`, or the last one that is complete.

    `like` is a tree of the same structure, as for `load`: it creates instances of classes, and its arrays and types
    must match the checkpoint. Each array is placed like that of `like`, or by `shardings`, a tree prefix of the result,
    with None for no sharding; others are on the host. The mesh may differ from that of the checkpoint: each device
    reads its own part. All processes call it.

    Raises MissingFileError where there is no checkpoint, FileError, which names the entry, where it is not complete, is
    broken, or is not like `like`, ShapeError for an array that cannot be cut as asked, TreeError and ArgumentError for
    other arguments, UnsupportedVersion where the package tensorstore is not installed.

    >>> import effects as fx
    >>> import tempfile
    >>> from lowering import Mesh, save_checkpoint
    >>> whole = Mesh({"data": 1}, ["cpu:0"]).sharding()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_checkpoint(folder, 10, {"w": fx.zeros(2)})
    ...     load_checkpoint(folder, shardings=whole)
    {'w': Array([0., 0.], float64)}
    """
    function = "load_checkpoint"
    number = None if step is None else natural(function, "step", step)
    where = absolute_path(function, "folder", folder)
    chunks.tensorstore(function)
    settle()
    team = Together(function, where)
    loaded: list[object] = []

    def read(path: Path, *, again: bool) -> str:
        """Read a checkpoint, or return the failure if the next one was saved meanwhile, and this one removed."""
        try:
            loaded.append(read_tree(function, path, like, shardings))
        except Unreadable as error:
            steps = complete(where)
            if again and path not in steps.values():
                return "removed"
            entry = "" if error.entry is None else f", entry {shown(error.entry)}"
            others = [step for step, other in steps.items() if other != path]
            advice = f"load another step, of {shown(others, 200)}" if others else "it is the only one here"
            raise FileError(f"{function}: {path}{entry}: {error}; {advice}") from None
        return ""

    for attempts_left in reversed(range(_TIMES)):
        (path_text, *_) = team.stage(
            f"found {attempts_left}", lambda: str(_folder_of_step(where, number)) if team.index == 0 else ""
        )
        if not any(team.stage(f"read {attempts_left}", partial(read, Path(path_text), again=attempts_left > 0))):
            break
    return loaded[-1]


def _folder_of_step(where: Path, step: int | None) -> Path:
    refuse_file("load_checkpoint", where)
    if not where.is_dir():
        raise MissingFileError(f"load_checkpoint: there is no folder {where}")
    steps = complete(where)
    if step is None and steps:
        return steps[max(steps)]
    if step is not None and step in steps:
        return steps[step]
    advice = f"it has those of steps {shown(list(steps), 200)}" if steps else "it has none that is complete"
    if (where / manifest.NAME).exists():
        advice = f"it is one itself: load it by load_checkpoint({str(where.parent)!r}, step)"
    if step is not None and unfinished(where, step):
        raise FileError(f"load_checkpoint: {where}: the checkpoint of step {step} is not complete; {advice}")
    which = "no checkpoint" if step is None else f"no checkpoint of step {step}"
    raise MissingFileError(f"load_checkpoint: {where} has {which}; {advice}")
