"""NumPy's errors about memory as errors of effax, with the called function and the line."""

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
    """`with room:` around NumPy's work outside of operations; evaluation does the same for operations.

    `called` begins the message if the public function is not found, because it is a method.
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
