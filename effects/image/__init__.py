"""Images: arrays whose sizes are changed.

from effects import image                      # or fx.image
"""

from effects.runtime.names import public
from effects.runtime.spellings import IMAGES

__getattr__, __dir__, __all__ = public(__name__, IMAGES)
