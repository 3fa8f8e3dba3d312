"""`odeint`: the states of an ordinary differential equation at known times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, Unpack, overload

import handlers
from effects.arguments import choice
from effects.arrays.array import Array, ArrayLike
from effects.errors import ArgumentError
from effects.integrate.gradients import adjoint, checkpointed
from effects.integrate.methods import RODAS4
from effects.integrate.problems import MethodName, Rate, StepOptions, problem, settings
from effects.types.signatures.refused import NoRate

type Gradient = Literal["adjoint", "checkpointed"]


class Options(StepOptions, total=False):
    """Arguments of `odeint` by name."""

    gradient: Gradient


@overload
def odeint(
    f: Rate | NoRate, y0: ArrayLike, t: ArrayLike | Sequence[float], *args: object, **options: Unpack[Options]
) -> Array: ...
@overload
def odeint[P](
    f: Rate | NoRate, y0: P, t: ArrayLike | Sequence[float], *args: object, **options: Unpack[Options]
) -> P: ...
def odeint(
    f: Any,  # as the overloads say
    y0: Any,
    t: ArrayLike | Sequence[float],
    *args: object,
    rtol: float = 1.4e-8,
    atol: float = 1.4e-8,
    hmax: float = math.inf,
    mxstep: int | None = None,
    method: MethodName = "dopri5",
    gradient: Gradient | None = None,
) -> Any:
    """y(tᵢ) of dy/dt = f(y, t, *args), y(t₀) = y0, at the times t, ascending or descending: a tree like y0.

    States are trees of floats or complex numbers; the leaves of the result have the times as their first axis. The
    error of a step is at most atol + rtol · |y|, in the root mean square over the state; no step is longer than `hmax`.
    `method` is "dopri5" (Dormand and Prince 1980), "tsit5" (Tsitouras 2011), or "rodas4" (Hairer and Wanner 1996) for
    stiff equations.

    The result is differentiable in y0, t, `args`, and the values that `f` closes over, to any order and in each mode.
    The `gradient` "adjoint" is that of the equation: it solves the adjoint equation backwards, the equation of the
    tangents forwards, and saves only the result. "checkpointed" differentiates the steps, and saves the state at each.
    Solving stiff equations backwards is unstable: of "rodas4" the gradient is "checkpointed", of the others by default
    "adjoint".

    States are NaN from the point where the slope is not finite, the step underflows, or more than `mxstep` steps are
    needed (from each time to the next, by default 2³¹ - 1; with "checkpointed" in all, by default 1024, for which
    memory is reserved). All but the first are NaN if times that are unknown when traced are not in order.

    Raises ArgumentError for a bad tolerance, known times that are not in order, and if the first parameter of `f` is
    named t; TreeError, ShapeError or DTypeError if the slope is not like y0.

    >>> import effects as fx
    >>> fx.integrate.odeint(lambda y, t, rate: -rate * y, 1.0, [0.0, 1.0, 2.0], 0.5).round(6)
    Array([1.      , 0.606531, 0.367879], float64)
    """
    usual = "checkpointed" if choice("odeint", "method", method, MethodName) == "rodas4" else "adjoint"
    backwards = choice("odeint", "gradient", usual if gradient is None else gradient, Gradient)
    most = 2**31 - 1 if backwards == "adjoint" else 1024
    known = settings("odeint", method, rtol, atol, hmax, mxstep, most)
    if known.method is RODAS4 and backwards == "adjoint":
        raise ArgumentError(
            "odeint: method 'rodas4' needs gradient='checkpointed': stiff equations cannot be solved backwards"
        )
    equation = problem("odeint", f, y0, t, args, known.method)
    solve = adjoint if backwards == "adjoint" else checkpointed
    ys = solve(equation.slope, known, equation.y, equation.times, equation.parameters, equation.constants)
    return handlers.vmap(equation.tree)(ys)
