"""Every error the library raises on purpose: one base, one class per way a program can be wrong.

An error says which operation, which argument, what was expected and what was given, the user's own line and what to
do. The line is found when the error is made, so a message never needs a debug mode.
"""

from __future__ import annotations

from effects.source import user_source


class EffaxError(Exception):
    """The base of every error of the library. `message` is the text without the user's line, `source` that line."""

    def __init__(self, message: str) -> None:
        self.message = message
        self.source = user_source(2)
        super().__init__(message if self.source is None else f"{message}\n  at {self.source}")


class ShapeError(EffaxError, ValueError):
    """Shapes that do not fit an operation, or an axis out of bounds."""


class DTypeError(EffaxError, TypeError):
    """A dtype that an operation does not take, or dtypes without a common one."""


class ArgumentError(EffaxError, TypeError):
    """An argument that is not an array, or not what the function takes."""


class TreeError(EffaxError, TypeError):
    """Pytrees whose structures should match and do not; the message names the path."""


class ConcretizationError(EffaxError, TypeError):
    """A value that is not known yet was asked for its number: `if x:`, `int(x)`, `numpy.asarray(x)`."""


class LeakedValueError(EffaxError, RuntimeError):
    """A value was used after the transformation that made it had finished."""


class DeletedArrayError(EffaxError, RuntimeError):
    """An array whose buffer was donated to a compiled function was used again."""


class DeviceError(EffaxError, ValueError):
    """Arrays of different devices in one operation, or a device that does not exist."""


class MissingRule(EffaxError, NotImplementedError):
    """An operation has no meaning under a handler yet; the message names the method to write."""


class NotLinearError(EffaxError, TypeError):
    """A function that should be linear in some of its inputs is not."""


class IllTyped(EffaxError, TypeError):
    """A jaxpr that breaks the typing rules; the message shows the equation."""


class UnsupportedVersion(EffaxError, ImportError):
    """An installed dependency is outside the range that this version of the library runs with."""
