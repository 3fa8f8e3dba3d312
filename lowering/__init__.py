"""Lowering: compilation of staged programs by XLA: StableHLO, compilation, caches, devices, and `jit`.

from lowering import jit, devices, device_put, block_until_ready
"""

from importlib import import_module

from effects.arrays.concrete import install_backend
from effects.runtime.names import public
from lowering import stablehlo  # imported by name where programs are emitted
from lowering.backend import XlaBackend

install_backend(XlaBackend())

# Rules that most programs need are loaded before the user waits for the first program.
for package in ("handlers.jvp", "handlers.transpose", "lowering.stablehlo"):
    for family in ("elementwise", "reduction", "contraction", "movement"):
        import_module(f"{package}.{family}")
del package, family

__getattr__, __dir__, __all__ = public(__name__)
