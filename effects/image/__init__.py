"""Images: arrays whose sizes are changed.

from effects import image                      # or fx.image
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
