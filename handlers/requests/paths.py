"""Values on the paths of a handler that resumes often: its forks are nested `Vmap`s, with an axis each."""

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
    """The values on the paths of one fork, stacked along a new first axis."""
    if not isinstance(value, Batched) or lanes not in axes_of([value]):
        return movement.broadcast_to(value, (lanes.size, *value.aval.shape))
    if value.owner is lanes:
        return value.value
    with installed(value.owner.outer):
        in_front = movement.moveaxis(stacked_paths(lanes, value.value), 0, 1)
    return Batched(value.owner, in_front)
