"""The gallery: drawings of what the examples compute, and docs/gallery.md with a card for each: `make gallery`.

An example with something to show has a function `picture`, which draws on a matplotlib figure and returns the result in
words; its docstring says what is drawn. The words are kept in the picture's file, and the page is made from these files
and the docstrings. `python -m examples.gallery heat` draws one.
"""

from __future__ import annotations

import html
import inspect
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final

from cycler import cycler
from matplotlib import style
from matplotlib.figure import Figure

HERE: Final = Path(__file__).parent
PAGE: Final = HERE.parent / "docs" / "gallery.md"
FOLDER: Final = PAGE.with_suffix("")
COLORS: Final = ("#3f87e0", "#d9702e", "#2a9d6f", "#d9506a", "#9a76dc")
INK: Final = "#7d8590"
"""Like the colours, this can be read on white and on black."""
HEAD: Final = """# Gallery

Examples with pictures; each file takes a few minutes to read. `make gallery` redraws them in half a minute.
[All examples](../examples/README.md).

<div class="grid cards" markdown>
"""
STYLE: Final = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.prop_cycle": cycler(color=COLORS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9,
    "figure.figsize": (4.8, 2.9),
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "image.interpolation": "none",
    "legend.frameon": False,
    "savefig.transparent": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "effax",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def names() -> list[str]:
    """Examples that have a picture."""
    return [path.stem for path in sorted(HERE.glob("*.py")) if "\ndef picture(" in path.read_text(encoding="utf-8")]


def draw(name: str, folder: Path) -> Path:
    """The file of an example's picture, drawn again."""
    return save(import_module(f"examples.{name}").picture, folder / f"{name}.svg")


def save(picture: Callable[[Figure], str], path: Path) -> Path:
    """The path, to which the picture and its words are written."""
    with style.context(STYLE):
        figure = Figure()
        words = picture(figure)
        figure.savefig(path, metadata={"Date": None, "Creator": None, "Description": words})
    # A hundredth of a point is seen by nobody, and rounding differs from machine to machine below it.
    path.write_text(re.sub(r"(\.\d\d)\d{3,}", r"\1", path.read_text(encoding="utf-8")), encoding="utf-8")
    return path


def result(path: Path) -> str:
    """The words that came with a picture."""
    match = re.search(r"<dc:description>(.*?)</dc:description>", path.read_text(encoding="utf-8"), re.DOTALL)
    assert match is not None, f"{path} has no description"
    return html.unescape(match[1])


def page() -> str:
    """Markdown of the gallery, from the examples and the files of their pictures."""
    cards = []
    for name in names():
        module = import_module(f"examples.{name}")
        subject = (inspect.getdoc(module) or "").partition("\n")[0]
        shown = (inspect.getdoc(module.picture) or "").replace("\n", " ")
        cards.append(
            f"-   ![{shown}](gallery/{name}.svg)\n\n"
            f"    **[{name}.py](../examples/{name}.py)**: {subject} {shown}\n\n"
            f"    {result(FOLDER / f'{name}.svg')}\n\n"
        )
    return f"{HEAD}\n{''.join(cards)}</div>\n"


def main(chosen: list[str]) -> None:
    """Draws the pictures of the chosen examples, by default of all, and writes the page."""
    FOLDER.mkdir(exist_ok=True)
    for name in chosen or names():
        path = draw(name, FOLDER)
        print(f"{name}: {path.stat().st_size / 1000:.1f} kB. {result(path)}")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
