"""Transformations: functions keep their parameters, gradients have the types of arguments."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict, overload, reveal_type

import effects as fx
from effects import F32, Array, Jaxpr, Scalar
from handlers import (
    checkpoint,
    cond,
    eval_shape,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linear_transpose,
    linearize,
    make_jaxpr,
    value_and_grad,
    vjp,
    vmap,
)
from lowering import compile_all, device_put, jit, lower, trace


class N: ...


class K: ...


def loss(w: F32[K], x: F32[N, K], *, scale: float = 1.0) -> Scalar[fx.f32]:
    return (x @ w).sum() * scale


def bare_loss(w: Array, x: Array) -> Array:
    return fx.sum(w * x)


def float_loss(x: float) -> float:
    return x * x


def with_aux(w: F32[K], x: F32[N, K]) -> tuple[Scalar[fx.f32], dict[str, Array]]:
    y = x @ w
    return y.sum(), {"y": y}


def generic[D: fx.Inexact](w: Array[D], x: Array[D]) -> Scalar[D]:
    return fx.sum(w * x)


@overload
def either(x: int) -> int: ...
@overload
def either(x: F32[K]) -> F32[K]: ...
def either(x: Any) -> Any:
    return x


class Layer(NamedTuple):
    weight: F32[N, K]
    bias: F32[N]


@dataclass(frozen=True)
class Model:
    layer: Layer
    rate: float

    def __call__(self, x: F32[K]) -> F32[N]:
        return self.layer.weight @ x + self.layer.bias

    @jit
    def energy(self, x: F32[K]) -> Scalar[fx.f32]:
        return self(x).sum()


class Params(TypedDict):
    w: F32[K]
    b: Scalar[fx.f32]


def model_loss(model: Model, x: F32[K]) -> Scalar[fx.f32]:
    return model(x).sum()


def params_loss(params: Params, x: F32[N, K]) -> Scalar[fx.f32]:
    return (x @ params["w"] + params["b"]).sum()


def tuple_loss(params: tuple[F32[K], Scalar[fx.f32]], x: F32[K]) -> Scalar[fx.f32]:
    return (params[0] * x).sum() + params[1]


def dict_loss(params: dict[str, Array], x: Array) -> Array:
    return fx.sum(params["w"] * x)


def compiled(model: Model, w: F32[K], x: F32[N, K], v: F32[K]) -> None:
    reveal_type(jit(loss))
    #: JittedFunction[def (w: Array[float32, tuple[K]], x: Array[float32, tuple[N, K]], *, scale: float =) ->
    #: Array[float32, tuple[()]]]
    reveal_type(jit(generic))
    #: JittedFunction[def [D <: Inexact] (w: Array[D, Any], x: Array[D, Any]) -> Array[D, tuple[()]]]
    reveal_type(jit(either))
    #: JittedFunction[Overload(def (x: int) -> int, def (x: Array[float32, tuple[K]]) -> Array[float32, tuple[K]])]
    reveal_type((jit(generic)(w, v), jit(either)(w)))  # tuple[Array[float32, tuple[()]], Array[float32, tuple[K]]]
    reveal_type(jit(loss).lower(w, x).compile()(w, x))  # Array[float32, tuple[()]]
    reveal_type(jit(grad(loss)).lower(w, x=x, scale=2.0).compile()(w, x))  # Array[float32, tuple[K]]
    reveal_type(jit(lambda a: fx.sin(a)).lower(w).compile())  # Compiled[Array[Any, Any]]
    reveal_type((jit(grad(lambda a: a.sum())).lower(w), jit(fx.sin).lower(w).compile()))
    #: tuple[Lowered[Array[Any, Any]], Compiled[Array[Any, Any]]]
    reveal_type(model.energy.lower(v))  # Lowered[Array[float32, tuple[()]]]
    reveal_type(jit(generic).lower(w, v))  # Lowered[Array[Any, Any]]
    pair = w, w
    lower(vmap(bare_loss), *pair), lower(jit(grad(bare_loss)), *pair)
    reveal_type(lower(loss, w, x).compile()(w, x))  # Array[float32, tuple[()]]
    reveal_type(jit(loss).trace(w, x).lower().as_text())  # str
    reveal_type(jit(loss, donate_argnums=0)(w, x=x, scale=2.0))  # Array[float32, tuple[()]]
    reveal_type(jit(loss, donate_argnames=("w", "x"))(w, x=x))  # Array[float32, tuple[()]]
    reveal_type(jit(static_argnames="scale")(loss)(w, x=x, scale=2.0))  # Array[float32, tuple[()]]
    reveal_type(checkpoint(loss, static_argnames="scale")(w, x=x, scale=2.0))  # Array[float32, tuple[()]]
    reveal_type(cond(True, lambda w: w, lambda w: w, operand=w))  # Array[float32, tuple[K]]
    reveal_type(lower(loss, w, x).cost_analysis())  # dict[str, float]
    reveal_type(checkpoint(static_argnums=0)(bare_loss))
    #: def (w: Array[Any, Any], x: Array[Any, Any]) -> Array[Any, Any]
    reveal_type(model.energy(v))  # Array[float32, tuple[()]]
    reveal_type(trace(loss, w, x, scale=2.0).jaxpr)  # Jaxpr
    reveal_type(compile_all([(jit(loss), w, x), trace(loss, fx.ShapedArray((3,), fx.float32), x=x)]))
    #: list[Compiled[Any]]
    reveal_type(lower(jit(loss), w, x).as_text())  # str
    reveal_type(device_put(model))  # Model
    reveal_type((jit(fx.sum)(w), jit(fx.max)(w), jit(fx.mean)(w)))  # 3 × Array[float32, tuple[()]]
    reveal_type((lower(fx.sum, w), lower(jit(fx.var), w)))  # 2 × Lowered[Array[float32, tuple[()]]]
    reveal_type((jit(fx.quantile)(w, 0.5), jit(fx.cumsum)(w)))  # 2 × Array[float32, Any]


def gradients(w: F32[K], x: F32[N, K], v: F32[K], model: Model, params: Params) -> None:
    reveal_type(grad(loss))
    #: GradOfFirst[Array[float32, tuple[K]], [x: Array[float32, tuple[N, K]], *, scale: float =]]
    reveal_type(grad(bare_loss))  # GradOfFirst[Array[Any, Any], [x: Array[Any, Any]]]
    reveal_type(grad(float_loss)(2.0))  # Array[Any, Any]
    reveal_type(grad(generic)(w, v))  # Array[float32, Any]
    reveal_type((jit(grad(loss))(w, x=x, scale=2.0), grad(loss, 0)(w, x)))  # 2 × Array[float32, tuple[K]]
    reveal_type(grad(loss, argnums=1)(w, x))  # Array[float32, tuple[N, K]]
    reveal_type(grad(loss, argnums=(0, 1))(w, x))  # tuple[Array[float32, tuple[K]], Array[float32, tuple[N, K]]]
    reveal_type(grad(bare_loss, argnums=1)(w, v))  # Array[Any, Any]
    reveal_type(grad(with_aux, has_aux=True)(w, x))  # tuple[Array[float32, tuple[K]], dict[str, Array[Any, Any]]]
    reveal_type(value_and_grad(loss))
    #: ValueAndGradOfFirst[Array[float32, tuple[K]], [x: Array[float32, tuple[N, K]], *, scale: float =],
    #: Array[float32, tuple[()]]]
    reveal_type(value_and_grad(bare_loss)(w, x=v))  # tuple[Array[Any, tuple[()]], Array[float32, tuple[K]]]
    reveal_type(value_and_grad(float_loss)(2.0))  # tuple[Array[Any, tuple[()]], Array[Any, Any]]
    reveal_type(value_and_grad(with_aux, has_aux=True)(w, x))
    #: tuple[tuple[Array[float32, tuple[()]], dict[str, Array[Any, Any]]], Array[float32, tuple[K]]]
    reveal_type(value_and_grad(loss, argnums=(0, 1))(w, x))
    #: tuple[Array[float32, tuple[()]], tuple[Array[float32, tuple[K]], Array[float32, tuple[N, K]]]]
    reveal_type(grad(model_loss)(model, v))  # Model
    reveal_type(grad(params_loss)(params, x)["b"])  # Array[float32, tuple[()]]
    reveal_type(grad(tuple_loss)((w, w.sum()), v))  # tuple[Array[float32, tuple[K]], Array[float32, tuple[()]]]
    reveal_type(grad(dict_loss)({}, v))  # dict[str, Array[Any, Any]]
    reveal_type(grad(grad(fx.sin))(w.sum()))  # Array[float32, tuple[()]]
    reveal_type(grad(lambda z: z * z))  # GradOfUntyped


def derivatives(w: F32[K], v: F32[K], s: Scalar[fx.f32]) -> None:
    def f(a: F32[K], b: Scalar[fx.f32]) -> F32[K]:
        return a * b

    reveal_type(jvp(f, (w, s), (v, s)))  # tuple[Array[float32, tuple[K]], Array[float32, tuple[K]]]
    reveal_type(vjp(f, w, s))
    #: tuple[Array[float32, tuple[K]], def (Array[float32, tuple[K]] | complex) -> tuple[Array[float32, tuple[K]],
    #: Array[float32, tuple[()]]]]
    reveal_type(linearize(f, w, s))
    #: tuple[Array[float32, tuple[K]], Linear[Array[float32, tuple[K]], Array[float32, tuple[K]], Array[float32,
    #: tuple[()]]]]
    reveal_type(jvp(fx.sin, (w,), (v,)))  # tuple[Array[float32, tuple[K]], Array[float32, tuple[K]]]
    reveal_type(vjp(lambda a: (a, s), w, has_aux=True))
    #: tuple[Array[float32, tuple[K]], def (Array[float32, tuple[K]] | complex) -> tuple[Array[float32, tuple[K]]],
    #: Array[float32, tuple[()]]]
    reveal_type(jacfwd(f)(w, b=s))  # Array[float32, Any]
    reveal_type(hessian(lambda a: fx.sum(a**3)))  # Jacobian[Any, [], Array[Any, Any]]
    reveal_type(linearize(lambda a: (a, s), w, has_aux=True))
    #: tuple[Array[float32, tuple[K]], Linear[Array[float32, tuple[K]], Array[float32, tuple[K]]], Array[float32,
    #: tuple[()]]]
    reveal_type(jacrev(with_aux, has_aux=True))
    #: JacobianAndAux[Array[float32, tuple[K]], [x: Array[float32, tuple[N, K]]], Array[float32, tuple[()]], dict[str,
    #: Array[Any, Any]]]
    reveal_type(hessian(with_aux, 0, True)(w, fx.outer(v, v)))  # tuple[Any, dict[str, Array[Any, Any]]]
    reveal_type(linear_transpose(lambda a: 2.0 * a, w))  # def (Any | complex) -> tuple[Any, ...]


def others(w: F32[K], x: F32[N, K], flag: fx.Bool[()]) -> None:
    reveal_type(cond(flag, fx.sin, fx.cos, w))  # Array[float32, tuple[K]]
    reveal_type(cond(True, lambda a: a + 1.0, lambda a: -a, w))  # Array[float32, tuple[K]]
    reveal_type(make_jaxpr(loss))
    #: def (w: Array[float32, tuple[K]], x: Array[float32, tuple[N, K]], *, scale: float =) -> Jaxpr
    reveal_type((make_jaxpr(fx.sin)(w), make_jaxpr(loss, static_argnames="scale")(w, x, scale=2.0)))  # 2 × Jaxpr
    reveal_type(vmap(loss, in_axes=(None, 0)))
    #: Mapped[[w: Array[float32, tuple[K]], x: Array[float32, tuple[N, K]], *, scale: float =], Array[float32,
    #: tuple[()]]]
    reveal_type(eval_shape(loss, w, x))  # ShapedArray
    mapped: Array = vmap(lambda row: fx.sum(row))(x)
    programs: Callable[[F32[K]], Jaxpr] = make_jaxpr(fx.exp)
    fx.concat([mapped, w]), programs(w)
