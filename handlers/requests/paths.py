"""Values on the paths of a handler that resumes often: an axis of a `Vmap` for each of its forks, around each other."""

from __future__ import annotations

from collections.abc import Iterable

from effects.arrays.array import Array
from effects.functions.manipulation import movement
from effects.program.chain import Link, installed
from handlers.vmap.rules import Batched, Vmap


def axes_of(values: Iterable[Array]) -> set[Link]:
    """The forks that values depend on."""
    owners: set[Link] = set()
    for value in values:
        within = value
        while isinstance(within, Batched):
            if within.batched:
                owners.add(within.owner)
            within = within.value
    return owners


def stacked_paths(lanes: Vmap, value: Array) -> Array:
    """The values on the paths of a fork, as an axis in front of what they are on the paths of all other forks."""
    if not isinstance(value, Batched) or lanes not in axes_of([value]):
        return movement.broadcast_to(value, (lanes.size, *value.aval.shape))
    if value.owner is lanes:
        return value.value
    with installed(value.owner.outer):
        in_front = movement.moveaxis(stacked_paths(lanes, value.value), 0, 1)
    return Batched(value.owner, in_front)
