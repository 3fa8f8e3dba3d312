"""The transformations as functions from programs to programs, and what each should compute.

Each takes a program to a program, so that they compose in every order; its reference computes the same from values of
the program alone: finite differences for derivatives, a Python loop for batching.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import effects as fx
from effects import Array, tree_flatten, tree_map
from effects.types.dtypes import Inexact
from handlers import checkpoint, grad, jvp, linearize, vjp, vmap
from lowering import jit
from tests.compositions.programs import Program
from tests.laws.identity import boxed

type Host = npt.NDArray[Any]

STEP: Final = 2e-5


def direction(x: Array) -> Array:
    """A tangent for a value: any numbers that do not repeat."""
    values = np.cos(1.0 + np.arange(x.size).reshape(x.shape))
    return fx.asarray(values * (1 + 0.5j) if np.iscomplexobj(np.asarray(x)) else values)


def cotangent(x: Array) -> Array:
    """A cotangent for a result; zeros for integers."""
    values = np.sin(2.0 + np.arange(x.size).reshape(x.shape))
    return fx.asarray(values, dtype=x.dtype) if issubclass(x.dtype, Inexact) else fx.zeros_like(x)


def lane(x: Array) -> Array:
    """Another value near `x`, for the second lane of a batch."""
    return x * 0.95 if issubclass(x.dtype, Inexact) else x


def as_scalar(out: Any) -> Any:
    """The floating-point leaves of a result as one number, each element with a weight of its own."""
    total: Any = 0.0
    for leaf in tree_flatten(out)[0]:
        if issubclass(leaf.dtype, Inexact):
            parts = (fx.real(leaf), fx.imag(leaf)) if leaf.dtype is fx.complex128 else (leaf,)
            for part in parts:
                weights = fx.asarray(np.sin(1.0 + np.arange(part.size).reshape(part.shape)))
                total = total + fx.sum(part * weights)
    return fx.asarray(total)


def jitted(p: Program) -> Program:
    return p._replace(f=jit(p.f))


def identity(p: Program) -> Program:
    return p._replace(f=boxed(p.f))


def mapped(p: Program) -> Program:
    args, kwargs = tree_map(lambda x: fx.stack([x, lane(x)]), (p.args, p.kwargs))
    return Program(vmap(p.f), args, kwargs)


def pushed(p: Program) -> Program:
    tangents = tree_map(direction, p.args)
    return p._replace(f=lambda *args, **kwargs: jvp(lambda *a: p.f(*a, **kwargs), args, tangents))


def linearized(p: Program) -> Program:
    tangents = tree_map(direction, p.args)

    def f(*args: Any, **kwargs: Any) -> Any:
        value, lin = linearize(lambda *a: p.f(*a, **kwargs), *args)
        return value, lin(*tangents)

    return p._replace(f=f)


def gradient(p: Program) -> Program:
    argnums = tuple(range(len(p.args)))
    return p._replace(f=grad(lambda *args, **kwargs: as_scalar(p.f(*args, **kwargs)), argnums=argnums))


TRANSFORMATIONS: Final[dict[str, Callable[[Program], Program]]] = {
    "jit": jitted,
    "identity": identity,
    "vmap": mapped,
    "jvp": pushed,
    "linearize": linearized,
    "grad": gradient,
}


def checkpointed(p: Program) -> Program:
    return p._replace(f=checkpoint(p.f))


def pulled(p: Program) -> Program:
    def f(*args: Any, **kwargs: Any) -> Any:
        value, pull = vjp(lambda *a: p.f(*a, **kwargs), *args)
        return value, pull(tree_map(cotangent, value))

    return p._replace(f=f)


MORE: Final[dict[str, Callable[[Program], Program]]] = {**TRANSFORMATIONS, "vjp": pulled, "checkpoint": checkpointed}
"""These too, for programs that go through fewer orders."""


def composed(order: Sequence[str], p: Program) -> Program:
    """The program under all of `order`, its last one innermost."""
    for name in reversed(order):
        p = MORE[name](p)
    return p


def call(p: Program) -> Any:
    """The program's value."""
    return p.f(*p.args, **p.kwargs)


def leaves(tree: Any) -> list[Host]:
    """A result as host arrays."""
    return [np.asarray(x) for x in tree_flatten(tree)[0]]


def moved(p: Program, along: Any, t: float) -> Program:
    """The program at x + t·v."""
    return p._replace(args=tree_map(lambda x, v: x + v * t, p.args, along))


def differences(p: Program, along: Any) -> list[Host]:
    """The directional derivative of the program's leaves by central differences; zeros for integers."""
    ahead, behind = leaves(call(moved(p, along, STEP))), leaves(call(moved(p, along, -STEP)))
    return [
        (a - b) / (2 * STEP) if np.issubdtype(a.dtype, np.inexact) else np.zeros_like(a)
        for a, b in zip(ahead, behind, strict=True)
    ]


def check_derivative(inner: Program, result: Any) -> None:
    """jvp and linearize give the value and the directional derivative."""
    value, tangent = result
    same(leaves(value), leaves(call(inner)), 1e-12)
    same(leaves(tangent), differences(inner, tree_map(direction, inner.args)), 2e-7)


def check_gradient(inner: Program, result: Any) -> None:
    """The gradient along any direction is the directional derivative: Re Σ g·v."""
    along = tree_map(direction, inner.args)
    number = inner._replace(f=lambda *args, **kwargs: as_scalar(inner.f(*args, **kwargs)))
    (expected,) = differences(number, along)
    actual = sum(np.real(np.sum(g * v)) for g, v in zip(leaves(result), leaves(along), strict=True))
    same([np.asarray(actual)], [expected], 2e-7)
    assert [g.shape for g in leaves(result)] == [x.shape for x in leaves(inner.args)]


def check_pullback(inner: Program, result: Any) -> None:
    """vjp gives the value and, for a cotangent w, cotangents c with Re Σ c·v = Re Σ w·∂f along any direction v."""
    value, actual = result
    same(leaves(value), leaves(call(inner)), 1e-12)
    along = tree_map(direction, inner.args)
    weights = [np.asarray(cotangent(x)) for x in tree_flatten(value)[0]]
    expected = sum(np.real(np.sum(w * d)) for w, d in zip(weights, differences(inner, along), strict=True))
    product = sum(np.real(np.sum(c * v)) for c, v in zip(leaves(actual), leaves(along), strict=True))
    same([np.asarray(product)], [np.asarray(expected)], 2e-7)
    assert [c.shape for c in leaves(actual)] == [x.shape for x in leaves(inner.args)]


def check_batch(inner: Program, result: Any) -> None:
    """Batching is a loop."""
    first = leaves(call(inner))
    args, kwargs = tree_map(lane, (inner.args, inner.kwargs))
    second = leaves(inner.f(*args, **kwargs))
    same(leaves(result), [np.stack(pair) for pair in zip(first, second, strict=True)], 1e-11)


def check_same(inner: Program, result: Any) -> None:
    """Compilation and the identity change nothing."""
    same(leaves(result), leaves(call(inner)), 1e-11)
    assert tree_flatten(result)[1] == tree_flatten(call(inner))[1]


CHECKS: Final[dict[str, Callable[[Program, Any], None]]] = {
    "jit": check_same,
    "identity": check_same,
    "vmap": check_batch,
    "jvp": check_derivative,
    "linearize": check_derivative,
    "grad": check_gradient,
    "vjp": check_pullback,
    "checkpoint": check_same,
}


def same(actual: Sequence[Host], expected: Sequence[Host], tolerance: float) -> None:
    """Assert that results agree in number, shapes, dtypes and values."""
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
