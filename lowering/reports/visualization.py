"""Picture of the devices that hold the parts of an array over a mesh: `visualize`."""

from __future__ import annotations

from effects.arguments import refusal
from effects.arrays.array import Array
from effects.arrays.mesh import Sharding


def visualize(sharding: Sharding | Array) -> None:
    """Print a sharding, or that of an array, as a box for each part with the devices that hold it.

    The first dimension goes down, the others to the right.

    Raises ArgumentError for what is neither.

    >>> from lowering import Mesh
    >>> visualize(Mesh({"data": 1, "model": 1}, ["cpu:0"]).sharding("data", "model"))
    Mesh(data=1, model=1).sharding('data', 'model')
    +-------+
    | cpu:0 |
    +-------+
    """
    value: object = sharding
    if isinstance(value, Array):
        value = value.sharding
    if not isinstance(value, Sharding):
        raise refusal("visualize", "sharding", "a Sharding, which x.sharding is, or an array", value)
    print("\n".join([repr(value), *_table(cells(value))]))


def cells(sharding: Sharding) -> list[list[str]]:
    """The devices of each part, in rows and columns."""
    mesh = sharding.mesh
    down = sharding.spec[0] if sharding.spec else ()
    right = tuple([name for names in sharding.spec[1:] for name in names])
    rows, columns = mesh.parts(down), mesh.parts(right)
    names: list[list[list[str]]] = [[[] for _ in range(columns)] for _ in range(rows)]
    for device, at in zip(mesh.devices, mesh.places(), strict=True):
        row, column = 0, 0
        for name in down:
            row = row * mesh.axes[name] + at[name]
        for name in right:
            column = column * mesh.axes[name] + at[name]
        names[row][column].append(device)
    return [[", ".join(devices) for devices in row] for row in names]


def _table(cells: list[list[str]]) -> list[str]:
    width = max([len(cell) for row in cells for cell in row])
    line = "+" + "+".join(["-" * (width + 2)] * len(cells[0])) + "+"
    drawn = [line]
    for row in cells:
        drawn += ["|" + "|".join([f" {cell:^{width}} " for cell in row]) + "|", line]
    return drawn
