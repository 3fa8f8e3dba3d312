"""`Parameters`: the parameters of a function that became a program, in which some arguments have fixed values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import reduce
from inspect import Parameter
from sys import modules
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final, NamedTuple, Self, final

from effects.arguments import describe
from effects.errors import ArgumentError
from effects.runtime.caches import memoised
from handlers.transformations.calls.static_arguments import SplitArguments

_POSITIONAL: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_KINDS: Final = {
    kind.name.lower(): kind
    for kind in (*_POSITIONAL, Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)
}
NO_TEXT: Final = "..."
"""Text of a value that has no text of its own."""


@final
class BoundDefault(NamedTuple):
    """Default of a parameter with a fixed value, which prints as that value."""

    text: str

    def __repr__(self) -> str:
        return self.text


_REQUIRED: Final = BoundDefault("")
"""Default of a required parameter after one with a default."""


class Parameters(NamedTuple):
    """The parameters of a function: each has a name, a kind, and the text of its value if the program fixes it.

    `n` arguments of the program are positional, the others are passed by name.
    """

    each: tuple[tuple[str, str, str | None], ...]
    n: int

    @classmethod
    def of(cls, f: Callable[..., object], call: SplitArguments) -> Self:
        """The parameters of `f` for the program of a call."""
        try:
            parameters = list(inspect.signature(f).parameters.values())
        except (TypeError, ValueError):  # a built-in function
            parameters = [Parameter("args", Parameter.VAR_POSITIONAL), Parameter("kwargs", Parameter.VAR_KEYWORD)]
        by_position, by_name = dict(call.static.by_position), dict(call.static.by_name)
        each: list[tuple[str, str, str | None]] = []
        for i, parameter in enumerate(parameters):
            name, kind, value = parameter.name, parameter.kind, None
            if kind in _POSITIONAL and i in by_position:
                kind, value = Parameter.KEYWORD_ONLY, plain_text(by_position[i])  # it is left out of later calls
            elif name in by_name:
                kind, value = Parameter.KEYWORD_ONLY, plain_text(by_name[name])
            elif parameter.default is not parameter.empty:
                bound = name in call.kwargs or (kind in _POSITIONAL and i < len(call.args) + len(by_position))
                value = None if bound else plain_text(parameter.default)
            each.append((name, kind.name.lower(), value))
        return cls(tuple(sorted(each, key=lambda entry: _KINDS[entry[1]])), len(call.args))

    @classmethod
    def read(cls, data: Sequence[Any]) -> Self:
        """Read from a file's description; ValueError if it has no parameters."""
        each, n = data
        read = cls(tuple([(str(name), str(kind), value) for name, kind, value in each]), int(n))
        if any([value is not None and not isinstance(value, str) for *_, value in read.each]) or read.n < 0:
            raise ValueError("its parameters are none")
        read.signature()
        return read

    def signature(self) -> inspect.Signature:
        """The Python signature, with fixed values as defaults."""
        return _signature(self.each)

    def bound(
        self, function: str, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call in the program's form; ArgumentError for unknown ones, or other fixed values."""
        signature = self.signature()
        try:
            if not any([parameter.kind is parameter.VAR_KEYWORD for parameter in signature.parameters.values()]):
                for name in kwargs:
                    if name not in signature.parameters:
                        raise TypeError(f"got an unexpected keyword argument {name!r}")
            arguments = signature.bind(*args, **kwargs).arguments
            for name, parameter in signature.parameters.items():
                if parameter.default is _REQUIRED and name not in arguments:
                    raise TypeError(f"missing a required argument: {name!r}")
        except TypeError as error:
            raise ArgumentError(f"{function}: {error}; it is called as {self}") from None
        extra: tuple[Any, ...] = ()
        named: dict[str, Any] = {}
        positional: list[Any] = []
        for name, kind, value in self.each:
            if name not in arguments:
                continue
            if _KINDS[kind] is Parameter.VAR_POSITIONAL:
                extra = arguments[name]
            elif _KINDS[kind] is Parameter.VAR_KEYWORD:
                named.update(arguments[name])
            elif value is not None:
                _check(function, name, value, arguments[name])
            elif _KINDS[kind] in _POSITIONAL and len(positional) < self.n:
                positional.append(arguments[name])
            else:
                named[name] = arguments[name]
        return (*positional, *extra), named

    def names(self, n: int) -> list[str]:
        """Names of the first `n` positional arguments of the program."""
        names = [name for name, kind, value in self.each if _KINDS[kind] in _POSITIONAL and value is None][: self.n]
        return [names[i] if i < len(names) else f"args[{i}]" for i in range(n)]

    def __repr__(self) -> str:
        text = str(self.signature())
        return text.replace("=,", ",").replace("=)", ")")


@memoised
def _signature(each: tuple[tuple[str, str, str | None], ...]) -> inspect.Signature:
    parameters: list[Parameter] = []
    optional = False
    for name, kind, value in each:
        default: object = Parameter.empty if value is None else BoundDefault(value)
        if _KINDS[kind] in _POSITIONAL:
            optional = optional or value is not None
            default = _REQUIRED if optional and value is None else default
        parameters.append(Parameter(name, _KINDS[kind], default=default))
    return inspect.Signature(parameters)


def _check(function: str, name: str, text: str, value: object) -> None:
    """Raise ArgumentError for an argument that differs from the program's fixed value, whose text this is."""
    if text == NO_TEXT or plain_text(value) != text:
        has = "in this program what it was" if text == NO_TEXT else f"{text} in this program, as it was"
        raise ArgumentError(
            f"{function}: {name} is {has} when that was made, got {describe(value)}; leave it out, or make another one"
        )


def plain_text(value: object) -> str:
    """A plain value as text that identifies it; "..." for other values.

    Plain are None, numbers, text, enumerations, tuples of these, and functions and classes of modules.
    """
    if value is None or (isinstance(value, bool | int | float | complex | str | bytes) and not isinstance(value, Enum)):
        return repr(value)
    if isinstance(value, tuple):
        texts = [plain_text(entry) for entry in value]
        return NO_TEXT if NO_TEXT in texts else f"({', '.join(texts)})"
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if (
        isinstance(value, type | FunctionType | BuiltinFunctionType)
        and _reached(value.__module__, value.__qualname__) is value
    ):
        return f"{value.__module__}.{value.__qualname__}"
    return NO_TEXT


def _reached(module: str | None, name: str) -> object:
    start: object = modules.get(module or "")
    return reduce(lambda value, part: getattr(value, part, None), name.split("."), start)
