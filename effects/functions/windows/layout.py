"""Arguments of window functions: strides, dilation and padding along each axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from effects.arguments import choice, integer, refusal, shown
from effects.errors import ArgumentError
from effects.types.shapes import Ints

type Words = Literal["valid", "same", "same_lower", "VALID", "SAME", "SAME_LOWER"]
type Padding = Words | int | Sequence[int | tuple[int, int]]

_WORDS: Final = ("same", "same_lower", "valid")
_FARTHEST: Final = 2**31 - 1


def per_axis(function: str, argument: str, value: object, n: int) -> tuple[object, ...]:
    """An entry for each axis, from one for each or one for all."""
    if not isinstance(value, tuple | list):
        return (value,) * n
    if len(value) != n:
        raise ArgumentError(f"{function}: {argument} must have an entry for each of {n} axes, got {shown(value)}")
    return tuple(value)


def positive(function: str, argument: str, value: object, n: int) -> Ints:
    """A positive number for each of `n` axes."""
    numbers = tuple([checked_integer(function, argument, entry) for entry in per_axis(function, argument, value, n)])
    if any([number < 1 for number in numbers]):
        raise ArgumentError(f"{function}: {argument} must be positive, got {shown(value)}")
    return numbers


def checked_integer(function: str, argument: str, value: object) -> int:
    """An integer within the limits of windows."""
    number = integer(function, argument, value)
    if abs(number) > _FARTHEST:
        raise ArgumentError(f"{function}: {argument} must be less than 2**31, got {shown(value)}")
    return number


def explicit_padding(
    function: str, padding: object, sizes: Sequence[int], reaches: Sequence[int], strides: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    """Padding before and after each axis of size `sizes`, for a kernel of size `reaches`."""
    if not isinstance(padding, str):
        return tuple([_pair(function, entry) for entry in per_axis(function, "padding", padding, len(sizes))])
    word = choice(function, "padding", padding.lower(), _WORDS)
    if word == "valid":
        return ((0, 0),) * len(sizes)
    pairs = []
    for size, reach, stride in zip(sizes, reaches, strides, strict=True):
        total = max((-(-size // stride) - 1) * stride + reach - size, 0)
        less, more = total // 2, total - total // 2
        pairs.append((less, more) if word == "same" else (more, less))
    return tuple(pairs)


def _pair(function: str, entry: object) -> tuple[int, int]:
    if not isinstance(entry, tuple | list):
        number = checked_integer(function, "padding", entry)
        return number, number
    if len(entry) != 2:
        raise refusal(function, "an entry of padding", "a number or a pair (before, after)", entry)
    before, after = [checked_integer(function, "an entry of padding", side) for side in entry]
    return before, after
