"""Functions with rules of their own: `custom_jvp`, `custom_vjp`, `custom_gradient`, those of batches and transposes.

Each returns a `CustomFunction`, which can also have the rules of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, cast, overload

from effects.arguments import check_callable, describe, flag, function_name
from effects.arrays.array import Array
from effects.errors import TreeError
from effects.trees.pytree import tree_leaves
from handlers.transformations.calls.arguments import named_after
from handlers.transformations.calls.types import Keeps
from handlers.transformations.custom_rules.closures import hoisting
from handlers.transformations.custom_rules.functions import CustomFunction, Names, Positions


def custom_jvp[**P, R](
    f: Callable[P, R], /, *, nondiff_argnums: Positions = (), nondiff_argnames: Names = ()
) -> CustomFunction[P, R]:
    """A function with a custom forward derivative.

    `@custom_jvp(rule)` decorates it with `rule(primals, tangents)` → (result, tangent); or `f = custom_jvp(f)`, then
    `f.defjvp(rule)` or `f.defjvps(rule of argument 0, ...)`. Reverse mode follows from the rule, which must be linear
    in the tangents; all other transformations see the function itself. `nondiff_argnums` and `nondiff_argnames` are as
    for `CustomFunction`.

    Raises TreeError, ShapeError or DTypeError naming the rule when its result does not fit.

    >>> import effects as fx
    >>> from handlers import grad
    >>> def rule(primals, tangents):
    ...     (x,), (dx,) = primals, tangents
    ...     return log1pexp(x), dx * (1 - 1 / (1 + fx.exp(x)))
    >>> @custom_jvp(rule)
    ... def log1pexp(x):
    ...     return fx.log(1.0 + fx.exp(x))
    >>> grad(log1pexp)(100.0)
    Array(1., float64)
    """
    check_callable("custom_jvp", f)
    return CustomFunction(f, "custom_jvp", nondiff_argnums, nondiff_argnames)


@overload  # first, as mypy takes it for that of a `functools.partial`
def custom_vjp[**P, R](
    f: Callable[P, R], /, *, nondiff_argnums: Positions = (), nondiff_argnames: Names = ()
) -> CustomFunction[P, R]: ...
@overload
def custom_vjp[*Ts, R, K](fwd: Callable[[*Ts], tuple[R, K]], bwd: Callable[[K, R], tuple[Any, ...]], /) -> Keeps: ...
@overload
def custom_vjp(fwd: Callable[..., Any], bwd: Callable[..., Any], /, *, symbolic_zeros: Literal[True]) -> Keeps: ...
@overload
def custom_vjp(
    fwd: Callable[..., Any],
    bwd: Callable[..., Any],
    /,
    *,
    nondiff_argnums: Positions,
    nondiff_argnames: Names = (),
    symbolic_zeros: bool = False,
) -> Keeps: ...
@overload
def custom_vjp(
    fwd: Callable[..., Any], bwd: Callable[..., Any], /, *, nondiff_argnames: Names, symbolic_zeros: bool = False
) -> Keeps: ...
def custom_vjp(
    f_or_fwd: Callable[..., Any],
    bwd: Callable[..., Any] | None = None,
    /,
    *,
    nondiff_argnums: Positions = (),
    nondiff_argnames: Names = (),
    symbolic_zeros: bool = False,
) -> Any:
    """A function with a custom reverse derivative.

    `@custom_vjp(fwd, bwd)` decorates it with `fwd(*args)` → (result, residuals) and `bwd(residuals, cotangent)` → a
    tuple of cotangents, None for zero; or `f = custom_vjp(f)`, then `f.defvjp(fwd, bwd)`. Forward mode needs a jvp rule
    too (`f.defjvp`).

    With `symbolic_zeros` missing cotangents are None instead of zeros, and `fwd` gets a `Primal` for each array.
    `nondiff_argnums` and `nondiff_argnames` are as for `CustomFunction`.

    Raises TreeError, ShapeError or DTypeError naming the rule when its result does not fit, MissingRule when its
    derivative is run forwards without a jvp rule.

    >>> import effects as fx
    >>> from handlers import grad
    >>> @custom_vjp(lambda lo, hi, x: (x, (lo, hi)), lambda kept, ct: (None, None, fx.clip(ct, *kept)))
    ... def clip_gradient(lo, hi, x):
    ...     return x
    >>> grad(lambda x: 5.0 * clip_gradient(-1.0, 1.0, x))(2.0)
    Array(1., float64)
    """
    check_callable("custom_vjp", f_or_fwd)
    symbolic_zeros = flag("custom_vjp", "symbolic_zeros", symbolic_zeros)
    if bwd is None:
        return CustomFunction(f_or_fwd, "custom_vjp", nondiff_argnums, nondiff_argnames)
    check_callable("custom_vjp", bwd, "bwd")

    def decorate(function: Callable[..., Any]) -> CustomFunction[..., Any]:
        check_callable("custom_vjp", function)
        custom: CustomFunction[..., Any] = CustomFunction(function, "custom_vjp", nondiff_argnums, nondiff_argnames)
        custom.defvjp(f_or_fwd, bwd, symbolic_zeros)
        return custom

    return decorate


def custom_gradient[**P, R](f: Callable[P, tuple[R, Callable[[R], object]]], /) -> CustomFunction[P, R]:
    """A function made from one that returns (result, rule): `rule(cotangent)` → the cotangents of the arguments.

    They are a tuple, or the cotangent itself if one argument holds arrays. The rule may close over intermediate arrays
    of the function, which are its residuals.

    Raises TreeError, ShapeError or DTypeError naming the rule when its result does not fit.

    >>> import effects as fx
    >>> from handlers import grad
    >>> @custom_gradient
    ... def sine(x):
    ...     cosine = fx.cos(x)
    ...     return fx.sin(x), lambda ct: 10.0 * ct * cosine
    >>> grad(sine)(0.0)
    Array(10., float64)
    """
    check_callable("custom_gradient", f)

    def pair(*args: Any) -> tuple[Any, Callable[..., Any]]:
        out: Any = f(*args)  # type: ignore[call-arg]  # positional ones, as `CustomFunction` makes them
        if not isinstance(out, tuple | list) or len(out) != 2 or not callable(out[1]):
            raise TreeError(
                f"custom_gradient: {function_name(f)} must return a pair (result, rule), got {describe(out)}"
            )
        return out[0], out[1]

    @named_after(f)
    def result(*args: Any) -> Any:
        return pair(*args)[0]

    def fwd(*args: Any) -> tuple[Any, Any]:
        value, rule = pair(*args)
        backward, hoisted = hoisting("custom_gradient", rule, value)
        return value, (backward, hoisted, [bool(tree_leaves(arg)) for arg in args])

    def bwd(residuals: tuple[Callable[..., Any], list[Array], list[bool]], ct: Any) -> Any:
        rule, hoisted, differentiable = residuals
        cotangents = rule(ct, *hoisted)
        if isinstance(cotangents, tuple | list) or sum(differentiable) != 1:
            return cotangents
        return tuple([cotangents if varies else None for varies in differentiable])

    bwd.__name__ = "of custom_gradient"  # for messages: each call has its own rule
    custom: CustomFunction[P, R] = CustomFunction(cast(Callable[P, R], result), "custom_gradient")
    custom.defvjp(fwd, bwd)
    return custom


def custom_batching[**P, R](f: Callable[P, R], /) -> CustomFunction[P, R]:
    """A function with a custom rule for `vmap`.

    `f = custom_batching(f)`, then `f.defbatch(rule)`, `rule(size, batched, *args)` → (result, which parts of it are
    batched). Derivatives are those of the function; the batch of a forward derivative uses the rule.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> dot = custom_batching(lambda x, y: fx.sum(x * y))
    >>> rule = dot.defbatch(lambda size, batched, x, y: (fx.sum(x * y, axis=-1), True))
    >>> vmap(dot)(fx.ones((2, 3)), fx.ones((2, 3)))
    Array([3., 3.], float64)
    """
    check_callable("custom_batching", f)
    return CustomFunction(f, "custom_batching")


def custom_transpose[K, X, R](f: Callable[[K, X], R], /) -> CustomFunction[[K, X], R]:
    """A function `f(residuals, x)`, linear in x, with a custom transpose.

    `f = custom_transpose(f)`, then `f.deftranspose(rule)` with `rule(residuals, cotangent)` → the cotangent of x.

    >>> import effects as fx
    >>> from handlers import grad
    >>> scaled = custom_transpose(lambda factor, x: factor * x)
    >>> rule = scaled.deftranspose(lambda factor, ct: 10.0 * factor * ct)
    >>> grad(lambda x: scaled(3.0, x))(1.0)
    Array(30., float64)
    """
    check_callable("custom_transpose", f)
    return CustomFunction(f, "custom_transpose")
