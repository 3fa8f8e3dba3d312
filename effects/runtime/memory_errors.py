"""A lack of memory while NumPy computes, as an error of effax: with the function that was called and the line."""

from __future__ import annotations

from types import TracebackType
from typing import Final, final

from effects.errors import EffaxError, OutOfMemoryError

_WORDS: Final = ("array is too big", "Maximum allowed dimension exceeded")


def lacks_memory(error: BaseException) -> bool:
    """Return True if an error reports a lack of memory: NumPy has ValueErrors for sizes beyond the address space."""
    if isinstance(error, EffaxError):
        return False
    return isinstance(error, MemoryError) or (isinstance(error, ValueError) and str(error).startswith(_WORDS))


@final
class MemoryErrors:
    """`with room:` around what NumPy computes outside of operations, whose evaluation does the same.

    `called` begins the message where the public function cannot be found: it is a method.
    """

    __slots__ = ("_called",)

    def __init__(self, called: str = "") -> None:
        self._called: Final = called

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        if error is not None and lacks_memory(error):
            problem = str(error) or "a list of so many numbers"
            raise OutOfMemoryError(f"{self._called}there is not enough memory: {problem}") from None


memory_errors: Final = MemoryErrors()
