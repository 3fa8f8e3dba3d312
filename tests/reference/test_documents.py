"""Runs every Python example of README.md and docs/.

The ```python blocks of one document are one doctest session, in reading order: a name bound in a block is known in the
later ones. A block is written as at the interpreter's prompt, so that its output is part of the page and of the test.
"""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

from effects.runtime.spellings import names_of

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "docs" / "contributing.md"  # which another test follows
DOCUMENTS = [ROOT / "README.md", *sorted({*(ROOT / "docs").rglob("*.md")} - {RECIPES})]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def python_examples(path: Path) -> doctest.DocTest:
    """The examples of all ```python blocks of a document, numbered by the document's own lines."""
    text = path.read_text()
    examples: list[doctest.Example] = []
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        found = doctest.DocTestParser().get_examples(block[1], path.name)
        assert found, f"{path}:{first}: a python block without >>> is never run; write it as an interpreter session"
        for example in found:
            example.lineno += first
        examples += found
    return doctest.DocTest(examples, {"__name__": "__main__"}, path.name, str(path), 0, text)


def test_the_guide_from_scipy_says_what_errors_say() -> None:
    hints = {
        owner.partition(".")[2]: words for owner, words in names_of("scipy").items() if owner.startswith("effects.")
    }
    text = (ROOT / "docs" / "coming-from-scipy.md").read_text()
    one = rf"`(?:{'|'.join(hints)})\.\w+`"
    rows = re.findall(rf"^\| ({one}(?:, {one})*) \| (.*) \|$", text, re.MULTILINE)
    assert {name: re.sub(r"[`\\]", "", words) for names, words in rows for name in re.findall(r"`(.+?)`", names)} == {
        f"{module}.{name}": words
        for module, table in hints.items()
        for name, words in table.items()
        if hasattr(import_module(f"scipy.{module}"), name)
    }


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_example_is_run(path: Path) -> None:
    assert ">>> " not in BLOCK.sub("", path.read_text()), "write it in a ```python block"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_of_document(path: Path) -> None:
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(python_examples(path), out=report.append)
    assert not runner.failures, "".join(report)
