"""Forks: for each result of an operation that has several, the rest of the program is a lane of a `Vmap`."""

from __future__ import annotations

import math
from collections.abc import Set
from typing import TYPE_CHECKING, Any, NamedTuple

from effects.arrays.array import Array
from effects.functions.creation import sequences
from effects.program.chain import Handler, Link, installed
from handlers.forward import Forward
from handlers.requests.crossing import reopened
from handlers.requests.paths import axes_of, stacked_paths
from handlers.vmap.rules import Batched, Vmap

if TYPE_CHECKING:
    from handlers.requests.link import EffectLink


class Fork(NamedTuple):
    """The `Vmap` over the results of one operation, and the outer handlers of effects, opened again inside of it."""

    lanes: Vmap
    inside: list[EffectLink]


class Forks:
    """The forks around the link of a handler since it was installed, the innermost last."""

    def __init__(self, link: EffectLink) -> None:
        self._link = link
        self._original_outer: Link | None = None
        self.forks: list[Fork] = []
        self.choices: list[Array] = []
        """For each operation that forked, the number of the result that each path has chosen, as lanes."""

    def __len__(self) -> int:
        return len(self.forks)

    @property
    def paths(self) -> int:
        """Number of times that the rest of the program runs."""
        return math.prod([fork.lanes.size for fork in self.forks])

    def fork(self, size: int) -> Array:
        """The number of the result, from 0 to size - 1, as lanes: the rest of the program runs for each."""
        self._original_outer = self._original_outer or self._link.outer
        lanes = Vmap(size)
        self._insert_outside(lanes)
        inside = reopened(lanes)
        for link in inside:
            self._insert_outside(link)
        self.forks.append(Fork(lanes, inside))
        self.choices.append(Batched(lanes, sequences.arange(size)))
        return self.choices[-1]

    def _insert_outside(self, link: Forward[Any, Any]) -> None:
        link.stand_inside(self._link.outer)
        link.alive, self._link.outer = True, link

    def merge(self, since: int, read: Set[Link]) -> None:
        """Merge the paths of forks from number `since` on, except those in `read`, on which results depend.

        For the end of a program, after which only its results and the states of handlers depend on its choices.
        """
        for fork in self.forks[since:]:
            opened = any([link.opened for link in fork.inside])
            if fork.lanes not in read and not opened and self._link.handler.merges_paths:
                self._sum_out(fork)

    def _sum_out(self, fork: Fork) -> None:
        lanes, removed = fork.lanes, {fork.lanes, *fork.inside}
        link: Link = self._link
        while isinstance(link, Handler) and link is not self._original_outer:
            while isinstance(link.outer, Handler) and link.outer in removed:
                link.outer = link.outer.outer
            link = link.outer
        self.forks.remove(fork)
        self.choices = [index for index in self.choices if lanes not in axes_of([index])]
        handler = self._link.handler
        arrays, form = handler.state_taken_apart()
        with installed(self._link.outer):
            state = form.build([stacked_paths(lanes, a) for a in arrays])
            handler.state = handler.merged_paths(lanes.size, state)
        lanes.alive = False

    def complete(self) -> None:
        """Give the handlers of effects further out their states."""
        for fork in reversed(self.forks):
            for link in reversed(fork.inside):
                link.close()

    def leave(self) -> None:
        """Take the links out of the chain."""
        for fork in self.forks:
            fork.lanes.alive = False
            for link in fork.inside:
                link.alive = False
                link.release_lent_state()
        if self._original_outer is not None:
            self._link.outer = self._original_outer
