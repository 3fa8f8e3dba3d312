"""Reports of what was checked, as text, JSON and SARIF."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from effects.check.staging import Outcome, Problem
from effects.check.worker import Checked

RULES: Final = {
    "shape": "Shapes do not fit an operation, or are not those that are declared.",
    "dtype": "A dtype is not the one that is declared, or not one that an operation takes.",
    "tree": "A value is not of the structure that is declared.",
    "argument": "An operation does not take such an argument.",
}
"""Rules of the checker: the problems that it reports."""


def problems(files: Sequence[Checked], ignored: Collection[str]) -> Iterator[tuple[str, Problem]]:
    """The mistakes of files, by path, without those of some rules."""
    for file in files:
        distinct = {o.problem for o in file.outcomes if o.problem is not None and o.problem.rule not in ignored}
        yield from [(file.path, problem) for problem in sorted(distinct)]


def line(path: str, p: Problem) -> str:
    """A mistake as text: `path:line:column: error: what it is  [rule]`."""
    return f"{path}:{p.line}:{p.column}: error: {p.text}  [{p.rule}]"


def _unchecked(files: Sequence[Checked]) -> Iterator[tuple[str, Outcome]]:
    for file in files:
        yield from [(file.path, outcome) for outcome in file.outcomes if not outcome.reached]


def text(files: Sequence[Checked], ignored: Collection[str], everything: bool) -> str:
    """A line for each mistake, with `everything` for each function that was not checked, and one that counts."""
    rows = [(path, p) for path, p in problems(files, ignored)]
    lines = [line(path, p) for path, p in rows]
    lines += [f"{file.place}: error: {file.failure}" for file in files if file.failure]
    missed = list(_unchecked(files))
    if everything:
        lines += [f"{path}:{o.line}: note: {o.function} is not checked to its end: {o.reason}" for path, o in missed]
    count = sum([len(file.outcomes) for file in files])
    lines.append(
        f"{_several(len(rows), 'error')} in {_several(count, 'function')} of {_several(len(files), 'file')}"
        + (
            f"; {len(missed)} not checked, or not to the end{'' if everything else ' (--unchecked says why)'}"
            if missed
            else ""
        )
    )
    return "\n".join(lines)


def _several(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def as_json(files: Sequence[Checked], ignored: Collection[str], everything: bool) -> str:
    """An object: `errors`, `unchecked` functions, `reasons` with how often they occur, `failures` of files, a count."""
    missed = list(_unchecked(files))
    report = {
        "errors": [{"path": path, **p._asdict()} for path, p in problems(files, ignored)],
        "unchecked": [{"path": path, "line": o.line, "function": o.function, "reason": o.reason} for path, o in missed],
        "reasons": dict(Counter([o.reason for _, o in missed]).most_common()),
        "failures": [{"path": file.path, "line": file.line, "reason": file.failure} for file in files if file.failure],
        "functions": sum([len(file.outcomes) for file in files]),
    }
    return json.dumps(report, indent=2)


def sarif(files: Sequence[Checked], ignored: Collection[str], everything: bool) -> str:
    """SARIF 2.1.0, which code hosts and editors read."""

    def result(path: str, p: Problem) -> dict[str, object]:
        place = {"artifactLocation": {"uri": path}, "region": {"startLine": p.line, "startColumn": p.column}}
        locations = [{"physicalLocation": place}]
        return {"ruleId": p.rule, "level": "error", "message": {"text": p.text}, "locations": locations}

    rules = [{"id": rule, "shortDescription": {"text": description}} for rule, description in RULES.items()]
    failures = [
        {"level": "error", "message": {"text": f"{file.place}: {file.failure}"}} for file in files if file.failure
    ]
    run = {
        "tool": {"driver": {"name": "effects.check", "rules": rules}},
        "results": [result(path, problem) for path, problem in problems(files, ignored)],
        "invocations": [{"executionSuccessful": not failures, "toolExecutionNotifications": failures}],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


FORMATS: Final[dict[str, Callable[[Sequence[Checked], Collection[str], bool], str]]] = {
    "text": text,
    "json": as_json,
    "sarif": sarif,
}
"""Reports by name."""
