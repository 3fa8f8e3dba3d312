"""How staged programs reach XLA: StableHLO, compilation, caches, devices, and `jit`.

from lowering import jit, devices, device_put, block_until_ready
"""

from effects.arrays.concrete import install_backend
from effects.runtime.names import public
from lowering.backend import XlaBackend

install_backend(XlaBackend())

__getattr__, __dir__, __all__ = public(__name__, {})
