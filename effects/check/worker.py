"""The process that checks files: `python -m effects.check.worker SECONDS FILE…` writes a line for each."""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from effects.check.loading import Finder, Loaded, load, root_of
from effects.check.staging import Outcome, Problem, answer_unknown, outcome


class Checked(NamedTuple):
    """Outcome of a file: the outcomes of its functions, or the reason why it could not be imported and the line of it
    that failed, 0 where that is not known.
    """

    path: str
    outcomes: tuple[Outcome, ...]
    failure: str
    line: int = 0

    @property
    def place(self) -> str:
        """The path, with the line that failed."""
        return f"{self.path}:{self.line}" if self.line else self.path

    def written(self) -> str:
        """A line of JSON, which `read` reads."""
        return json.dumps(self)

    @classmethod
    def read(cls, line: str) -> Checked:
        path, outcomes, failure, failed = json.loads(line)
        return cls(
            path,
            tuple([Outcome(f, n, reached, reason, p and Problem(*p)) for f, n, reached, reason, p in outcomes]),
            failure,
            failed,
        )


def checked(path: str, finder: Finder) -> Checked:
    """Check a file."""
    file = Path(path).resolve()
    try:
        loaded = load(file, finder)
    except BaseException as error:  # a module may raise anything, SystemExit too
        return Checked(path, (), f"importing raises {type(error).__name__}: {error}", _failing(error, str(file)))
    outcomes = [outcome(contract, loaded.literals) for contract in loaded.contracts]
    return Checked(path, tuple([_without_ignored(one, loaded) for one in outcomes if one is not None]), "")


def _failing(error: BaseException, file: str) -> int:
    """The line of a file at which importing it raises."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 0
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return lines[-1] if lines else 0


def _without_ignored(outcome: Outcome, loaded: Loaded) -> Outcome:
    problem = outcome.problem
    if problem is None or problem.line not in loaded.ignored:
        return outcome
    rules = loaded.ignored[problem.line]
    return outcome._replace(problem=None) if rules is None or problem.rule in rules else outcome


def main(seconds: float, paths: Sequence[str]) -> None:
    """Checks files in turn. One that takes longer ends the process."""
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)  # what modules print is no report
        finder = Finder({root_of(Path(path).resolve()) for path in paths})
        answer_unknown()
        sys.meta_path.insert(0, finder)
        sys.path[:0] = [str(root) for root in finder.folders]
        for path in paths:
            faulthandler.dump_traceback_later(seconds, exit=True, file=sys.stderr)
            print(checked(path, finder).written(), file=out, flush=True)
            faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:])
