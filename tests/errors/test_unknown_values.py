"""Values that are not known yet: what Python asks of them, under jit, vmap and derivatives.

The error says which value (an argument by its name, or the operation that made it and its line), at which line it was
asked for, and what to write instead.
"""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects.errors import ConcretizationError
from tests.errors.expect import marked_line, refusal
from tests.errors.untyped import cond, fx, grad, jit, jvp, linear_transpose, linearize, make_jaxpr, stop_gradient, vmap

x3, m23 = fx.asarray([1.0, 2.0, 3.0]), fx.ones((2, 3))

UNDER: dict[str, tuple[Callable[[Callable[[Any], Any]], object], str]] = {
    "jit": (lambda f: jit(f)(3), "argument n of"),
    "make_jaxpr": (lambda f: make_jaxpr(f)(3), "argument n of"),
    "vmap": (lambda f: vmap(f)(fx.asarray([3, 4])), "argument n of"),
    "jit of vmap": (lambda f: jit(vmap(f))(fx.asarray([3, 4])), "argument n of"),
    "cond": (lambda f: cond(True, f, lambda n: 1.0, 3), "argument n of"),
    "jit of grad": (lambda f: jit(grad(lambda x: f(x.astype("int64"))))(3.0), "the result of convert at"),
    "linear_transpose": (lambda f: linear_transpose(f, fx.asarray(3)), "partially evaluated"),
}

# What is asked, how the message begins, and what it advises.
ASKED: dict[str, tuple[Callable[[Any], Any], str, str]] = {
    "if": (lambda n: 1 if n > 0 else 2, "bool(x), which `if`, `while`", "cond(pred, f, g) or where"),
    "while": (lambda n: [0 for _ in iter(lambda: bool(n), False)], "bool(x)", "cond(pred, f, g) or where"),
    "and": (lambda n: n and n, "bool(x)", "& and |"),
    "not": (lambda n: not n, "bool(x)", "static_argnums"),
    "in": (lambda n: n in [1, 2], "bool(x)", "cond"),
    "max": (lambda n: max(n, 2), "bool(x)", "where"),
    "sorted": (lambda n: sorted([n, n]), "bool(x)", "cond"),
    "int": (lambda n: int(n), "int(x)", "static_argnums"),
    "float": (lambda n: float(n), "float(x)", "Keep it an array"),
    "complex": (lambda n: complex(n), "complex(x)", "Keep it an array"),
    "math": (lambda n: math.sin(n), "float(x)", "Keep it an array"),
    "range": (lambda n: range(n), "a Python integer", "static_argnums"),
    "list index": (lambda n: [1, 2, 3][n], "table[key] of a list", "switch(key, functions"),
    "dictionary key": (lambda n: {1: 2}[n], "an axis, a size, a dictionary key or", "static_argnums"),
    "item": (lambda n: n.item(), "x.item()", "Keep it an array"),
    "tolist": (lambda n: n.tolist(), "x.tolist()", "Return it"),
    "numpy.asarray": (lambda n: np.asarray(n), "numpy.asarray(x)", "functions of `effects`"),
    "numpy.array": (lambda n: np.array([n, n]), "numpy.asarray(x)", "functions of `effects`"),
    "dlpack": (lambda n: np.from_dlpack(n), "x.__dlpack__()", "Return it"),
    "format": (lambda n: f"{n:.3f}", "format(x, '.3f')", "debug_print('{:.3f}', x)"),
    "pickle": (lambda n: pickle.dumps(n), "pickle.dumps(x)", "Return it"),
    "zeros": (lambda n: fx.zeros(n), "zeros: a dimension of shape must be known: a Python integer", "static_argnums"),
    "full": (
        lambda n: fx.full((n, 2), 1.0),
        "full: a dimension of shape must be known: a Python integer",
        "static_argnums",
    ),
    "eye": (lambda n: fx.eye(n), "eye: N must be known", "static_argnums"),
    "arange": (lambda n: fx.arange(n), "arange: start decides the shape", "static_argnums"),
    "linspace": (lambda n: fx.linspace(0, 1, n), "linspace: num must be known", "static_argnums"),
    "reshape": (lambda n: x3.reshape((n,)), "reshape: an entry of shape must be known", "static_argnums"),
    "broadcast_to": (
        lambda n: fx.broadcast_to(1.0, (n,)),
        "broadcast_to: an entry of shape must be known",
        "static_argnums",
    ),
    "slice": (lambda n: x3[0:n], "x[key]: the bounds of a slice", "dynamic_slice(x, starts, sizes)"),
    "axis": (lambda n: fx.sum(x3, axis=n), "sum: axis must be known", "static_argnums"),
    "axes": (lambda n: fx.sum(x3, axis=(n,)), "sum: an entry of axis must be known", "static_argnums"),
    "concat": (lambda n: fx.concat([x3, x3], axis=n), "concat: axis must be known", "static_argnums"),
    "tile": (lambda n: fx.tile(x3, n), "tile: a dimension of reps must be known", "static_argnums"),
    "split": (lambda n: fx.split(x3, n), "split: indices_or_sections must be known", "static_argnums"),
    "sizes": (
        lambda n: fx.dynamic_slice(x3, (0,), (n,)),
        "dynamic_slice: a dimension of sizes must be known",
        "static_argnums",
    ),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("under", UNDER)
def test_asked_for_its_value(under: str, asked: str) -> None:
    transformed, which = UNDER[under]
    f, begins, advice = ASKED[asked]
    with pytest.raises(ConcretizationError) as caught:
        transformed(f)
    message = str(caught.value)
    assert message.startswith(begins) and advice in message, message
    if asked in ("if", "in", "max", "sorted"):
        assert "the result of" in message or "one per lane" in message or "partially" in message, message
    elif under != "linear_transpose":
        assert which in message, message
    assert caught.value.source is not None
    assert (caught.value.source.file, caught.value.source.line) == marked_line(f)


def test_a_result_is_told_by_its_operation_and_line() -> None:
    def f(params: Any, scale: Any) -> object:
        h = fx.sin(params["w"] * scale)  # here
        return 1 if h else 2

    _, line = marked_line(f)
    with pytest.raises(ConcretizationError) as caught:
        jit(f)({"w": 1.0}, 2.0)
    assert f"the result of sin at {__file__}:{line} (f) in f, which is being staged" in str(caught.value)
    assert caught.value.source is not None and caught.value.source.line == line + 1


def test_arguments_are_told_by_their_paths() -> None:
    def f(n: int, params: Any, *rest: Any, flag: Any = 0.0) -> object:
        return float(flag) + float(rest[0]) + float(params["w"][1])

    def message(call: Callable[[], object]) -> str:
        with pytest.raises(ConcretizationError) as caught:
            call()
        return str(caught.value)

    static = jit(f, static_argnums=0)
    assert "argument flag of f" in message(lambda: static(1, {"w": [1.0, 2.0]}, 3.0, flag=1.0))
    assert "argument args[2] of f" in message(lambda: static(1, {"w": [1.0, 2.0]}, 3.0))
    lanes = vmap(lambda p: float(p["w"][1]))
    assert "argument p['w'][1] of <lambda>, a batch of 2 values" in message(lambda: lanes({"w": [x3[:2], x3[:2]]}))
    inner = vmap(lambda p: float(fx.sin(p)))
    assert "a batch of 3 values under vmap, one per lane, computed in <lambda>" in message(lambda: inner(x3))


def test_known_values_may_be_asked_for_under_derivatives() -> None:
    assert grad(lambda x: x * x if x > 0 else x)(3.0).tolist() == 6.0
    assert jvp(lambda x: x * float(stop_gradient(x)), (3.0,), (1.0,))[1].tolist() == 3.0
    assert linearize(lambda x: x * int(x), 3.0)[0].tolist() == 9.0
    lost = "would lose what Jvp(<lambda>) knows"
    refusal(ConcretizationError, lost, of=lambda: grad(lambda x: x * float(x))(3.0))
    refusal(ConcretizationError, lost, of=lambda: grad(lambda x: x * np.asarray(x))(3.0))
    refusal(ConcretizationError, lost, of=lambda: grad(lambda x: x * np.from_dlpack(x))(3.0))
    refusal(ConcretizationError, lost, of=lambda: grad(lambda x: x * pickle.loads(pickle.dumps(x)))(3.0))


def test_numpy_functions_and_masks() -> None:
    assert abs(jit(lambda x: np.sin(x))(1.0).item() - np.sin(1.0)) < 1e-15
    np.testing.assert_allclose(vmap(lambda x: np.exp(x))(x3), np.exp(np.asarray(x3)), rtol=1e-15)
    refusal(ConcretizationError, "an index is a mask, bool[3]", "where(mask", of=lambda: jit(lambda x: x[x > 0])(x3))
    refusal(ConcretizationError, "an index is a mask", of=lambda: vmap(lambda x: x[x > 0])(m23))


def test_a_value_that_is_not_known_can_be_shown_and_copied() -> None:
    shown = []

    def f(x: Any) -> Any:
        shown.append(f"{x} {x!r}")
        return copy.deepcopy([x])[0]

    assert jit(f)(x3).tolist() == x3.tolist() and shown == ["Traced(float64[3]) Traced(float64[3])"]
