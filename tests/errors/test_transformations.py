"""Bad arguments of transformations: no arrays, wrong structures, axes, tangents, outputs; the tree path is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects.errors import (
    ArgumentError,
    DTypeError,
    EffaxError,
    NotLinearError,
    NotScalarError,
    OutOfBoundsError,
    ShapeError,
    TreeError,
)
from tests.errors.expect import refusal
from tests.errors.untyped import (
    cond,
    eval_shape,
    fx,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jit,
    jvp,
    linear_transpose,
    linearize,
    make_jaxpr,
    partial_eval_jaxpr,
    value_and_grad,
    vjp,
    vmap,
)

x3, x4, m23, i3 = fx.asarray([1.0, 2.0, 3.0]), fx.ones(4), fx.ones((2, 3)), fx.arange(3)


def loss(x: Any, y: Any = 0.0) -> Any:
    return fx.sum(x * x) + y


FUNCTIONS = {
    "jit": jit,
    "grad": grad,
    "value_and_grad": value_and_grad,
    "vmap": vmap,
    "make_jaxpr": make_jaxpr,
    "jacfwd": jacfwd,
    "jacrev": jacrev,
}
CALLS: dict[str, Callable[[Any], Any]] = {
    **{name: (lambda v, t=t: t(loss)(v)) for name, t in FUNCTIONS.items()},  # type: ignore[misc]  # bound now
    "eval_shape": lambda v: eval_shape(loss, v),
    "jvp": lambda v: jvp(loss, (v,), (v,)),
    "vjp": lambda v: vjp(loss, v),
    "linearize": lambda v: linearize(loss, v),
    "linear_transpose": lambda v: linear_transpose(loss, v),
}


@pytest.mark.parametrize("name", [*FUNCTIONS, "hessian"])
def test_what_cannot_be_called(name: str) -> None:
    transformation = {**FUNCTIONS, "hessian": hessian}[name]
    refusal(ArgumentError, f"{name} takes a function, got 3 of type int", of=lambda: transformation(3))


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_that_is_no_array(name: str) -> None:
    call = CALLS[name]
    for value, words in (
        ("abc", "argument x must be an array or a number, got 'abc' of type str"),
        (object(), "argument x must be an array or a number"),
        ({"w": ["a", 1.0]}, "argument x['w'][0] must be an array or a number, got 'a'"),
        ([1.0, np.array(["s"])], "argument x[1] is a NumPy array of dtype <U1"),
    ):
        with pytest.raises(ArgumentError) as caught:
            call(value)
        assert words in str(caught.value) and str(caught.value).startswith(name)
        assert caught.value.source is not None and caught.value.source.file == __file__


CASES: list[tuple[type[EffaxError], str, Callable[[], object]]] = [
    # tangents and cotangents
    (ArgumentError, "jvp: primals must be a tuple", lambda: jvp(loss, x3, x3)),
    (
        TreeError,
        "jvp: the structure of the tangents differs at [0]: ['a'] is missing",
        lambda: jvp(loss, ({"a": x3},), ({"b": x3},)),
    ),
    (TreeError, "differs at the top: [1] is missing", lambda: jvp(loss, (x3, x3), (x3,))),
    (TreeError, "differs at [0]: expected one array, got None", lambda: jvp(loss, (x3,), (None,))),
    (ShapeError, "tangent[0]['a'] has shape [4], expected float64[3]", lambda: jvp(loss, ({"a": x3},), ({"a": x4},))),
    (DTypeError, "tangent[0] is int64[3], expected float64[3]", lambda: jvp(loss, (x3,), (i3,))),
    (ShapeError, "vjp: cotangent['y'] has shape [4]", lambda: vjp(lambda x: {"y": x}, x3)[1]({"y": x4})),
    (TreeError, "cotangents differs at the top: ['y'] is missing", lambda: vjp(lambda x: {"y": x}, x3)[1]({"z": x3})),
    (ArgumentError, "vjp: cotangent must be an array", lambda: vjp(lambda x: x, x3)[1]("a")),
    (ShapeError, "linearize: tangent[0] has shape [4]", lambda: linearize(loss, x3)[1](x4)),
    (TreeError, "linearize: the structure of the tangents", lambda: linearize(loss, x3)[1](x3, x3)),
    (NotLinearError, "sin is not linear", lambda: linear_transpose(fx.sin, x3)(x3)),
    (NotLinearError, "mul is not linear", lambda: linear_transpose(lambda x: x * x, x3)(x3)),
    (
        NotLinearError,
        "cond: the predicate depends on",
        lambda: linear_transpose(lambda x: cond(x > 0, lambda: x, lambda: 2.0 * x), 1.0)(1.0),
    ),
    (NotLinearError, "does not depend on its arguments", lambda: linear_transpose(lambda x: 1.0, x3)),
    # vmap
    (ArgumentError, "in_axes has 2 entries but loss was called with 1", lambda: vmap(loss, in_axes=(0, 0))(m23)),
    (ArgumentError, "an axis is an int or None, got 'a'", lambda: vmap(loss, in_axes="a")(m23)),
    (ArgumentError, "an axis is an int or None, got 1.0", lambda: vmap(loss, in_axes=(1.0,))(m23)),
    (ArgumentError, "an axis is an int or None, got True", lambda: vmap(loss, in_axes=True)(m23)),
    (
        OutOfBoundsError,
        "axis 2 is out of bounds for argument x of loss, float64[2,3]",
        lambda: vmap(loss, in_axes=2)(m23),
    ),
    (
        OutOfBoundsError,
        "axis 3 is out of bounds for argument x['w']",
        lambda: vmap(loss, in_axes=({"w": 3},))({"w": m23}),
    ),
    (
        TreeError,
        "does not fit the arguments of loss, whose structure differs at [0]: ['v'] is missing",
        lambda: vmap(loss, in_axes=({"v": 0},))({"w": m23}),
    ),
    (OutOfBoundsError, "axis 0 is out of bounds for argument x of loss, float64[]", lambda: vmap(loss)(1.0)),
    (
        ArgumentError,
        "no argument of loss is mapped; in_axes must name an axis of at least one, or axis_size must give the number",
        lambda: vmap(loss, in_axes=None)(m23),
    ),
    (ArgumentError, "no argument of <lambda> is mapped", lambda: vmap(lambda: x3)()),
    (
        ShapeError,
        "the mapped axes of loss have different sizes: axis_size is 4, x has 2 along axis 0",
        lambda: vmap(loss, axis_size=4)(m23),
    ),
    (ArgumentError, "vmap: axis_size must be an int, got 2.0", lambda: vmap(loss, axis_size=2.0)),
    (ArgumentError, "vmap: axis_size must be an int, got True", lambda: vmap(loss, axis_size=True)),
    (ArgumentError, "vmap: axis_size must not be negative, got -1", lambda: vmap(loss, axis_size=-1)),
    (OutOfBoundsError, "float64[]; if all lanes share it, give it None in in_axes", lambda: vmap(fx.add)(x3, 1.0)),
    (OutOfBoundsError, "pass it by position, with None in", lambda: vmap(lambda x, *, y: x * y)(x3, y=1.0)),
    (
        ShapeError,
        "different sizes: x['w'] has 2 along axis 0, y has 3 along axis 0",
        lambda: vmap(loss)({"w": m23}, x3),
    ),
    (ShapeError, "different sizes: x has 2 along axis 0, y has 3 along axis 0", lambda: vmap(loss)(m23, y=x3)),
    (
        OutOfBoundsError,
        "out_axes 5 is out of bounds for a result float64[3] per lane",
        lambda: vmap(fx.sin, out_axes=5)(m23),
    ),
    (TreeError, "out_axes (0, 0, 0) does not fit the result", lambda: vmap(lambda x: (x, x), out_axes=(0, 0, 0))(m23)),
    (
        TreeError,
        "whose structure differs at the top: ['b'] is missing",
        lambda: vmap(lambda x: {"a": x}, out_axes={"b": 0})(m23),
    ),
    (ArgumentError, "out_axes is None for a result", lambda: vmap(fx.sin, out_axes=None)(m23)),
    # results
    (ArgumentError, "vmap: the result['r'] of <lambda> must be an array", lambda: vmap(lambda x: {"r": "a"})(m23)),
    (ArgumentError, "jit: the result['r'] of <lambda> must be an array", lambda: jit(lambda x: {"r": "a"})(m23)),
    (ArgumentError, "grad: the result of <lambda> must be an array", lambda: grad(lambda x: len)(1.0)),
    (ArgumentError, "make_jaxpr: the result of <lambda>", lambda: make_jaxpr(lambda x: object())(m23)),
    (ArgumentError, "cond: the result of <lambda>", lambda: cond(True, lambda: "a", lambda: 1.0)),
    # derivatives
    (DTypeError, "grad: argument x of loss must be floating point, got int64[3]", lambda: grad(loss)(i3)),
    (DTypeError, "argument y of loss must be floating point, got int64[]", lambda: grad(loss, argnums=1)(1.0, 2)),
    (DTypeError, "argument y of loss", lambda: grad(loss, argnums=(0, 1))(1.0, 2)),
    (DTypeError, "argument x['w'] of loss", lambda: value_and_grad(loss)({"w": 1})),
    (DTypeError, "jacfwd: argument x of loss must be real", lambda: jacfwd(loss)(i3)),
    (DTypeError, "jacrev: argument x of loss must be floating point", lambda: jacrev(loss)(i3)),
    (DTypeError, "hessian: argument x of loss must be real", lambda: hessian(loss)(i3)),
    (
        ArgumentError,
        "jacfwd: the arguments of loss to differentiate (argnums) hold no arrays",
        lambda: jacfwd(loss)(None),
    ),
    (
        DTypeError,
        "jacrev needs a real floating-point result, <lambda> gives int32[3]",
        lambda: jacrev(lambda x: x.astype("int32"))(x3),
    ),
    (
        DTypeError,
        "grad needs a real floating-point result, <lambda> gives int32[]; make it floating point, by astype",
        lambda: grad(lambda x: x.astype("int32"))(1.0),
    ),
    (DTypeError, "gives complex128[]", lambda: grad(lambda x: x * 1j)(1.0)),
    (NotScalarError, "one scalar result, <lambda> gives float64[3]; reduce it", lambda: grad(lambda x: x * 2)(x3)),
    (NotScalarError, "gives (float64[], float64[])", lambda: grad(lambda x: (x, x))(1.0)),
    (NotScalarError, "gives (float64[],)", lambda: grad(lambda x: (x,))(1.0)),
    (NotScalarError, "gives {'loss': float64[]}", lambda: grad(lambda x: {"loss": x})(1.0)),
    (NotScalarError, "gives None", lambda: grad(lambda x: None)(1.0)),
    (TreeError, "must return (result, aux), got an array, float64[]", lambda: grad(lambda x: x, has_aux=True)(1.0)),
    (
        ArgumentError,
        "argnums names argument 1, but loss was called with 1 positional",
        lambda: grad(loss, argnums=1)(x3),
    ),
    (ArgumentError, "argnums must be an int or a tuple of ints, got 'x'", lambda: grad(loss, argnums="x")(x3)),
    (ArgumentError, "argnums must be an int or a tuple of ints, got [0]", lambda: grad(loss, argnums=[0])(x3)),
    (ArgumentError, "argnums must be an int or a tuple of ints, got True", lambda: grad(loss, argnums=True)(x3)),
    (ArgumentError, "argnums (0, 0) names an argument twice", lambda: grad(loss, argnums=(0, 0))(x3)),
    (ArgumentError, "argnums names argument 0, but loss was called with 0", lambda: grad(loss)(x=x3)),
    # cond
    (DTypeError, "cond: pred must be a bool scalar, or a real number", lambda: cond(x3, loss, loss, x3)),
    (DTypeError, "got complex128[]; compare", lambda: cond(1j, loss, loss, x3)),
    (ArgumentError, "cond: pred must be an array", lambda: cond("a", loss, loss, x3)),
    (ArgumentError, "cond takes a function as false_fun, got", lambda: cond(True, loss, x3)),
    (
        ShapeError,
        "the result is float64[3] from true_fun (<lambda>) and float64[4] from false_fun",
        lambda: cond(True, lambda: x3, lambda: x4),
    ),
    (DTypeError, "the result['a'] is float64[3]", lambda: cond(True, lambda: {"a": x3}, lambda: {"a": i3})),
    (
        TreeError,
        "the second differs at the top: ['a'] is missing",
        lambda: cond(True, lambda: {"a": x3}, lambda: {"b": x3}),
    ),
    (ArgumentError, "cond: argument x must be an array", lambda: cond(True, loss, loss, "a")),
    # programs
    (
        ArgumentError,
        "unknown_in has 2 entries but the program takes 1",
        lambda: partial_eval_jaxpr(make_jaxpr(loss)(x3), [True, False]),
    ),
    (ArgumentError, "partial_eval_jaxpr takes a Jaxpr", lambda: partial_eval_jaxpr("a", [True])),
    (TreeError, "the keys of the dict at [0]['d'] have no order", lambda: jit(loss)({"d": {1: x3, "a": x3}})),
    (TreeError, "the keys of the dict at [0] have no order", lambda: fx.tree_leaves([{1: x3, "a": x3}])),
]


@pytest.mark.parametrize(("kind", "words", "bad"), CASES, ids=[case[1] for case in CASES])
def test_refused(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)


def test_nothing_is_called_with_bad_arguments() -> None:
    def never(*args: object) -> object:
        raise AssertionError("the function was called")

    refusal(ShapeError, "tangent", of=lambda: jvp(never, (x3,), (x4,)))
    refusal(DTypeError, "floating point", of=lambda: grad(never)(i3))
    refusal(ShapeError, "different sizes", of=lambda: vmap(never)(m23, x3))
    refusal(ArgumentError, "argument args[1] must be", of=lambda: jit(never)(x3, "a"))
    refusal(DTypeError, "pred", of=lambda: cond(1j, never, never))
