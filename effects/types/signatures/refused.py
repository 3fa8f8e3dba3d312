"""Types without values, whose text checkers show where an argument fits no overload."""

from __future__ import annotations

from typing import Literal, Protocol


class Refused[Text: str](Protocol):
    """Type without values, with a text of the expected type.

    Where no overload fits, mypy speaks of the first that would fit with other type arguments, as everything does a
    `Refused`; if there is none it lists all. So a parameter that is one, too, says in a line what is wrong. (None would
    pass for what has `__str__` alone.)
    """

    def __repr__(self) -> Text: ...


type NoArray = Refused[Literal["an array or a number"]]
type NoReal = Refused[Literal["an array of real numbers, or a real number"]]
type NoAxes = Refused[Literal["an int, a tuple of ints, or None"]]
type NoDType = Refused[Literal["a dtype"]]
type NoSizes = Refused[Literal["an int, or a sequence of ints"]]
type NoKey = Refused[Literal["a key"]]
type NoBits = Refused[Literal["an array of integers or bools, or such a number"]]
type NoInteger = Refused[Literal["an integer"]]
type NoFlag = Refused[Literal["True or False"]]
type NoRate = Refused[Literal["a function of the state, the time and args"]]
type NoSuchArgument = Refused[Literal["no argument of this name"]]
type NoParameter = Refused[Literal["x, loc and scale alone"]]

type Missing = Refused[Literal["the shape parameters of the distribution are missing"]]
"""The result of a call that raises since arguments are missing; its text says which ones."""
