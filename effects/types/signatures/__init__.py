"""Signatures of the public functions for type checkers, by family, as overloads.

A family is a class, and decorates its functions: `@Arithmetic` on `add`, on `maximum`. Nothing happens to them when
the program runs. To a type checker `add` is then an `Arithmetic[(x: ArrayLike, y: ArrayLike, /), Array]`: editors show
this signature, which is that of the `def`, with the docstring below it, and a call is checked by the overloads of
`__call__`. What an overload knows it keeps: the dtype, the shape.

Where a shape or a dtype is not known, several overloads fit, and checkers would give up: mypy unless those that fit
have the same parameters once their type variables are solved, pyright unless one of them has nothing but type
variables as parameters. So parameters are `Array[D, S]` with a variable in each place, and the last overload takes
whatever the function takes as a variable. What Python has below the overloads takes anything, in a line: only checkers
read signatures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, cast

from typing_extensions import TypeVar

from effects.types.dtypes import DType, Floating, Integer, bool_, f64

type Shape = tuple[object, ...]

MYPY = False  # to mypy it is true
P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound=tuple[object, ...])
I = TypeVar("I", bound="Integer | bool_")
J = TypeVar("J", bound="Integer | bool_")
F = TypeVar("F", bound="Floating", default="f64")
"""Floating dtype that integers become: float64, or the one declared for the result (in a block of `default_float`)."""


class Exactly[D: DType](DType):
    """Type in mypy's messages of a dtype where another one is declared for the result: `Array[Exactly[float32], Any]`.

    It tries the overloads as if each gave what is declared. Those that know the dtype then fit no more, and the last
    one, which gives `Any`, would: so they stand there once more, before it, with a result that fits nothing declared.
    """


class Signature(Generic[P, R]):  # noqa: UP046  # the families' methods may then use F, which has a default
    """The base of the families."""

    if TYPE_CHECKING:

        def __init__(self, function: Callable[P, R], /) -> None: ...
    else:

        def __new__(cls, function):
            return function


class Call[G]:
    """Signature of a family whose overloads are those of a function, which methods are, too.

    It is called as that function, and bound to nothing. (What a descriptor gives is no function to pyright.)
    """

    __call__: G

    def __init__(self, signature: G, /) -> None:
        self.__call__ = signature


def typed_as[G](signature: Callable[[], G], /) -> Callable[[Callable[..., object]], G]:
    """Decorator: to the type checker the decorated function has the type of what `signature` would give.

    Nothing happens to the function, and `signature` is never called, so that signatures are imported by type checkers
    only.
    """
    return cast("Callable[[Callable[..., object]], G]", _itself)


def _itself(f: object) -> object:
    return f
