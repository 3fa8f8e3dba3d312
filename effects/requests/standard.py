"""The effects that programs perform: cells, configuration, output, errors, choice."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from effects.arrays.array import Array, ArrayLike
from effects.functions.creation import creation
from effects.functions.elementwise import logic
from effects.functions.manipulation import movement
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


class Ask[C](Effect):
    """Asking for the configuration: a tree of arrays and hashable values; the latter are known wherever they are read.

    Laws: the same in every lane, step and branch, a constant of derivatives. See `with_reader`.
    """

    @abstractmethod
    def ask(self) -> C:
        """The configuration."""


class Output(Effect):
    """Emitting named arrays.

    Laws: a scan stacks what its steps emit, a vmap what its lanes emit; a branch that is not taken emits zeros, marked
    as not valid. Arrays emitted inside a derivative leave as values; if the handler is inside, they are differentiated
    like results. A while_loop, whose steps are not bounded, cannot emit. See `with_output`.
    """

    @abstractmethod
    def emit(self, name: str, value: ArrayLike) -> None:
        """Emit `value` under a name, which is used once."""


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
