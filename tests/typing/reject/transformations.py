"""Wrong use of transformations."""

from typing import NamedTuple, TypedDict

import effects as fx
from effects import F32, I32, Array, Scalar
from handlers import (
    checkpoint,
    cond,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    make_jaxpr,
    value_and_grad,
    vjp,
    vmap,
)
from lowering import jit, lower


class N: ...


class Params(TypedDict):
    w: F32[N]


class Layer(NamedTuple):
    weight: F32[N]
    bias: Scalar[fx.f32]


class Model:
    @jit
    def energy(self, x: F32[N]) -> Scalar[fx.f32]:
        return x.sum()


def loss(w: F32[N], x: F32[N]) -> Scalar[fx.f32]:
    return (w * x).sum()


def bare_loss(w: Array, x: Array) -> Array:
    return (w * x).sum()


def counts(w: F32[N]) -> Scalar[fx.i64]:
    return w.argmax()


def vector(w: F32[N]) -> F32[N]:
    return w


def pair(w: F32[N]) -> tuple[Scalar[fx.f32], F32[N]]:
    return w.sum(), w


def text(w: Array) -> str:
    return repr(w)


def params_loss(params: Params, x: F32[N]) -> Scalar[fx.f32]:
    return (params["w"] * x).sum()


def layer_loss(layer: Layer) -> Scalar[fx.f32]:
    return layer.weight.sum() + layer.bias


def generic[D: fx.Inexact](x: Array[D]) -> Scalar[D]:
    return fx.sum(x)


def gradients(w: F32[N], i: I32[N], params: Params, layer: Layer) -> None:
    grad(counts)  # E: "Refused[Literal['a function that gives a floating scalar, or a pair with has_aux=True']]"
    grad(vector)  # E: expected "Refused[Literal['a function that gives a floating scalar
    grad(text)  # E: Argument 1 to "grad" has incompatible type "Callable[[Array[Any, Any]], str]"
    value_and_grad(vector)  # E: Argument 1 to "value_and_grad" has incompatible type
    grad(pair)  # E: or a pair with has_aux=True
    value_and_grad(pair)  # E: or a pair with has_aux=True
    grad(loss, argnum=1)  # E: Argument "argnum" to "grad" has incompatible type "int"; expected "Refused[
    value_and_grad(loss, aux=True)  # E: expected "Refused[Literal['no argument of this name']]"
    grad(loss)(w)  # E: Missing positional argument "x"
    grad(bare_loss)(w)  # E: "GradOfFirst" matches argument type
    grad(loss)(w, w, w)  # E: Too many arguments
    grad(loss)(w, y=w)  # E: Unexpected keyword argument "y"
    grad(loss)(i, w)  # E: Argument 1 to "__call__" of "GradOfFirst" has incompatible type "Array[int32, tuple[N]]"
    grad(loss, argnums="w")  # E: 'an int or a tuple of ints'
    grad(loss, has_aux=True)  # E: or a pair with has_aux=True
    grad(params_loss)({"v": w}, w)  # E: Missing key "w" for TypedDict "Params"
    grad(params_loss)(params, w)["v"]  # E: TypedDict "Params" has no key "v"
    grad(layer_loss)(layer).gain  # E: "Layer" has no attribute "gain"
    grad(generic)(i)  # E: "GradOfFirst" cannot be "int32"
    _value, _slope, _aux = value_and_grad(loss)(w, w)  # E: Need more than 2 values to unpack


def compiled(w: F32[N], i: I32[N], model: Model) -> None:
    jit(loss)(w)  # E: Missing positional argument "x" in call to "loss"
    jit(loss).lower(w)  # E: Missing positional argument "x" in call to "lower"
    jit(vector).lower(i)  # E: Argument 1 to "lower" of "JittedFunction" has incompatible type "Array[int32, tuple[N]]"
    jit(loss)(w, z=w)  # E: Unexpected keyword argument "z" for "loss"
    jit(loss)(w, i)  # E: Argument 2 to "loss" has incompatible type "Array[int32, tuple[N]]"
    jit(grad(loss))(w, 1)  # E: Argument 2 to "__call__" of "GradOfFirst" has incompatible type "int"
    jit(3)  # E: Argument 1 to "jit" has incompatible type "int"
    jit(loss, static_argnums="w")  # E: Argument "static_argnums" to "jit" has incompatible type "str"
    checkpoint(loss, static_argnums="w")  # E: Argument "static_argnums" to "checkpoint" has
    model.energy(w, w)  # E: Too many arguments
    lower(loss, w)  # E: No overload variant of "lower"
    make_jaxpr(loss)(w, "x")  # E: Argument 2 has incompatible type "str"
    make_jaxpr(loss, static_argnums="w")  # E: Argument "static_argnums" to "make_jaxpr" has incompatible type "str"
    fx.sqrt(jit(generic)(w)) + jit(text)(w)  # E: of "OfFractions" has incompatible type "str"


def derivatives(w: F32[N], s: Scalar[fx.f32]) -> None:
    jvp(loss, (w, w), (w,))  # E: Argument 1 to "jvp" has incompatible type
    jvp(loss, (w,), (w,))  # E: Argument 1 to "jvp" has incompatible type
    vjp(loss, w)  # E: Argument 1 to "vjp" has incompatible type
    vjp(loss, w, w)[1](w)  # E: "Array[float32, tuple[N]]"; expected "Array[float32, tuple[()]] | complex"
    linearize(loss, w, w)[1](w)  # E: No overload variant of "__call__" of "Linear"
    linearize(loss, w, w, has_aux=True)  # E: True only for a function that gives a pair
    linearize(loss, w, w, aux=True)  # E: Argument "aux" to "linearize" has incompatible type "bool"
    jacfwd(loss, has_aux=True)  # E: True only for a function that gives a pair
    jacfwd(loss, allow_int=True)  # E: 'no argument of this name'
    jacrev(loss, argnum=1)  # E: Argument "argnum" to "jacrev" has incompatible type "int"
    hessian(loss, argnums="w")  # E: 'an int or a tuple of ints'
    jvp(loss, w, w)  # E: 'a tuple of the arguments of the function'
    jvp(loss, 1)  # E: 'a tuple of the arguments of the function'
    vjp(loss, w, w, aux=True)  # E: Argument "aux" to "vjp" has incompatible type "bool"
    cond("yes", vector, vector, w)  # E: Argument 1 to "cond" has incompatible type "str"
    cond(True, vector, vector, s)  # E: Argument 2 to "cond" has incompatible type
    vmap(vector, in_axes="0")  # E: Argument "in_axes" to "vmap" has incompatible type "str"
    vmap(vector, out_axes=1.5)  # E: Argument "out_axes" to "vmap" has incompatible type "float"
    vmap(vector, in_axes=("0",))  # E: expected "AxisTree"
    vmap(vector, in_axes=[0, 1.5])  # E: List item 1 has incompatible type "float"
