"""`Choice`: choosing among finitely many, and weighing what was chosen."""

from __future__ import annotations

from abc import abstractmethod

from effects.arrays.array import Array, ArrayLike
from effects.functions.creation import creation
from effects.functions.elementwise import logic
from effects.functions.manipulation import movement
from effects.requests.effect import Effect


class Choice(Effect):
    """Choosing and weighing: `enumerated` takes every path at once."""

    @abstractmethod
    def choose(self, weights: Array) -> Array:
        """An index of the vector `weights`, with that probability (up to a factor)."""

    @abstractmethod
    def factor(self, log_weight: ArrayLike) -> None:
        """Multiply the weight of the choices so far by exp(log_weight)."""

    @abstractmethod
    def weigh(self, weight: ArrayLike) -> None:
        """Multiply the weight of the choices so far by `weight`, which is not negative."""

    def flip(self, p: ArrayLike) -> Array:
        """True with probability p."""
        likely = creation.asarray(p)
        return self.choose(movement.stack([1.0 - likely, likely])) == 1

    def observe(self, holds: ArrayLike, p: ArrayLike = 1.0) -> None:
        """Observe something that has probability p if `holds`, else 1 - p."""
        likely = creation.asarray(p)
        self.weigh(logic.where(holds, likely, 1.0 - likely))
