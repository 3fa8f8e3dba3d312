"""What mypy says of programs: the types it reveals in accept/, the lines it rejects in reject/.

In accept/ the comment at `reveal_type(...)` is the expected type, without the names of modules. In reject/ a comment
`# E: text` expects an error with this text on its line. There must be no other errors.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from mypy import api

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

type Messages = dict[tuple[str, int], list[str]]


def mypy(folder: Path) -> tuple[Messages, Messages]:
    """The errors and the revealed types of the programs in a folder, by file and line."""
    options = ["--config-file", str(ROOT / "mypy.ini"), "--cache-dir", str(ROOT / ".mypy_cache")]
    report, trouble, _ = api.run([*options, "--no-error-summary", *map(str, sorted(folder.glob("*.py")))])
    assert not trouble
    errors: Messages = defaultdict(list)
    revealed: Messages = defaultdict(list)
    for line in report.splitlines():
        found = re.match(r"(.*?):(\d+): (error|note): (.*)", line)
        assert found is not None, line
        place = (Path(found[1]).name, int(found[2]))
        text = re.sub(r"\b(?:[a-z_]\w*\.)+(?=\w)", "", found[4])
        if found[3] == "error":
            errors[place].append(text)
        elif (shown := re.match(r'Revealed type is "(.*)"', text)) is not None:
            revealed[place].append(shown[1])
    return errors, revealed


def expected_types(folder: Path) -> dict[tuple[str, int], str]:
    """The types that programs say they reveal: after the line, or below it on lines that begin with `#:`."""
    expected: dict[tuple[str, int], str] = {}
    place = ("", 0)
    for path in sorted(folder.glob("*.py")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if (found := re.match(r"\s*reveal_type\(.*\)(?:  # (.*))?$", line)) is not None:
                place = (path.name, number)
                expected[place] = found[1] or ""
            elif (found := re.match(r"\s*#: (.*)$", line)) is not None:
                expected[place] = f"{expected[place]} {found[1]}".strip()
    return expected


def expected_errors(folder: Path) -> dict[tuple[str, int], str]:
    """The errors that programs say they have, by file and line."""
    return {
        (path.name, number): found[1]
        for path in sorted(folder.glob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (found := re.search(r"# E: (.*)$", line)) is not None
    }


def test_accepted_programs_have_the_types_they_say() -> None:
    errors, revealed = mypy(HERE / "accept")
    assert not errors
    expected = expected_types(HERE / "accept")
    assert len(expected) >= 40
    assert {place: shown[0] for place, shown in revealed.items()} == expected


def test_rejected_programs_are_rejected_where_they_say() -> None:
    errors, _ = mypy(HERE / "reject")
    expected = expected_errors(HERE / "reject")
    assert len(expected) >= 20
    assert set(errors) == set(expected), {place: errors.get(place) for place in set(errors) ^ set(expected)}
    for place, text in expected.items():
        assert any(text in message for message in errors[place]), (place, text, errors[place])
