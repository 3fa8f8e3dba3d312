"""A check before anything is measured: effax and jax work side by side in one process, in both import orders."""

import itertools
import os
import subprocess
import sys

EFFAX = "import effects as fx, handlers, lowering"
JAX = "import jax, jax.numpy as jnp"
USE_EFFAX = """
f = lowering.jit(lambda x: fx.sin(x) * 2.)
assert abs(float(f(3.)) - 0.2822400161197344) < 1e-15
assert f(fx.asarray([1., 2.])).dtype == fx.float64
assert abs(float(lowering.jit(handlers.grad(lambda x: x * x))(3.)) - 6.) < 1e-15
"""
USE_JAX = """
g = jax.jit(lambda x: jnp.sin(x) * 2.)
assert abs(float(g(3.)) - 0.2822400161197344) < 1e-6
assert g(jnp.asarray([1., 2.])).dtype == jnp.float32
assert float(jax.jit(jax.grad(lambda x: x * x))(3.)) == 6.
"""
USE_BOTH = """
x, twice = jnp.asarray([1., 2.]), lowering.jit(lambda tree, bias=0.: 2. * tree["w"][0] + bias)
for tree in ({"w": [x]}, {"w": (x, fx.zeros(3))}, {"w": [fx.asarray(x)]}):
    assert twice(tree).tolist() == [2., 4.] and twice(tree, bias=x).tolist() == [3., 6.], tree
    assert twice(tree).dtype == fx.float32 and twice.lower(tree).compile()
grown = lowering.jit(lambda tree: 2. * tree["w"], donate_argnums=0)({"w": x})
assert jnp.from_dlpack(grown).tolist() == [2., 4.] and x.tolist() == [1., 2.]
for call in (lambda: handlers.vmap(twice)({"w": [x]}), lambda: fx.sin(x), lambda: lowering.device_put({"w": x})):
    try:
        call()
        raise AssertionError("jax's arrays are converted where nothing is compiled")
    except fx.ArgumentError as error:
        assert "an array of another library; convert it with asarray" in error.message
"""


def check() -> None:
    """Runs every order of two imports and of uses before, between and after them; raises on the first that fails.

    At the end of each, jitted functions of effax take arrays of jax.
    """
    for first, second in itertools.permutations([(EFFAX, USE_EFFAX), (JAX, USE_JAX)]):
        for program in (
            [first[0], second[0], first[1], second[1], first[1]],
            [first[0], second[0], second[1], first[1], second[1]],
            [first[0], first[1], second[0], second[1], first[1]],
        ):
            subprocess.run(
                [sys.executable, "-c", "\n".join([*program, USE_BOTH])],
                check=True,
                env={**os.environ, "JAX_PLATFORMS": "cpu"},
            )
