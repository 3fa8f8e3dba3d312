"""Types of transformed functions, for type checkers; they are not used at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from typing_extensions import TypeVar

from effects.arrays.array import Foreign
from effects.types.signatures.refused import Refused

if TYPE_CHECKING:
    from effects.types.signatures.becoming import FloatingNumber, ImaginaryNumber


class Keeps(Protocol):
    """A decorator that keeps the type of what it decorates."""

    def __call__[G: Callable[..., Any]](self, f: G, /) -> G: ...


F = TypeVar("F", bound=Callable[..., Any], default=Keeps)
"""A function whose type is kept. Without a function a transformation is a decorator, with one signature.

mypy would lose the type of a `functools.partial` of a function with overloads.
"""


class Unspecified:
    """A type of no argument: only functions without annotations, such as lambdas, take it."""


type IntOrInts = Literal[0] | Refused[Literal["an int or a tuple of ints"]]
type NoAux = Literal[False] | Refused[Literal["True only for a function that gives a pair"]]


class Fields(Protocol):
    """A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


class Comparable(Protocol):  # noqa: PLW1641  # values need no hash
    """Values that `==` compares as a whole, to a bool: every tree but None and an array alone, which is compared
    elementwise.

    So overloads tell an array from a tree, also one of which dtype and shape are not known. With an overload for any
    type in its place both would fit such an array, and mypy takes the result for Any where two do.
    """

    def __eq__(self, other: object, /) -> bool: ...


type Tree = Comparable | None
"""A tree that is not an array alone."""

type Number = complex | Foreign
"""Values that become arrays: Python's numbers, and NumPy's numbers and arrays."""


type RealNumber = FloatingNumber | Foreign
"""Real numbers with respect to which there are gradients: `float` would include integers, which have none."""
type Varying = RealNumber | ImaginaryNumber

type Counted = (
    tuple[complex, *tuple[object, ...]]
    | tuple[object, complex, *tuple[object, ...]]
    | tuple[object, object, complex, *tuple[object, ...]]
    | tuple[object, object, object, complex, *tuple[object, ...]]
)
"""A tuple with a Python number, which becomes an array, so that the type of the result differs."""


class Whole:
    """Base of objects that are called like a function that they hold, which is not bound to them."""


class Function[**P, R]:
    """A function, to the type checker: it is one that runs.

    Of a lambda mypy cannot tell which overload is meant. Where they give Callables it takes the result for an untyped
    function, which `strict` refuses to call; where they give these, for one of which nothing is known.
    """

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        raise NotImplementedError
