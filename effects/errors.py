"""Every error that the library raises on purpose: one base, and one class for each way a program can be wrong.

An error says which operation, which argument, what was expected and what was given, the user's own line and what to
do. The line is found when the error is made, so a message never needs a debug mode.
"""

from __future__ import annotations

import re
from typing import Self

from numpy.linalg import LinAlgError

from effects.runtime.cpython.source import Location, Source, blame


class EffaxError(Exception):
    """The base of all errors of the library. `message` is the text without the user's line, `source` that line."""

    source: Source | None

    def __init__(self, message: str) -> None:
        self.source, function, inner = blame()
        self.message = _told_by(function, inner, message) if function else message
        super().__init__(self.message if self.source is None else f"{self.message}\n  at {self.source}")

    @property
    def reason(self) -> str:
        """The message without the name of the function, for the message of another one."""
        return re.sub(r"^\w+(\[key\])?: ", "", self.message)

    def at(self, place: Location) -> Self:
        """The error with another location in the user's program."""
        self.source = Source(*place)
        self.args = (f"{self.message}\n  at {self.source}",)
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (type(self), self.message, str(self))


def _told_by(function: str, inner: set[str], message: str) -> str:
    """`message` with the name of the public function that was called, rather than of a function that it calls."""
    rest, owner = message, ""
    while (parts := rest.partition(": "))[1]:
        prefix, _, name = parts[0].rpartition(".")
        if name not in inner or (name == function and not prefix):
            break
        rest, owner = parts[2], f"{prefix}." if prefix.isidentifier() else owner
    if owner:
        return f"{owner}{function}: {rest}"
    word = message.partition(" ")[0]
    if rest == message and word in inner:
        return f"{function}{message[len(word) :]}"
    return rest if re.match(rf"(\w+\.)?{re.escape(function)}(?!\w)", rest) else f"{function}: {rest}"


def _rebuilt(cls: type[EffaxError], message: str, text: str) -> EffaxError:
    """An error unpickled in another process: it keeps its text, not its place, whose code is not there."""
    error = cls.__new__(cls, text)
    error.message, error.source = message, None
    return error


class ShapeError(EffaxError, ValueError):
    """Shapes that do not fit an operation."""


class LinearAlgebraError(EffaxError, LinAlgError):
    """A matrix lacks a required property (it is singular, or not positive definite), or an iteration did not end."""


class OutOfBoundsError(ShapeError, IndexError):
    """An axis or an index that does not exist in the shape."""


class DTypeError(EffaxError, TypeError):
    """A dtype that an operation does not accept, or dtypes without a common one."""


class ArgumentError(EffaxError, TypeError):
    """An argument that is not an array, or that the function does not accept."""


class NotFiniteError(EffaxError, FloatingPointError):
    """An operation returned NaN, or an infinity, where that is an error."""


class KeyReuseError(EffaxError):
    """The numbers of a key are drawn twice."""


class UnhashableError(EffaxError, TypeError):
    """An array was used as a dictionary key, an element of a set or a static argument."""


class DepthError(EffaxError, RecursionError):
    """Calls are nested deeper than Python's stack allows."""


class UnknownAttribute(EffaxError, AttributeError):
    """An attribute that arrays of other libraries have and arrays here lack; the message says what to write."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.obj = None  # whose similar names Python would add to the message


class UnknownImport(EffaxError, ImportError):
    """The same for `from effects import name`, whose own error would not say what to write."""


class TreeError(EffaxError, TypeError):
    """Pytrees whose structures should match but differ; the message names the path."""


class ConcretizationError(EffaxError, TypeError):
    """Python asked for a value that is not known yet: `if x:`, `int(x)`, `numpy.asarray(x)`."""


class LeakedValueError(EffaxError, RuntimeError):
    """A value was used after the transformation that made it had finished."""


class UnboundAxisError(EffaxError, NameError):
    """A collective names an axis that no enclosing handler has; the message lists the names in scope."""


class UnhandledEffectError(EffaxError, RuntimeError):
    """An operation of an effect was performed where no handler of the effect is running."""


class DeletedArrayError(EffaxError, RuntimeError):
    """An array whose buffer was donated to a compiled function was used again."""


class DeviceError(EffaxError, ValueError):
    """Arrays of different devices in one operation, or a device that does not exist or does not work in a fork."""


class NotAddressableError(DeviceError):
    """Reading an array of which other processes hold parts."""


class OutOfMemoryError(EffaxError, MemoryError):
    """An operation or a compiled program needs more memory than there is."""


class MissingRule(EffaxError, NotImplementedError):
    """An operation has no meaning under a handler yet; the message names the method to write."""


class NotLinearError(EffaxError, TypeError):
    """A function that should be linear in some of its inputs is not."""


class IllTyped(EffaxError, TypeError):
    """A program that breaks the typing rules, or a method of a user-defined operation whose result contradicts its
    types.
    """


class BrokenLawError(EffaxError, AssertionError):
    """A handler whose meaning depends on the order of transformations, or a derivative that disagrees with values."""


class UnsupportedVersion(EffaxError, ImportError):
    """A dependency is not installed, or its version is outside the supported range."""


class CompileError(EffaxError, RuntimeError):
    """XLA rejected a program, for instance because a user's `lower` emits something that is not StableHLO."""


class FileError(EffaxError, OSError):
    """A file that cannot be read or written, or does not hold what it should; the message names the entry."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file, or no such folder to write it in."""


class NotScalarError(ShapeError, TypeError):
    """A gradient was asked of a function whose result is not one scalar."""
