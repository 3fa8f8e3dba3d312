"""From nothing to an import and to a first result, each time in a fresh process."""

import os
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.harness import Measure, Sample, timed

IMPORT = {"effax": "import effects", "jax": "import jax.numpy", "numpy": "import numpy"}
EAGER = {
    "effax": "import effects as fx; print(float(fx.sum(fx.sin(fx.asarray([1., 2., 3.])))))",
    "jax": "import jax.numpy as jnp; print(float(jnp.sum(jnp.sin(jnp.asarray([1., 2., 3.])))))",
    "numpy": "import numpy as np; print(float(np.sum(np.sin(np.asarray([1., 2., 3.])))))",
}
COMPILED = {
    "effax": "import effects as fx; from lowering import jit; print(float(jit(lambda x: fx.sum(fx.sin(x)))(3.)))",
    "jax": "import jax, jax.numpy as jnp; print(float(jax.jit(lambda x: jnp.sum(jnp.sin(x)))(3.)))",
}


def process_sample(program: str) -> Sample:
    """Seconds of a Python process that runs the program."""

    # Installed packages come as bytecode; effax, in its checkout, gets its own while the first sample warms up.
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": ""}

    def action() -> None:
        command = [sys.executable, "-c", program]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)

    return lambda: timed(action)


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for name, programs in [("an import", IMPORT), ("first eager result", EAGER), ("first compiled result", COMPILED)]:
        contenders = {library: process_sample(program) for library, program in programs.items()}
        yield Measure(f"fresh process to {name}", contenders, {"jax": 2} if programs is EAGER else {}, 10)
