"""Documents: what they refer to is there, be it a page, a heading, a file, a folder, a module or a public name."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import Final

import pytest

from benchmarks import figures
from tests.boundaries.sources import PACKAGES, ROOT, files

DOCUMENTS: Final = sorted(
    str(path.relative_to(ROOT))
    for folder in ("", "docs", "examples", "benchmarks")
    for path in (ROOT / folder).glob("*.md")
)
FENCED: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
NEW: Final = re.compile(r"New file\s+`[^`]+`")  # what a recipe makes
LINK: Final = re.compile(r"\]\(([^)\s]*)\)")
CODE: Final = re.compile(r"`([^`\n]+)`")
HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
DOTTED: Final = re.compile(rf"(?:{'|'.join(PACKAGES)})(?:\.\w+)+")
MADE: Final = ("results", "out")  # folders that commands in the documents make


def prose(path: Path) -> str:
    """The text of a document without its blocks of code and the files that it makes."""
    return NEW.sub("", FENCED.sub("", path.read_text()))


def anchors(path: Path) -> list[str]:
    """What the headings of a document are called in links."""
    return [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in HEADING.findall(prose(path))]


def broken_links(path: Path) -> list[str]:
    """The links of a document to files or headings that are not there."""
    broken = []
    for link in LINK.findall(CODE.sub("", prose(path))):
        target, _, anchor = link.partition("#")
        page = path.parent / target if target else path
        if "://" not in link and (not page.exists() or (anchor and anchor not in anchors(page))):
            broken.append(link)
    return broken


def is_there(name: str, folder: Path, modules: frozenset[str]) -> bool:
    """Whether a word that looks like a path names something, from the root or from the document's own folder.

    `rules.py` stands for any module of that name, as the sentence says which.
    """
    if "/" not in name:
        return name in modules
    made = name.strip("/") in MADE
    return made or any((start / name).exists() for start in (ROOT, folder))


def missing_paths(path: Path) -> list[str]:
    """The files and folders that a document names in its text and that are not there."""
    modules = frozenset(Path(file).name for file in files(*PACKAGES, "examples", "benchmarks", "tests"))
    named = [word for code in CODE.findall(prose(path)) for word in code.split()]
    paths = [word for word in named if re.fullmatch(r"[\w./-]+", word) and re.search(r"\w/|\.pyi?$", word)]
    return [word for word in paths if not is_there(word, path.parent, modules)]


def missing_names(path: Path) -> list[str]:
    """The modules and public names, `handlers.jet`, that a document names in its text and that are not there."""
    named = [code for code in CODE.findall(prose(path)) if DOTTED.fullmatch(code)]
    return [name for name in named if not can_be_had(name)]


def can_be_had(name: str) -> bool:
    """Whether a dotted name is that of a module, or is got from the last of its modules by attributes."""
    thing: object = None
    for prefix in accumulate(name.split("."), "{}.{}".format):
        last = prefix.rpartition(".")[2]
        if thing is not None and hasattr(thing, last):
            thing = getattr(thing, last)
            continue
        try:
            thing = import_module(prefix)
        except ModuleNotFoundError:
            return False
    return True


@pytest.mark.parametrize("path", DOCUMENTS)
def test_links_lead_somewhere(path: str) -> None:
    assert not broken_links(ROOT / path)


@pytest.mark.parametrize("path", DOCUMENTS)
def test_paths_are_there(path: str) -> None:
    assert not missing_paths(ROOT / path)


@pytest.mark.parametrize("path", DOCUMENTS)
def test_names_are_there(path: str) -> None:
    assert not missing_names(ROOT / path)


def test_what_is_not_there_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A page\n[a](page.md#a-page) [b](gone.md) [c](#gone) `page.md` `handlers/gone.py` `gone.py` `jit(f)/g`\n"
    )
    assert broken_links(page) == ["gone.md", "#gone"]
    assert missing_paths(page) == ["handlers/gone.py", "gone.py"]
    page.write_text("`handlers.jvp` `handlers.jet` `handlers.gone` `effects.gone.array` `effects.Array.shape`\n")
    assert missing_names(page) == ["handlers.gone", "effects.gone.array"]


def test_every_example_is_listed() -> None:
    listed = LINK.findall((ROOT / "examples" / "README.md").read_text())
    assert [path.name for path in (ROOT / "examples").glob("*.py") if path.name not in listed] == []


def test_the_table_beside_jax_has_its_rows() -> None:
    _, table, behind = figures.parts(figures.README.read_text())
    rows = [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines() if line.startswith("| ")]
    assert rows[2:] == list(figures.ROWS.values())
    assert behind
