"""Checks of arguments of public functions that are not arrays: flags, numbers, sizes, axes, choices, functions.

One checker for each kind, for all layers. Each returns the argument as a Python value, or raises an ArgumentError that
says which function and argument, what was expected, and what was given. Arrays have `as_array`, dtypes `as_dtype`.
"""

from __future__ import annotations

import functools
import math
import operator
import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAliasType, cast, get_args

import numpy as np

from effects.errors import ArgumentError, ConcretizationError
from effects.runtime.spellings import names_of

if TYPE_CHECKING:
    from effects.arrays.concrete import Concrete

_INT: Final = frozenset({int})
_GREATEST: Final = float(np.finfo(np.float64).max)
_ELEMENTS_SHOWN: Final = 16
"""Elements that fit in a message."""
MOST_AXES: Final = 64
MOST_REPETITIONS: Final = 2**16
LARGEST: Final = 2**63 - 1
"""The greatest size of an axis, and the most bytes that an array can have."""


def shown(value: object, length: int = 60) -> str:
    """The beginning of a value's text, for messages; large arrays are shown by their types."""
    try:
        text = repr(value)
        if len(text) > length or "\n" in text:
            text = repr(_typed(value))
    except Exception:  # a user's repr may fail, and the message is about something else
        text = "a value"
    return text if len(text) <= length else text[: length - 3] + "..."


def _typed(value: Any) -> object:
    """A value with its arrays replaced by their types."""
    if type(value) is dict:
        return {key: _typed(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)([_typed(each) for each in value])
    return getattr(value, "aval", value)


def elements(known: Concrete | None) -> str:
    """The elements of a known array as text, if they fit in a message; else ""."""
    return "" if known is None or known.aval.size > _ELEMENTS_SHOWN else shown(known.fetch().tolist())


def describe(value: object) -> str:
    """A value for messages: its beginning and its type; only the type of an array that is not known."""
    if (aval := getattr(value, "aval", None)) is not None and not hasattr(value, "stored"):
        return f"a type, {aval}" if aval is value else f"an array, {aval}"
    return f"{shown(value)} of type {type(value).__name__}"


def refusal(function: str, argument: str, expected: str, value: object, advice: str = "") -> ArgumentError:
    """The error for an argument that is not what is expected."""
    hint = f"; {advice}" if advice else ""
    return ArgumentError(f"{function}: {argument} must be {expected}, got {describe(value)}{hint}")


def _unknown(function: str, argument: str, error: ConcretizationError) -> ConcretizationError:
    """The error for an argument that must be known, from the error of an array that is not."""
    reason = error.reason.removesuffix("Keep it an array")
    advice = "" if reason == error.reason else "Mark the argument static (static_argnums)"
    return ConcretizationError(f"{function}: {argument} must be known: {reason}{advice}")


def flag(function: str, argument: str, value: object) -> bool:
    """True or False, also NumPy's.

    >>> flag("sum", "keepdims", "no")
    Traceback (most recent call last):
    effects.errors.ArgumentError: sum: keepdims must be True or False, got 'no' of type str
      at ...
    """
    if value is True or value is False:
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    unknown = hasattr(value, "aval") and not hasattr(value, "stored")
    advice = "a program is traced for one of them: mark the argument static (static_argnums)" if unknown else ""
    raise refusal(function, argument, "True or False", value, advice)


def counted(count: int, one: str, more: str | None = None) -> str:
    """A count in words: "1 axis", "2 axes".

    >>> counted(1, "axis", "axes"), counted(2, "array")
    ('1 axis', '2 arrays')
    """
    return f"{count} {one if count == 1 else more or one + 's'}"


def integer(function: str, argument: str, value: object) -> int:
    """A Python int, from an int, a NumPy integer, or a known integer array of rank 0; bools are refused.

    >>> integer("sum", "axis", 1.5)
    Traceback (most recent call last):
    effects.errors.ArgumentError: sum: axis must be an int, got 1.5 of type float
      at ...
    """
    if type(value) is int:
        return value
    if not isinstance(value, bool):
        try:
            return int(operator.index(value))  # type: ignore[arg-type]  # raises TypeError for others
        except ConcretizationError as error:
            raise _unknown(function, argument, error) from None
        except ArgumentError as error:  # the array's own error says why it is no int
            raise ArgumentError(f"{function}: {argument} must be an int: {error.reason}") from None
        except TypeError:
            pass
    raise refusal(function, argument, "an int", value)


def natural(function: str, argument: str, value: object) -> int:
    """A count or size: an integer from 0 to `LARGEST`.

    >>> natural("scan", "length", -1)
    Traceback (most recent call last):
    effects.errors.ArgumentError: scan: length must not be negative, got -1
      at ...
    """
    number = integer(function, argument, value)
    if number < 0:
        raise ArgumentError(f"{function}: {argument} must not be negative, got {number}")
    if number > LARGEST:
        raise ArgumentError(f"{function}: {argument} must be less than 2**63, got {describe(value)}")
    return number


def repetitions(function: str, argument: str, value: object) -> int:
    """The number of times that a function repeats its operations: natural, and not too large.

    >>> repetitions("vander", "N", 2**40)
    Traceback (most recent call last):
    effects.errors.ArgumentError: vander: N must be at most 65536, got 1099511627776: each takes operations of its own
      at ...
    """
    number = natural(function, argument, value)
    if number > MOST_REPETITIONS:
        raise ArgumentError(
            f"{function}: {argument} must be at most {MOST_REPETITIONS}, got {number}: each takes operations of its own"
        )
    return number


def integers(function: str, argument: str, value: object) -> tuple[int, ...]:
    """Integers of a tuple, a list, a range or a vector; a single integer counts as one entry.

    >>> integers("moveaxis", "source", [0, np.int8(1)]), integers("moveaxis", "source", 2)
    ((0, 1), (2,))
    """
    if type(value) is int:
        return (value,)
    if type(value) is tuple and _INT.issuperset(map(type, value)):
        return value
    subject = f"an entry of {argument}" if _holds(value) else argument
    return tuple([integer(function, subject, entry) for entry in entries(value)])


def one_or_several(function: str, argument: str, value: object) -> int | tuple[int, ...]:
    """Integers as of `integers`; a single integer stays one."""
    if type(value) is int:
        return value
    numbers = integers(function, argument, value)
    return numbers if _holds(value) else numbers[0]


def entries(value: Any) -> tuple[Any, ...]:
    """The entries of a tuple, a list, a range or a vector; a single value is one entry."""
    return tuple(value) if _holds(value) else (value,)


def _holds(value: object) -> bool:
    """Return True if the value has entries that may be numbers, which those of text and bytes are not."""
    return isinstance(value, tuple | list | range) or getattr(value, "ndim", 0) == 1


def number(function: str, argument: str, value: object) -> float:
    """A known real number: an int or a float of Python or NumPy, or an array of rank 0; bools are refused.

    >>> number("var", "correction", "a")
    Traceback (most recent call last):
    effects.errors.ArgumentError: var: correction must be a real number, got 'a' of type str
      at ...
    """
    if type(value) is int or type(value) is float:
        return value
    bare = value
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        try:
            bare = value.item()
        except ConcretizationError as error:
            raise _unknown(function, argument, error) from None
    if isinstance(bare, int | float) and not isinstance(bare, bool):
        return bare
    raise refusal(function, argument, "a real number", value)


def at_least(function: str, argument: str, value: object, least: float = 0.0) -> float:
    """A known finite number that is not less than `least`."""
    known = number(function, argument, value)
    if not max(least, -_GREATEST) <= known <= _GREATEST:
        bound = "" if least == -math.inf else f" and at least {least:g}"
        raise ArgumentError(f"{function}: {argument} must be finite{bound}, got {shown(known)}")
    return known


def finite(function: str, argument: str, value: object) -> float:
    """A known number that is neither infinite nor NaN."""
    return at_least(function, argument, value, -math.inf)


def positive(function: str, argument: str, value: object) -> float:
    """A known finite number greater than 0."""
    known = number(function, argument, value)
    if not 0 < known <= _GREATEST:
        raise ArgumentError(f"{function}: {argument} must be positive and finite, got {shown(known)}")
    return known


def step_count(function: str, argument: str, value: object, least: int = 1) -> int:
    """A number of steps, which an int32 can count."""
    count = integer(function, argument, value)
    if not least <= count < 2**31:
        raise ArgumentError(f"{function}: {argument} must be at least {least} and less than 2**31, got {count}")
    return count


def choice(function: str, argument: str, value: object, options: Sequence[str] | TypeAliasType) -> str:
    """One of these words, which may be given as a `type Words = Literal[...]`.

    >>> choice("meshgrid", "indexing", "a", ("xy", "ij"))
    Traceback (most recent call last):
    effects.errors.ArgumentError: meshgrid: indexing must be 'xy' or 'ij', got 'a' of type str
      at ...
    """
    words: Sequence[str] = get_args(options.__value__) if isinstance(options, TypeAliasType) else options
    if isinstance(value, str) and value in words:
        return value
    *others, last = [repr(word) for word in words]
    known = names_of("keywords")["choices"].get(value, value.lower()).split(" | ") if isinstance(value, str) else ()
    advice = next((f"write {word!r}" for word in known if word in words), "")
    raise refusal(function, argument, f"{', '.join(others)} or {last}" if others else last, value, advice)


def absolute_path(function: str, argument: str, value: object) -> Path:
    """The path of a file or a folder, wherever the program goes after the call.

    >>> absolute_path("load_checkpoint", "folder", b"/tmp")
    Traceback (most recent call last):
    effects.errors.ArgumentError: load_checkpoint: folder must be a path, got b'/tmp' of type bytes
      at ...
    """
    if not isinstance(value, str | os.PathLike) or not isinstance(path := os.fspath(value), str) or not path:
        raise refusal(function, argument, "a path", value)
    if "\0" in path:
        raise refusal(function, argument, "a path without null characters", value)
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:
        raise refusal(function, argument, "a path in a home that there is", value) from None


def one_name(function: str, argument: str, value: object) -> Hashable:
    """The name of one axis, or None: anything hashable but a tuple, which names several.

    >>> one_name("vmap", "axis_name", ("a", "b"))
    Traceback (most recent call last):
    effects.errors.ArgumentError: vmap: axis_name must be one hashable name, got ('a', 'b') of type tuple
      at ...
    """
    if isinstance(value, tuple) or not isinstance(value, Hashable):
        raise refusal(function, argument, "one hashable name", value)
    return value


def check_callable(function: str, value: object, argument: str = "") -> None:
    """Raise ArgumentError for a value that cannot be called; `argument` is its name if there are several functions.

    >>> check_callable("grad", 3)
    Traceback (most recent call last):
    effects.errors.ArgumentError: grad takes a function, got 3 of type int
      at ...
    """
    if not callable(value):
        raise ArgumentError(f"{function} takes a function{argument and f' as {argument}'}, got {describe(value)}")


def sequence(function: str, argument: str, value: object, description: str) -> Sequence[object]:
    """A tuple or a list; `description` says of what.

    >>> sequence("jvp", "primals", 1.0, "arguments")
    Traceback (most recent call last):
    effects.errors.ArgumentError: jvp: primals must be a tuple or a list of arguments, got 1.0 of type float
      at ...
    """
    if isinstance(value, tuple | list):
        return value
    raise refusal(function, argument, f"a tuple or a list of {description}", value)


def function_name(f: Callable[..., object]) -> str:
    """Name of a function in messages and in compiled programs."""
    inner: object = f
    while not isinstance(name := getattr(inner, "__name__", None), str):
        inner = getattr(inner, "func", None)  # of a partial application
        if inner is None:
            return type(f).__name__
    return name


def in_the_name_of[W: Callable[..., object]](f: Callable[..., object]) -> Callable[[W], W]:
    """Decorator of a function that stands for the user's `f`, whose name and signature it has in messages."""

    def decorate(own: W) -> W:
        own.__name__ = function_name(f)  # kept by `update_wrapper` if `f` has none
        return cast(W, functools.update_wrapper(own, f, updated=()))

    return decorate


@contextmanager
def advising_of_lists(argument: str, tree: object, args: tuple[object, ...]) -> Iterator[None]:
    """Adds advice to a TypeError from a call of a user's function with a tree and others that are lists or tuples."""
    try:
        yield
    except TypeError as error:
        advice = [(argument, tree, f"for a vector write asarray({argument})")]
        advice += [(f"args[{i}]", value, "arguments are passed one by one") for i, value in enumerate(args)]
        for name, value, instead in advice:
            if (kind := type(value)) in (list, tuple):
                error.add_note(f"{name} is a {kind.__name__}, so the function takes a {kind.__name__}; {instead}")
        raise
