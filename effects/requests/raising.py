"""`Raise[E]`: errors in programs, compiled or not."""

from __future__ import annotations

from abc import abstractmethod

from effects.arrays.array import ArrayLike
from effects.requests.effect import Effect


class Raise[E](Effect):
    """Raising errors: trees of arrays and hashable values. The first error wins.

    Laws: only the branch that is taken raises; a loop stops; after an error nothing happens to the handlers further
    out; lanes fail separately, and a handler outside a vmap gets the first lane that failed; a derivative raises what
    the function raises. See `with_raise` and `catching`.
    """

    @abstractmethod
    def check(self, holds: ArrayLike, error: E) -> None:
        """Raise `error` unless `holds` (everywhere)."""

    def raise_(self, error: E) -> None:
        """Raise `error`."""
        self.check(False, error)
