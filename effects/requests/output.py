"""`Output`: arrays that leave a program besides its results: logging, activations, diagnostics."""

from __future__ import annotations

from abc import abstractmethod

from effects.arrays.array import ArrayLike
from effects.requests.effect import Effect


class Output(Effect):
    """Emitting named arrays.

    Laws: a scan stacks what its steps emit, a vmap what its lanes emit; a branch that is not taken emits zeros, marked
    as not valid. Arrays emitted inside a derivative leave as values; if the handler is inside, they are differentiated
    like results. A while_loop, whose steps are not bounded, cannot emit. See `with_output`.
    """

    @abstractmethod
    def emit(self, name: str, value: ArrayLike) -> None:
        """Emit `value` under a name, which is used once."""
