"""Pictures of the tutorial, drawn from what its lessons compute: `python -m examples.lessons`, or `make gallery`.

The program of a lesson is run as it stands in docs/tutorial; a function below draws with the names that it defines.
"""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import effects as fx
from examples.gallery import INK, save
from handlers import grad, scan, vmap

TUTORIAL: Final = Path(__file__).parents[1] / "docs" / "tutorial"
FOLDER: Final = TUTORIAL / "pictures"

type Names = dict[str, Any]


def program(lesson: str) -> Names:
    """The names that a lesson has at its end; lines that show an error are left out."""
    module = sys.modules[lesson] = ModuleType(lesson)  # in which classes look for what they are made of
    names: Names = module.__dict__
    blocks = re.findall(r"^```python\n(.*?)^```$", (TUTORIAL / f"{lesson}.md").read_text(), re.MULTILINE | re.DOTALL)
    examples = [example for block in blocks for example in doctest.DocTestParser().get_examples(block)]
    with redirect_stdout(StringIO()):
        for example in examples:
            if example.exc_msg is None:
                exec(compile(example.source, lesson, "exec"), names)
    return names


def grid(axes: Axes, values: fx.Array, title: str) -> None:
    """The elements of an array as numbers in squares."""
    table = np.atleast_2d(np.asarray(values))
    for (row, column), value in np.ndenumerate(table):
        axes.add_patch(Rectangle((column, -row), 1, 1, facecolor="C0", alpha=value / 30, edgecolor=INK))
        axes.text(column + 0.5, 0.5 - row, f"{value:g}", ha="center", va="center")
    axes.set(xlim=(-0.05, 3.05), ylim=(-1.05, 1.05), title=title, aspect="equal")
    axes.set_axis_off()


def arrays(lesson: Names, figure: Figure) -> str:
    """An array and three arrays made from it."""
    figure.set_size_inches(6.4, 1.2)
    x = lesson["x"]
    parts = {
        "x": x,
        "x.at[0, 1].set(9.0)": x.at[0, 1].set(9.0),
        "x[:, ::-1]": x[:, ::-1],
        "mean(x, axis=0)": fx.mean(x, axis=0),
    }
    for axes, (title, values) in zip(figure.subplots(1, 4), parts.items(), strict=True):
        grid(axes, values, title)
    return "An array, and three that are made of it."


def derivatives(lesson: Names, figure: Figure) -> str:
    """The error of lines, and the path of the fit."""
    error, x = lesson["error"], lesson["x"]
    y, line = 2 * x + 1, {"slope": 0.0, "height": 0.0}
    way = [tuple(line.values())]
    for _ in range(40):
        slopes = grad(error)(line, x, y)
        line = {name: value - 0.2 * slopes[name] for name, value in line.items()}
        way.append(tuple(map(float, line.values())))
    slope, height = fx.linspace(-0.5, 3.0, 60), fx.linspace(-0.5, 2.5, 60)
    errors = vmap(vmap(lambda a, b: error({"slope": a, "height": b}, x, y), in_axes=(0, None)), in_axes=(None, 0))(
        slope, height
    )
    axes = figure.subplots()
    axes.contour(
        np.asarray(slope),
        np.asarray(height),
        np.asarray(errors),
        levels=[0.05, 0.3, 1, 2, 4, 7],
        colors=INK,
        linewidths=0.7,
    )
    axes.plot(*np.transpose(way), ".-", color="C1", markersize=5)
    axes.plot(*way[-1], "o", color="C2")
    axes.set(xlabel="slope", ylabel="height")
    return "Lines of equal error, and the way of the fit against the gradient."


def batches(lesson: Names, figure: Figure) -> str:
    """Distances from every point of the plane to the three points."""
    figure.set_size_inches(6.4, 2.0)
    distance, points = lesson["distance"], lesson["points"]
    xs, ys = fx.linspace(-2.0, 8.0, 40), fx.linspace(-1.0, 9.0, 40)
    places = fx.stack(fx.meshgrid(xs, ys), axis=-1)
    far = vmap(vmap(vmap(distance, in_axes=(0, None)), in_axes=(0, None)), in_axes=(None, 0))(places, points)
    for axes, point, table in zip(figure.subplots(1, 3), np.asarray(points), np.asarray(far), strict=True):
        axes.contour(np.asarray(xs), np.asarray(ys), table, levels=range(1, 13), cmap="viridis_r", linewidths=0.9)
        axes.plot(*point, "o", color="C1", markersize=4)
        axes.set_aspect("equal")
    return "Distances from 1600 places to each of the points: the function for two points, in three vmaps."


def loops(lesson: Names, figure: Figure) -> str:
    """The balance, over more years."""
    deposits = fx.concat([fx.full(10, 10.0), fx.zeros(5), fx.full(15, -30.0)])
    _, history = scan(lesson["step"], 100.0, deposits)
    axes, years = figure.subplots(), np.arange(1, 31)
    axes.bar(years, np.asarray(deposits), color="C1", label="deposits")
    axes.plot(years, np.asarray(history), ".-", label="balance")
    axes.axhline(0, color=INK, linewidth=0.5)
    axes.set(xlabel="year")
    axes.legend()
    return "The step of the account over thirty years: elements that go in, results that come out."


def random_numbers(lesson: Names, figure: Figure) -> str:
    """Points of two keys, and estimates of π."""
    left, right = figure.subplots(1, 2)
    points = np.asarray(fx.random.uniform(lesson["first"], (400, 2)))
    inside = (points**2).sum(axis=1) < 1
    left.plot(*points[inside].T, ".", markersize=3)
    left.plot(*points[~inside].T, ".", markersize=3)
    left.set_aspect("equal")
    estimates = vmap(lesson["estimate"])(fx.random.split(lesson["key"], 200))
    right.hist(np.asarray(estimates), bins=20)
    right.axvline(np.pi, color="C1")
    right.set(xlabel="estimates of π by 200 keys")
    return "Points of one key, those within the circle blue; and estimates by 200 keys, in one batch."


def network(lesson: Names, figure: Figure) -> str:
    """The rings, and the regions that the network assigns to them."""
    xs = fx.linspace(-2.6, 2.6, 80)
    places = fx.reshape(fx.stack(fx.meshgrid(xs, xs), axis=-1), (-1, 2))
    scores = np.asarray(lesson["score"](lesson["params"], places)).reshape(80, 80)
    axes, rings = figure.subplots(), np.asarray(lesson["x"])
    axes.contourf(np.asarray(xs), np.asarray(xs), scores > 0, levels=[-0.5, 0.5, 1.5], colors=["C0", "C1"], alpha=0.3)
    for ring in (rings[:200:4], rings[200::4]):
        axes.plot(*ring.T, ".", markersize=4)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return "The two rings, and the places that the trained network gives to each."


def handler(lesson: Names, figure: Figure) -> str:
    """The sine, as two handlers interpret it."""
    x = fx.linspace(-5.0, 5.0, 200)
    axes, places = figure.subplots(), np.asarray(x)
    axes.plot(places, np.asarray(fx.sin(x)), label="sin(x)")
    with lesson["Series"]():
        axes.plot(places, np.asarray(fx.sin(x)), label="sin(x), with Series():")
    axes.set_ylim(-2, 2)
    axes.legend(loc="upper center")
    return "One line of code, outside and inside of the handler of the exercise."


def several_devices(lesson: Names, figure: Figure) -> str:
    """The blocks of three arrays, by device."""
    figure.set_size_inches(6.4, 2.2)
    for axes, name in zip(figure.subplots(1, 3, width_ratios=(1, 1, 3)), ("x", "w", "wide"), strict=True):
        array = lesson[name]
        rows, columns = array.shape
        shards = {tuple(s.start or 0 for s in shard.index): shard for shard in array.shards}
        for number, ((top, left), shard) in enumerate(shards.items()):
            height, width = shard.block.shape
            axes.add_patch(
                Rectangle((left, -top - height), width, height, facecolor=f"C{number % 5}", alpha=0.3, edgecolor=INK)
            )
            label = str(number) if len(shards) > 1 else "all"
            axes.text(left + width / 2, -top - height / 2, label, ha="center", va="center")
        axes.set(xlim=(0, columns), ylim=(-rows, 0), title=f"{name}: {rows} × {columns}")
        axes.set_axis_off()
    return "Eight devices: x is cut along its rows, w is on all of them, and wide is cut along its columns."


LESSONS: Final[dict[str, Callable[[Names, Figure], str]]] = {
    "01-arrays": arrays,
    "02-derivatives": derivatives,
    "03-batches": batches,
    "05-loops": loops,
    "06-random-numbers": random_numbers,
    "07-a-network": network,
    "09-a-handler": handler,
    "10-several-devices": several_devices,
}


def draw(lesson: str, folder: Path) -> Path:
    """The file of a lesson's picture, drawn again."""
    return save(partial(LESSONS[lesson], program(lesson)), folder / f"{lesson}.svg")


def main(chosen: list[str]) -> None:
    """Draws the pictures of the chosen lessons, by default of all."""
    FOLDER.mkdir(exist_ok=True)
    for lesson in chosen or LESSONS:
        print(f"{lesson}: {draw(lesson, FOLDER).stat().st_size / 1000:.1f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
