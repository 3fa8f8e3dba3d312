"""`State[S]`: a typed cell that a program reads and writes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from effects.requests.effect import Effect


class State[S](Effect):
    """Reading and writing a cell: a tree whose structure, shapes and dtypes never change.

    Laws: a loop carries it, a conditional joins it, and it passes through a derivative (inside, reads of what was
    written are differentiated; its value comes out). See `with_state`.
    """

    @abstractmethod
    def get(self) -> S:
        """The value of the cell."""

    @abstractmethod
    def put(self, value: S) -> None:
        """Set the cell to `value`. Raises ArgumentError for another structure, shape or dtype."""

    def modify(self, f: Callable[[S], S]) -> None:
        """`put(f(get()))`."""
        self.put(f(self.get()))
