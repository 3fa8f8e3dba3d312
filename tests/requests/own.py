"""An effect of one's own, whole."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Concatenate

import effects as fx
from effects import Array, ArrayLike, Effect
from handlers import Merging, handled


class Cost(Effect):
    @abstractmethod
    def charge(self, amount: ArrayLike) -> None: ...


class Total(Merging[Array], Cost):
    def charge(self, amount: ArrayLike) -> None:
        self.state = self.state + amount

    def unit(self) -> Array:
        return fx.zeros(())

    def merge(self, state: Array) -> None:
        self.charge(state)

    def from_lanes(self, size: int, state: Array) -> None:
        self.charge(fx.sum(state))


def with_cost[**P, R](f: Callable[Concatenate[Cost, P], R]) -> Callable[P, tuple[R, Array]]:
    def costed(*args: P.args, **kwargs: P.kwargs) -> tuple[R, Array]:
        total = Total(fx.zeros(()))
        return handled(total, f, *args, **kwargs), total.state

    return costed
