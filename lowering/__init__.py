"""How staged programs reach XLA: StableHLO, compilation, caches, devices, and `jit`.

from lowering import jit, devices, device_put, block_until_ready
"""

from effects.arrays.concrete import install_backend
from handlers.transformations.calls.disabling import disable_jit
from lowering.arrays import block_until_ready, device_put, devices
from lowering.compilation import XlaBackend, clear_caches, keep_programs
from lowering.inspection import lower, trace
from lowering.jit import jit
from lowering.stages import Compiled, Lowered, Trace

install_backend(XlaBackend())

__all__ = [
    "Compiled",
    "Lowered",
    "Trace",
    "block_until_ready",
    "clear_caches",
    "device_put",
    "devices",
    "disable_jit",
    "jit",
    "keep_programs",
    "lower",
    "trace",
]
