"""The stages of `jit` as functions: `trace`, `lower`, and `try_lower` and `try_compile`, which return Results.

They do what the attributes of a jitted function do, `jit(f).trace(x)` and `jit(f).lower(x)`. A type checker checks the
arguments against the function, here also those of functions that are generic or have overloads, but for the arguments
of `trace`, which are also types of arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, overload

from returns.result import Failure, Result, Success

from effects.arguments import check_callable
from effects.errors import ArgumentError, EffaxError
from handlers.transformations.calls.types import Function
from lowering.calls.jitted_function import JittedFunction
from lowering.jit import jit
from lowering.stages import Compiled, Lowered, Trace


def trace(f: Callable[..., object], /, *args: object, **kwargs: object) -> Trace:
    """The program of `f`, jitted or not, for these arguments; a jitted function keeps its static and donated ones.

    Arguments may also be types (`ShapedArray`), so that a type checker does not look at them.

    Raises what `f` raises while it is traced.

    >>> import effects as fx
    >>> trace(fx.sin, fx.zeros(3)).jaxpr
    { lambda a:float64[3] . let b:float64[3] = sin a in ( b ) }
    """
    check_callable("trace", f)
    if isinstance(f, Compiled):
        raise ArgumentError(f"trace takes a function, got {f!r}, which is compiled; give it the function itself")
    function, first = jitted(f)
    traced: Trace = function.trace(*first, *args, **kwargs)
    return traced


@overload
def lower[**P, R](f: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Lowered[R]: ...
@overload  # with `*args`, mypy infers nothing of what has overloads
def lower[**P](
    f: Function[P, Any] | JittedFunction[Function[P, Any]], /, *args: P.args, **kwargs: P.kwargs
) -> Lowered: ...
def lower[**P, R](f: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Lowered[R]:
    """The StableHLO module of `f`, jitted or not, for these arguments: `trace(f, ...).lower()`.

    Raises what `f` raises while it is traced.

    >>> import effects as fx
    >>> "stablehlo.sine" in lower(fx.sin, fx.zeros(3)).as_text()
    True
    """
    check_callable("lower", f)
    return trace(f, *args, **kwargs).lower()


def try_lower[**P, R](f: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Result[Lowered[R], EffaxError]:
    """`lower(f, ...)` as a Result: the module, or what is wrong with the program for these arguments.

    Raises ArgumentError where `f` is no function, and what else `f` raises while it is traced.

    >>> import effects as fx
    >>> try_lower(fx.sin, fx.zeros(3)).map(lambda lowered: "stablehlo.sine" in lowered.as_text())
    <Success: True>
    """
    check_callable("try_lower", f)
    try:
        return Success(lower(f, *args, **kwargs))
    except EffaxError as error:
        return Failure(error)


def try_compile[**P, R](f: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Result[Compiled[R], EffaxError]:
    """`lower(f, ...).compile()` as a Result: the executable, or what is wrong with the program or with compiling it.

    Raises ArgumentError where `f` is no function, and what else `f` raises while it is traced.

    >>> import effects as fx
    >>> x = fx.asarray(2.0)
    >>> try_compile(lambda x: x * x, x).map(lambda compiled: compiled(x)).value_or(None)
    Array(4., float64)
    """
    check_callable("try_compile", f)
    return try_lower(f, *args, **kwargs).bind(_compiled)


def _compiled[R](lowered: Lowered[R]) -> Result[Compiled[R], EffaxError]:
    try:
        return Success(lowered.compile())
    except EffaxError as error:
        return Failure(error)


def jitted(f: Callable[..., object]) -> tuple[Any, tuple[object, ...]]:
    """`f` with the attributes of a jitted function, and the argument that it is bound to."""
    function, first = (f.__func__, (f.__self__,)) if isinstance(f, MethodType) else (f, ())
    return (function, first) if hasattr(function, "trace") else (jit(f), ())
