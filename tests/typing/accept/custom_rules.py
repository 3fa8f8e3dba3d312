"""Functions with rules of their own: a decorator that takes the rule keeps a function's type, generic ones too."""

from collections.abc import Callable
from functools import partial
from typing import Any, reveal_type

import effects as fx
from effects import F32, Array, Scalar
from handlers import (
    closure_convert,
    custom_batching,
    custom_gradient,
    custom_jvp,
    custom_vjp,
    grad,
    hvp,
    jvp,
    stop_gradient,
)


class N: ...


def rule(primals: tuple[F32[N]], tangents: tuple[F32[N]]) -> tuple[F32[N], F32[N]]:
    return primals[0], tangents[0]


@custom_jvp(rule)
def by_rule(x: F32[N]) -> F32[N]:
    return x


def bare_rule(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    return primals[0], tangents[0]


@custom_jvp(bare_rule)
def generic[D: fx.Inexact](x: Array[D], *, axis: int = 0) -> Array[D]:
    return x


@custom_jvp
def familiar(x: F32[N]) -> Scalar[fx.f32]:
    return x.sum()


@partial(custom_vjp, nondiff_argnums=(1,))
def clipped(x: Array, limit: float) -> Array:
    return fx.clip(x, -limit, limit)


clipped.defvjp(lambda x, limit: (x, None), lambda limit, kept, ct: (ct,))
whole: Array = clipped(fx.ones(3), 2.0)


@custom_vjp(lambda x: (x, 1), lambda kept, ct: (ct,))
def reverse(x: F32[N]) -> F32[N]:
    return x


def functions(x: F32[N]) -> None:
    reveal_type((by_rule, reverse))  # 2 × def (x: Array[float32, tuple[N]]) -> Array[float32, tuple[N]]
    reveal_type(generic(x))  # Array[float32, Any]
    reveal_type(familiar(x))  # Array[float32, tuple[()]]
    reveal_type(familiar.defjvp(bare_rule))
    #: def (primals: tuple[Array[Any, Any]], tangents: tuple[Array[Any, Any]]) -> tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type((grad(familiar)(x), custom_batching(by_rule)(x)))  # 2 × Array[float32, tuple[N]]
    reveal_type(jvp(familiar, (x,), (x,)))  # tuple[Array[float32, tuple[()]], Array[float32, tuple[()]]]


def neighbours(x: F32[N]) -> None:
    reveal_type(hvp(familiar, (x,), (x,)))  # tuple[Array[float32, tuple[N]]]
    reveal_type(stop_gradient({"x": x}))  # dict[str, Array[float32, tuple[N]]]
    reveal_type(jvp(lambda a: (a, 1), (x,), (x,), has_aux=True))
    #: tuple[Array[float32, tuple[N]], Array[float32, tuple[N]], int]
    converted, hoisted = closure_convert(familiar, x)
    reveal_type(converted)  # def (*Any, **Any) -> Array[float32, tuple[()]]
    reveal_type(hoisted)  # list[Array[Any, Any]]


def untyped(x: Any, y: Any) -> Any:
    return x * y


reveal_type(custom_jvp(untyped)(1.0, 2.0))  # Any
reveal_type(grad(custom_jvp(untyped))(1.0, 2.0))  # Array[Any, Any]


@custom_gradient
def sine(x: F32[N]) -> tuple[F32[N], Callable[[F32[N]], F32[N]]]:
    cosine = fx.cos(x)
    return fx.sin(x), lambda ct: ct * cosine


def as_trees(x: F32[N]) -> None:
    reveal_type((sine(x), grad(familiar, holomorphic=True)(x), fx.Partial(sine, x)()))  # 3 × Array[float32, tuple[N]]
    reveal_type(custom_vjp(familiar, nondiff_argnames="x")(x))  # Array[float32, tuple[()]]
