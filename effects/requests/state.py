"""`State[S]`: a typed cell that a program reads and writes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from effects.requests.effect import Effect


class State[S](Effect):
    """Reading and writing a cell: a tree whose structure, shapes and dtypes never change.

    Laws: a loop carries it, a conditional joins it, a derivative takes it inside (where reading what was written is
    differentiated) and gives its value back. See `with_state`.
    """

    @abstractmethod
    def get(self) -> S:
        """The value of the cell."""

    @abstractmethod
    def put(self, value: S) -> None:
        """Let the cell hold `value`. Raises ArgumentError for another structure, shape or dtype."""

    def modify(self, f: Callable[[S], S]) -> None:
        """`put(f(get()))`."""
        self.put(f(self.get()))
