"""`hvp`: the product of a matrix of second derivatives and a vector, without the matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from effects.arguments import check_callable
from effects.arrays.array import Scalar
from effects.errors import ArgumentError
from effects.types.dtypes import Inexact
from handlers.transformations.derivatives.forward import Numbers, jvp
from handlers.transformations.derivatives.gradients import grad


def hvp[D: Inexact, *Ts](
    f: Callable[[*Ts], Scalar[D] | complex], primals: tuple[*Ts], tangents: tuple[*Ts] | Numbers
) -> tuple[*Ts]:
    """The derivative of the gradient of the scalar function `f` along `tangents`: ∂²f(x)·ẋ, forward over reverse.

    `primals` and `tangents` are tuples with one entry per argument, and so is the result. It costs a few times as much
    as `f`, whatever the number of elements.

    Raises the errors of `grad` and `jvp`.

    >>> import effects as fx
    >>> hvp(lambda x: fx.sum(x**3), (fx.asarray([1.0, 2.0]),), (fx.asarray([1.0, 0.0]),))
    (Array([6., 0.], float64),)
    """
    check_callable("hvp", f)
    if not isinstance(primals, tuple | list):
        raise ArgumentError(f"hvp: primals must be a tuple with one entry per argument, got {type(primals).__name__}")
    gradient = cast("Callable[[*Ts], tuple[*Ts]]", grad(f, argnums=tuple(range(len(primals)))))
    return jvp(gradient, primals, tangents)[1]
