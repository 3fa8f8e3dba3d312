"""The pytest option `--shapes=PATH`: a test for each annotated function of files and folders.

It is there where `-p effects.check.pytest_plugin` is written: pytest imports plugins that install themselves always.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.check.files import modules, run
from effects.check.reports import line


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    words = "check the shapes in the annotations of a file or a folder (python -m effects.check); may be repeated"
    parser.getgroup("effax").addoption("--shapes", action="append", default=[], metavar="PATH", help=words)


def pytest_configure(config: pytest.Config) -> None:
    """Names the marker of the tests."""
    config.addinivalue_line("markers", "shapes: a function whose shapes are checked, by --shapes")


@pytest.hookimpl(tryfirst=True)  # before tests are selected
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds a test for each annotated function, and one for each file that cannot be checked."""
    paths: list[str] = config.getoption("--shapes")
    if not paths:
        return
    if missing := next((path for path in paths if not Path(path).exists()), None):
        raise pytest.UsageError(f"--shapes: there is no {missing}")
    for checked in run(list(modules(paths)), 60.0):
        file = _File.from_parent(session, path=Path(checked.path).resolve())
        for outcome in checked.outcomes:
            name = f"{outcome.function}:{outcome.line}"
            mistake = outcome.problem and line(file.shown, outcome.problem)
            open_end = "" if outcome.reached else f"line {outcome.line} is as far as it is checked: {outcome.reason}"
            items.append(_Check.of(file, name, outcome.line - 1, mistake or "", open_end))
        if checked.failure:
            items.append(
                _Check.of(file, "import", 0, f"{checked._replace(path=file.shown).place}: error: {checked.failure}", "")
            )


class _File(pytest.File):
    def collect(self) -> list[pytest.Item]:
        return []

    @property
    def shown(self) -> str:
        """The path from here."""
        path, folder = self.path, Path.cwd()
        return str(path.relative_to(folder) if path.is_relative_to(folder) else path)


class _Mistake(Exception):
    """A mistake of shape; the text is all there is to show."""


class _Check(pytest.Item):
    """A function that was checked, or a file that could not be: the mistake, and why it was not checked to its end."""

    mistake: str
    open_end: str
    row: int

    @classmethod
    def of(cls, file: _File, name: str, row: int, mistake: str, open_end: str) -> _Check:
        """The test of this name, at a row of a file."""
        check: _Check = cls.from_parent(file, name=name)
        check.row, check.mistake, check.open_end = row, mistake, open_end
        check.add_marker("shapes")
        return check

    def runtest(self) -> None:
        if self.mistake:
            raise _Mistake(self.mistake)
        if self.open_end:
            pytest.skip(self.open_end)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        return str(excinfo.value if isinstance(excinfo.value, _Mistake) else super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.row, self.name.partition(":")[0]
