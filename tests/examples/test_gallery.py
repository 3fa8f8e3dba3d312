"""The gallery: its pictures are those of the examples, light, the same in each drawing, legible in both themes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from examples import gallery, lessons
from examples.gallery import COLORS, INK, PAGE, names, page, result


def test_the_page_has_a_card_for_each_example_with_a_picture() -> None:
    assert len(names()) >= 8
    assert {path.name for path in gallery.FOLDER.iterdir()} == {f"{name}.svg" for name in names()}
    assert PAGE.read_text() == page(), "make gallery"


def test_lessons_show_their_pictures() -> None:
    assert {path.name for path in lessons.FOLDER.iterdir()} == {f"{lesson}.svg" for lesson in lessons.LESSONS}
    for lesson in lessons.LESSONS:
        assert f"](pictures/{lesson}.svg)" in (lessons.TUTORIAL / f"{lesson}.md").read_text()


def test_pictures_are_light() -> None:
    sizes = [path.stat().st_size for folder in (gallery.FOLDER, lessons.FOLDER) for path in folder.iterdir()]
    assert max(sizes) <= 60_000 and sum(sizes) <= 1_000_000


@pytest.mark.parametrize(
    ("draw", "folder", "name"),
    [
        (gallery.draw, gallery.FOLDER, "heat"),
        (gallery.draw, gallery.FOLDER, "interval"),
        (lessons.draw, lessons.FOLDER, "01-arrays"),
        (lessons.draw, lessons.FOLDER, "09-a-handler"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_drawn_again_a_picture_is_the_same(
    draw: Callable[[str, Path], Path], folder: Path, name: str, tmp_path: Path
) -> None:
    first = draw(name, tmp_path).read_bytes()
    assert draw(name, tmp_path).read_bytes() == first
    assert result(tmp_path / f"{name}.svg") == result(folder / f"{name}.svg")


def luminance(color: str) -> float:
    """Relative luminance of #rrggbb, by the formula of WCAG."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("background", ["#ffffff", "#1e2129"])
def test_colors_are_legible_in_both_themes(background: str) -> None:
    for color in (*COLORS, INK):
        dark, light = sorted([luminance(color), luminance(background)])
        assert (light + 0.05) / (dark + 0.05) >= 3, color
