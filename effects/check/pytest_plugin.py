"""The pytest option `--shapes=PATH`: a test for each annotated function of files and folders.

It is there where `-p effects.check.pytest_plugin` is written: pytest imports plugins that install themselves always.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.check.files import modules, run
from effects.check.reports import line
from effects.check.staging import Outcome


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
            items.append(_Function.from_parent(file, name=f"{outcome.function}:{outcome.line}", outcome=outcome))
        if checked.failure:
            items.append(_Failure.from_parent(file, name="import", why=checked.failure))


class _File(pytest.File):
    def collect(self) -> list[pytest.Item]:
        return []


class _Mistake(Exception):
    """A mistake of shape; the text is all there is to show."""


class _Shown(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        return str(excinfo.value if isinstance(excinfo.value, _Mistake) else super().repr_failure(excinfo))

    @property
    def shown_path(self) -> str:
        path, root = self.path, Path.cwd()
        return str(path.relative_to(root) if path.is_relative_to(root) else path)


class _Function(_Shown):
    """A function that was checked."""

    def __init__(self, *, outcome: Outcome, **others: object) -> None:
        super().__init__(**others)  # type: ignore[arg-type]  # pytest's own arguments
        self.outcome = outcome
        self.add_marker("shapes")

    def runtest(self) -> None:
        if self.outcome.problem is not None:
            raise _Mistake(line(self.shown_path, self.outcome.problem))
        if not self.outcome.reached:
            pytest.skip(f"line {self.outcome.line} is as far as it is checked: {self.outcome.reason}")

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.outcome.line - 1, self.outcome.function


class _Failure(_Shown):
    """A file that could not be checked."""

    def __init__(self, *, why: str, **others: object) -> None:
        super().__init__(**others)  # type: ignore[arg-type]  # pytest's own arguments
        self.why = why
        self.add_marker("shapes")

    def runtest(self) -> None:
        raise _Mistake(f"{self.shown_path}: error: {self.why}")

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, "import"
