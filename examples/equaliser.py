"""A histogram equaliser: spreads the greys of a picture so that each range of them has as many pixels."""

import effects as fx
from effects import Array


def equalise(image: Array) -> Array:
    """The picture, uint8 [height, width], with its greys spread over 0 to 255.

    >>> equalise(fx.asarray([[100, 100], [101, 102]], dtype="uint8"))
    Array([[  0,   0],
           [128, 255]], uint8)
    """
    counts = fx.bincount(fx.ravel(image), length=256)
    below = fx.cumsum(counts, dtype=fx.float32)
    least = fx.min(fx.where(counts > 0, below, image.size))
    shares = (below - least) / fx.maximum(image.size - least, 1)
    greys = fx.round(255 * fx.clip(shares, 0, 1)).astype(fx.uint8)
    return greys[image]
