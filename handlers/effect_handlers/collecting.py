"""The handler of `Output`: collects emitted values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, NamedTuple

from effects.arguments import check_callable, refusal
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError
from effects.functions.creation import creation
from effects.requests.standard import Output
from handlers.requests.handled import handled, instead_of
from handlers.requests.handler import Reading
from handlers.stateful.handler import strong


class Emitted(NamedTuple):
    """Values emitted under a name, an axis for each loop and vmap around it, and a mask of where it was emitted."""

    valid: Array
    value: Array


class Collecting(Reading[tuple[()]], Output):
    """Handler without state, which sends values out of a program."""

    _title = "Output"

    def __init__(self) -> None:
        super().__init__(())

    def emit(self, name: str, value: ArrayLike) -> None:
        if not isinstance(name, str):
            raise refusal("Output.emit", "name", "a string", name)
        if name in self.sent:
            raise ArgumentError(
                f"Output.emit: {name!r} is emitted twice; give each its own name, or emit in a scan, which stacks"
            )
        self.send(name, creation.asarray(True), strong(as_array(value, "Output.emit", "value")))


def with_output[**P, R](f: Callable[Concatenate[Output, P], R]) -> Callable[P, tuple[R, dict[str, Emitted]]]:
    """`f` without its first argument: its result, and the emitted values, by name.

    >>> import effects as fx
    >>> from handlers import scan
    >>> def f(out: fx.Output, x: fx.Array) -> fx.Array:
    ...     def step(c: fx.Array, i: fx.Array) -> tuple[fx.Array, None]:
    ...         out.emit("c", c)
    ...         return c + i, None
    ...     return scan(step, x, fx.arange(3))[0]
    >>> with_output(f)(fx.asarray(1))[1]["c"].value
    Array([1, 1, 2], int64)
    """
    check_callable("with_output", f)

    @instead_of(f)
    def collected(*args: P.args, **kwargs: P.kwargs) -> tuple[R, dict[str, Emitted]]:
        handler = Collecting()
        result = handled(handler, f, *args, **kwargs)
        return result, {name: Emitted(*arrays) for name, arrays in handler.sent.items()}

    return collected
