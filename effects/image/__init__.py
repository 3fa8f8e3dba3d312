"""Images: arrays whose sizes are changed.

from effects import image                      # or fx.image
"""

from typing import TYPE_CHECKING

from effects.image.resizing import resize
from effects.runtime.names import refuse_other_names
from effects.runtime.spellings import IMAGES

if not TYPE_CHECKING:  # to the type checker the names below are all there are
    __getattr__ = refuse_other_names("effects.image", IMAGES)


def __dir__() -> list[str]:
    return __all__


__all__ = ["resize"]
