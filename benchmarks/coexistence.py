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


def check() -> None:
    """Runs every order of two imports and of uses before, between and after them; raises on the first that fails."""
    for first, second in itertools.permutations([(EFFAX, USE_EFFAX), (JAX, USE_JAX)]):
        for program in (
            [first[0], second[0], first[1], second[1], first[1]],
            [first[0], second[0], second[1], first[1], second[1]],
            [first[0], first[1], second[0], second[1], first[1]],
        ):
            subprocess.run(
                [sys.executable, "-c", "\n".join(program)], check=True, env={**os.environ, "JAX_PLATFORMS": "cpu"}
            )
