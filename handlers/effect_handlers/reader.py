"""The handler of `Ask`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate

from effects.arguments import check_callable
from effects.requests.standard import Ask
from effects.trees.pytree import tree_map
from handlers.requests.handled import handled, instead_of
from handlers.requests.handler import Reading


class Reader[C](Reading[C], Ask[C]):
    """Handler whose state is the value that is read."""

    _title = "Ask"

    def ask(self) -> C:
        return tree_map(lambda leaf: leaf, self.state)  # a copy, so that the program may change containers


def with_reader[C, **P, R](f: Callable[Concatenate[Ask[C], P], R], config: C) -> Callable[P, R]:
    """`f` without its first argument, which provides the configuration: a tree of arrays and hashable values.

    >>> import effects as fx
    >>> from lowering import jit
    >>> def f(asks: fx.Ask[dict[str, float]], x: fx.Array) -> fx.Array:
    ...     return jit(lambda x: x * asks.ask()["scale"])(x)
    >>> with_reader(f, {"scale": 3.0})(fx.ones(2))
    Array([3., 3.], float64)
    """
    check_callable("with_reader", f)

    @instead_of(f)
    def supplied(*args: P.args, **kwargs: P.kwargs) -> R:
        return handled(Reader(config), f, *args, **kwargs)

    return supplied
