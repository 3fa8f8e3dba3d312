"""What mypy says of programs: the types it reveals in accept/, the lines it rejects in reject/.

In accept/ the comment at `reveal_type(...)` is the expected type, without the names of modules, and `3 × type` is that of
a tuple of three. In reject/ a comment
`# E: text` expects an error with this text on its line (`# E (mypy): text` of mypy alone). There must be no others.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from mypy import api

import effects as fx

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

type Place = tuple[str, int]
type Messages = dict[Place, list[str]]


def lines(folder: str) -> Iterator[tuple[Place, str]]:
    """The lines of the programs in a folder, by file and number."""
    for path in sorted((HERE / folder).glob("*.py")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            yield (f"{folder}/{path.name}", number), line


def said() -> tuple[Messages, Messages, Counter[Place]]:
    """The errors and the revealed types of all programs, and the length of all it says, in one run of mypy."""
    options = ["--config-file", str(ROOT / "mypy.ini"), "--cache-dir", str(ROOT / ".mypy_cache"), "--no-error-summary"]
    programs = sorted(map(str, HERE.glob("*/*.py")))
    report, trouble, _ = api.run([*options, *programs])
    assert not trouble
    errors: Messages = defaultdict(list)
    revealed: Messages = defaultdict(list)
    lengths: Counter[Place] = Counter()
    for line in report.splitlines():
        found = re.match(r"(.*?):(\d+): (error|note): (.*)", line)
        assert found is not None, line
        path = Path(found[1])
        place = (f"{path.parent.name}/{path.name}", int(found[2]))
        text = re.sub(r"\b(?:[a-z_]\w*\.)+(?=\w)", "", found[4])
        lengths[place] += len(text)
        if found[3] == "error":
            errors[place].append(text)
        elif (shown := re.match(r'Revealed type is "(.*)"', text)) is not None:
            revealed[place].append(shown[1])
    return errors, revealed, lengths


LONG = 21
"""Number of mistakes of which mypy says more than 600 characters, with the overloads that it lists. It may only shrink."""


def expected_types() -> dict[Place, str]:
    """The types that programs say they reveal: after the line, or below it on lines that begin with `#:`."""
    expected: dict[Place, str] = {}
    above = ("", 0)
    for place, line in lines("accept"):
        if (found := re.match(r"\s*reveal_type\(.*\)(?:  # (.*))?$", line)) is not None:
            above = place
            expected[place] = found[1] or ""
        elif (found := re.match(r"\s*#: (.*)$", line)) is not None:
            expected[above] = f"{expected[above]} {found[1]}".strip()
    return {place: re.sub(r"^(\d+) × (.*)$", _tuple, text) for place, text in expected.items()}


def _tuple(found: re.Match[str]) -> str:
    return f"tuple[{', '.join([found[2]] * int(found[1]))}]"


def expected_errors() -> dict[Place, str]:
    """The errors that programs say they have."""
    found = {place: re.search(r"# E(?: \(mypy\))?: (.*)$", line) for place, line in lines("reject")}
    return {place: match[1] for place, match in found.items() if match is not None}


def test_mypy_says_of_programs_what_they_expect() -> None:
    errors, revealed, lengths = said()
    types, rejected = expected_types(), expected_errors()
    assert len(types) >= 40
    assert len(rejected) >= 20
    assert {place: shown[0] for place, shown in revealed.items()} == types
    assert set(errors) == set(rejected), {place: errors.get(place) for place in set(errors) ^ set(rejected)}
    for place, text in rejected.items():
        assert any(text in message for message in errors[place]), (place, text, errors[place])
    assert sum([lengths[place] > 600 for place in rejected]) <= LONG


UNSAID = {
    *("average", "cov", "corrcoef", "interp", "select", "choose", "block", "bincount", "complex", "angle"),  # they meet
    *("broadcast_arrays", "meshgrid", "ix_", "sort_together", "ragged_dot", "dot_general", "divmod"),  # several, too
    *("histogram", "histogram2d", "histogramdd", "histogram_bin_edges", "gradient", "indices", "vander"),
    *("float_power", "from_dlpack", "asanyarray", "mask_indices", "matmul", "cross"),
    *("apply_over_axes", "gcd", "lcm", "real_if_close", "sort_complex"),
}
"""Functions of which no checker, or not both, are told the dtype of every result."""


def test_every_function_says_what_it_gives() -> None:
    """What a function gives is revealed in accept/, or it gives no array."""
    text = "\n".join([line for _, line in lines("accept")])
    found = {
        name
        for name in dir(fx)
        if inspect.isfunction(f := getattr(fx, name)) and f.__module__.startswith("effects.functions.")
        if "Array" in str(f.__annotations__.get("return"))
    }
    assert len(found) > 300
    assert {name for name in found if f"fx.{name}(" not in text} <= UNSAID
