"""The process that checks files: `python -m effects.check.worker SECONDS FILE…` writes a line for each."""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from effects.check.contracts import Contract
from effects.check.loading import Finder, Loaded, load, root_of
from effects.check.staging import Outcome, Problem, answer_unknown, check


class Checked(NamedTuple):
    """What came of a file: what came of its functions, or why it could not be imported."""

    path: str
    outcomes: tuple[Outcome, ...]
    failure: str

    def written(self) -> str:
        """A line of JSON, which `read` reads."""
        return json.dumps(self)

    @classmethod
    def read(cls, line: str) -> Checked:
        path, outcomes, failure = json.loads(line)
        return cls(
            path, tuple([Outcome(f, n, reached, why, p and Problem(*p)) for f, n, reached, why, p in outcomes]), failure
        )


def checked(path: str, finder: Finder) -> Checked:
    """What came of a file."""
    try:
        loaded = load(Path(path).resolve(), finder)
    except BaseException as error:  # a module may raise anything, SystemExit too
        return Checked(path, (), f"importing raises {type(error).__name__}: {error}")
    outcomes = [outcome for contract in loaded.contracts if (outcome := _outcome(contract, loaded)) is not None]
    return Checked(path, tuple(outcomes), "")


def _outcome(contract: Contract, loaded: Loaded) -> Outcome | None:
    """What came of a function; None of one without arrays in its annotations."""
    try:
        return _without_ignored(check(contract, loaded.literals), loaded) if contract.shapes else None
    except Exception as error:  # of annotations that nobody has thought of: no reason to leave out the other functions
        return Outcome(contract.name, contract.line, False, f"{type(error).__name__}: {error}", None)


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
