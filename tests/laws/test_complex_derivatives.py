"""Derivatives by complex numbers and beside integers: `holomorphic`, `allow_int`, and real functions of complex inputs.

By hand: f′(z) of a holomorphic f, ∂f/∂x - i ∂f/∂y of a real f of x + iy; and by differences in both directions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import ArgumentError, DTypeError
from handlers import checkpoint, grad, hessian, jacfwd, jacrev, jvp, scan, value_and_grad, vmap
from lowering import jit
from tests.errors.expect import refusal

Z: Final = fx.asarray([1.0 + 2.0j, -0.5 + 0.3j])
WRAPS: Final[dict[str, Callable[[Any], Any]]] = {
    "as it is": lambda f: f,
    "jit": jit,
    "checkpoint": checkpoint,
    "vmap": lambda f: lambda z: fx.tree_map(lambda y: y[1], vmap(f)(fx.stack([2.0 * z, z]))),
    "scan": lambda f: lambda z: fx.tree_map(lambda y: y[0], scan(lambda c, _: (c, f(z)), 0.0, length=1)[1]),
}


def near(actual: object, expected: object, atol: float = 1e-12) -> None:
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), atol=atol, rtol=1e-12)


def differences(f: Callable[[Any], Any], z: Any, step: complex) -> Any:
    """∂f/∂z along `step`, one column for each element of z."""
    h = 1e-6
    units = np.eye(np.size(z)).reshape(-1, *np.shape(z)) * step * h
    columns = [(np.asarray(f(z + fx.asarray(u))) - np.asarray(f(z - fx.asarray(u)))) / (2 * h) for u in units]
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_holomorphic(wrap: Any) -> None:
    near(wrap(grad(lambda z: fx.sum(z**3), holomorphic=True))(Z), 3 * np.asarray(Z) ** 2)
    near(grad(wrap(lambda z: fx.sum(fx.exp(z) * z)), holomorphic=True)(Z), np.exp(np.asarray(Z)) * (np.asarray(Z) + 1))
    value, slope = value_and_grad(wrap(lambda z: fx.sum(1j * z * z)), holomorphic=True)(Z)
    near(value, np.sum(1j * np.asarray(Z) ** 2))
    near(slope, 2j * np.asarray(Z))
    f = lambda z: fx.stack([z[0] * z[1], fx.exp(z[0]), z[1] ** 3])
    by_hand = np.asarray([[Z[1].item(), Z[0].item()], [np.exp(Z[0].item()), 0], [0, 3 * Z[1].item() ** 2]])
    for jacobian in (jacfwd, jacrev):
        near(wrap(jacobian(f, holomorphic=True))(Z), by_hand)
        near(jacobian(wrap(f), holomorphic=True)(Z), by_hand)
    near(by_hand, differences(f, Z, 1.0), 1e-8)
    near(by_hand, differences(f, Z, 1j) / 1j, 1e-8)
    second = wrap(hessian(lambda z: z[0] ** 2 * z[1], holomorphic=True))(Z)
    near(second, [[2 * Z[1].item(), 2 * Z[0].item()], [2 * Z[0].item(), 0]])


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_real_functions_of_complex_inputs(wrap: Any) -> None:
    f: Any = lambda z: fx.stack([fx.sum(fx.real(z) * fx.imag(z)), fx.abs(z[0]) ** 2 + fx.real(z[1])])
    expected = differences(f, Z, 1.0) - 1j * differences(f, Z, 1j)
    near(wrap(jacrev(f))(Z), expected, 1e-8)
    near(jacrev(wrap(f))(Z), expected, 1e-8)
    near(fx.stack([wrap(grad(lambda z, i=i: f(z)[i]))(Z) for i in range(2)]), expected, 1e-8)
    both = jacrev(lambda z, x: f(z) * x, argnums=(0, 1))(Z, 2.0)
    near(both[0], 2 * expected, 1e-8)
    near(both[1], f(Z))
    tree = jacrev(lambda p: {"a": f(p["z"])})({"z": Z})
    near(tree["a"]["z"], expected, 1e-8)


def test_complex_results_of_real_inputs() -> None:
    near(jacfwd(lambda x: fx.exp(1j * x))(0.5), 1j * np.exp(0.5j))
    near(jvp(lambda x: fx.exp(1j * x), (0.5,), (1.0,))[1], 1j * np.exp(0.5j))


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_integers(wrap: Any) -> None:
    f = lambda p: fx.sum(p["x"] * p["n"]) + p["x"][0] * p["flag"]
    p = {"x": fx.asarray([1.0, 2.0]), "n": fx.asarray([3, 4]), "flag": fx.asarray(True)}
    f = f if wrap is WRAPS["vmap"] or wrap is WRAPS["scan"] else wrap(f)
    found = grad(f, allow_int=True)(p)
    near(found["x"], [4.0, 4.0])
    assert fx.tree_structure(found) == fx.tree_structure(p)
    for name, dtype in (("n", fx.int64), ("flag", fx.bool)):
        assert found[name].dtype is dtype and found[name].shape == p[name].shape and not fx.any(found[name])
    value, found = jit(value_and_grad(f, allow_int=True))(p)
    assert value == f(p) and fx.all(found["x"] == 4.0)
    rows = jacrev(lambda x, n: x * n, argnums=(0, 1), allow_int=True)(p["x"], p["n"])
    near(rows[0], np.diag([3.0, 4.0]))
    assert rows[1].shape == (2, 2) and rows[1].dtype is fx.int64 and not fx.any(rows[1])


def test_refused() -> None:
    square = lambda z: z * z
    words: tuple[str, ...] = ("grad needs a real floating-point result", "complex128[]", "pass holomorphic=True")
    refusal(DTypeError, *words, of=lambda: grad(square)(1j))
    refusal(DTypeError, "grad: argument z of <lambda> must be complex", of=lambda: grad(square, holomorphic=True)(1.0))
    refusal(DTypeError, "needs a complex result", of=lambda: grad(lambda z: fx.abs(z), holomorphic=True)(1j))
    refusal(DTypeError, "needs a complex result", of=lambda: jacfwd(lambda z: fx.abs(z), holomorphic=True)(1j))
    words = ("jacfwd: argument z of <lambda> must be real floating point, got complex128[]", "holomorphic=True")
    refusal(DTypeError, *words, of=lambda: jacfwd(square)(1j))
    refusal(DTypeError, "hessian: argument z of <lambda> must be real", of=lambda: hessian(square)(1j))
    refusal(DTypeError, "grad: argument z of <lambda> must be floating point, got int64[]", of=lambda: grad(square)(1))
    refusal(DTypeError, "jacrev needs a real floating-point result", of=lambda: jacrev(square)(1j))
    refusal(DTypeError, "jacrev needs a real", of=lambda: jacrev(square, allow_int=True)(1))
    flag: Any = "yes"
    refusal(ArgumentError, "grad: holomorphic must be True or False", of=lambda: grad(square, holomorphic=flag))
    refusal(ArgumentError, "jacrev: allow_int must be True or False", of=lambda: jacrev(square, allow_int=flag))
