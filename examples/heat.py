"""Heat that spreads through a plate: a stencil in two dimensions, written with slices and `x.at`."""

from effects import Array
from handlers import fori_loop


def step(plate: Array, rate: float) -> Array:
    """The plate a moment later: what is inside moves towards its four neighbours, the rim stays.

    >>> from effects import zeros
    >>> step(zeros((3, 4)).at[0].set(8.0), 0.25)
    Array([[8., 8., 8., 8.],
           [0., 2., 2., 0.],
           [0., 0., 0., 0.]], float64)
    """
    inside = plate[1:-1, 1:-1]
    around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
    return plate.at[1:-1, 1:-1].add(rate * (around - 4 * inside))


def spread(plate: Array, rate: float, steps: int) -> Array:
    """The plate after many steps."""
    later: Array = fori_loop(0, steps, lambda _, plate: step(plate, rate), plate)
    return later
