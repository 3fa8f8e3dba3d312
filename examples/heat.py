"""Heat diffusion in a plate: a stencil in two dimensions, written with slices and `x.at`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from effects import Array, zeros
from handlers import fori_loop
from lowering import jit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def step(plate: Array, rate: float) -> Array:
    """The plate a moment later: interior elements move towards their four neighbours, the rim stays.

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


def picture(figure: Figure) -> str:
    """A plate kept hot along its upper edge and cold along the others, after 0, 50, 250 and 2500 steps."""
    figure.set_size_inches(4.8, 1.3)
    plate = zeros((41, 41)).at[0].set(1.0)
    plates = [np.asarray(jit(spread)(plate, 0.25, steps)) for steps in (0, 50, 250, 2500)]
    for axes, later in zip(figure.subplots(1, 4), plates, strict=True):
        axes.imshow(later, cmap="inferno", vmin=0, vmax=1)
        axes.set_axis_off()
    return f"The middle is at {plates[-1][20, 20]:.3f}; by symmetry it converges to 0.25."
