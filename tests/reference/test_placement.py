"""`device_put` under every transformation: the identity, whose cotangent goes back to where its array was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import effects as fx
from handlers import cond, eval_shape, grad, hessian, jacfwd, jvp, linear_transpose, linearize, make_jaxpr, scan, vmap
from lowering import device_put, devices, jit
from tests.processes import printed
from tests.reference.agreement import close

HERE = devices("cpu")[0]
X = fx.asarray([0.5, 1.5, 2.5])


@pytest.mark.parametrize("device", [None, HERE, "cpu:0"])
def test_in_every_order(device: Any) -> None:
    f: Any = lambda x: fx.sin(device_put({"x": x}, device)["x"]) * x
    slope: Any = lambda x: np.cos(x) * x + np.sin(x)
    x = np.asarray(X)
    close(jit(f)(X), np.sin(x) * x)
    close(vmap(f)(X), np.sin(x) * x)
    for derivative in (grad(f), jit(grad(f)), grad(jit(f)), jacfwd(f), jit(jacfwd(jit(f)))):
        close(derivative(1.5), slope(1.5))
    for lanes in (vmap(grad(f)), jit(vmap(grad(f))), vmap(jit(grad(f))), grad(lambda xs: fx.sum(vmap(f)(xs)))):
        close(lanes(X), slope(x))
    close(jvp(f, (1.5,), (2.0,)), (np.sin(1.5) * 1.5, 2.0 * slope(1.5)))
    close(linearize(f, 1.5)[1](2.0), 2.0 * slope(1.5))
    close(hessian(f)(1.5), 2.0 * np.cos(1.5) - 1.5 * np.sin(1.5))
    close(linear_transpose(lambda x: device_put(2.0 * x, device), X)(X)[0], 2.0 * x)
    close(scan(lambda c, x: (device_put(c + x, device), c), 0.0, X), (4.5, np.asarray([0.0, 0.5, 2.0])))
    close(cond(True, lambda x: device_put(x, device), lambda x: x, X), x)
    assert repr(eval_shape(lambda x: device_put(x, device), X)) == "float64[3]"


def test_a_program_shows_where() -> None:
    assert "device_put[device='cpu:0', source=None]" in str(make_jaxpr(lambda x: device_put(x, HERE))(1.0))
    assert "device_put" not in str(make_jaxpr(lambda x: device_put(x))(1.0))


TWO = """
import effects as fx
from effects.errors import DeviceError
from handlers import fori_loop, grad, jvp, linearize, vmap, vjp
from lowering import device_put, devices, jit, lower
first, second = devices()
a, b = device_put(fx.asarray([1.0, 2.0, 3.0]), first), device_put(fx.asarray([1.0, 2.0, 3.0]), second)
f = lambda x: fx.sum(device_put(x, second) * b)
assert f(a).device == "cpu:1"
for g in (grad(f), lambda a: vjp(f, a)[1](device_put(1.0, second))[0]):
    assert g(a).device == "cpu:0" and g(a).tolist() == [1.0, 2.0, 3.0], g(a).device
value, rate = jvp(f, (a,), (a,))
assert rate.device == "cpu:1" and rate.tolist() == 14.0
lanes = vmap(lambda x: device_put(x, second) * 2.0)(a)
assert lanes.device == "cpu:1" and lanes.tolist() == [2.0, 4.0, 6.0]
back = vmap(grad(lambda x: device_put(device_put(x, second) ** 2, first) * x))(a)
assert back.device == "cpu:0" and back.tolist() == [3.0, 12.0, 27.0]
assert jit(lambda x: device_put(x, second) + 1.0)(b).device == "cpu:1"
assert jit(grad(lambda x: fx.sum(device_put(x, "cpu:1") ** 2)))(b).tolist() == [2.0, 4.0, 6.0]
bad = [
    lambda: jit(lambda x: device_put(x, second) + 1.0)(a),
    lambda: jit(grad(lambda x: fx.sum(device_put(x, second) ** 2)))(a),
    lambda: jit(lambda x: device_put(x, second))(1.0),
    lambda: fori_loop(0, 3, lambda i, x: device_put(x, second), a),
    lambda: lower(lambda x: device_put(x, second), a).compile(),
]
for call in bad:
    try:
        call()
    except DeviceError as error:
        assert "device_put to cpu:1 in a program that is compiled for cpu:0" in str(error), error
    else:
        raise AssertionError(call.__code__.co_firstlineno)
print("done")
"""


def test_two_devices() -> None:
    assert printed(TWO, EFFAX_CPU_DEVICES="2", EFFAX_PLATFORMS="cpu") == "done\n"
