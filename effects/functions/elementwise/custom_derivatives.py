"""Functions with given derivatives, because the derivatives of their programs are not exact enough."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import cast

import handlers
from effects.arrays.array import Array


def with_derivatives[**P](*slopes: Callable[..., Array] | None) -> Callable[[Callable[P, Array]], Callable[P, Array]]:
    """Decorator: f with a derivative for each argument, `slope(f(*args), *args)`, or None for that of f's own program.

    A slope may be differentiated too: it must be smooth where f switches between formulas.
    """

    def decorate(f: Callable[P, Array]) -> Callable[P, Array]:
        def along(i: int) -> Callable[..., Array]:
            slope = slopes[i]
            if slope is not None:
                return lambda t, y, *args: t * slope(y, *args)
            return lambda t, y, *args: handlers.jvp(
                lambda v: f(*args[:i], v, *args[i + 1 :]),  # type: ignore[call-arg]  # its arguments are by position
                (args[i],),
                (t,),
            )[1]

        @cache
        def ruled() -> Callable[P, Array]:
            function = handlers.custom_jvp(f)
            function.defjvps(*map(along, range(len(slopes))))
            return cast(Callable[P, Array], function)

        @wraps(f)
        def computed(*args: P.args, **kwargs: P.kwargs) -> Array:
            return ruled()(*args, **kwargs)

        return computed

    return decorate
