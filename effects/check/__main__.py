"""`python -m effects.check FILE_OR_FOLDER…`: finds where shapes are not those that annotations declare.

The files are imported, in a process of their own; what is below `if __name__ == "__main__"` does not run. Exit codes: 0
nothing found, 1 mistakes, 2 files that could not be checked.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from effects.check.reports import FORMATS, RULES, problems
from effects.check.worker import Checked


def _files(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if Path(path).is_dir():
            modules = sorted(Path(path).rglob("*.py"))
            yield from [str(p) for p in modules if not any([part.startswith(".") for part in p.parts])]
        else:
            yield path


def run(paths: Sequence[str], seconds: float) -> list[Checked]:
    """The reports of files, each with a limit of time."""
    left, done = list(dict.fromkeys(paths)), []
    while left:
        command = [sys.executable, "-m", "effects.check.worker", str(seconds), *left]
        child = subprocess.run(command, capture_output=True, text=True, check=False)
        read = [Checked.read(line) for line in child.stdout.splitlines()]
        done += read
        left = left[len(read) :]
        if left:
            late = "Timeout" in child.stderr
            why = f"takes longer than {seconds:g} s" if late else f"ends the process: {child.stderr[-300:].strip()}"
            done.append(Checked(left.pop(0), (), why))
    return done


def main(arguments: Sequence[str]) -> int:
    """Prints a report of files and folders, and gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m effects.check", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", metavar="file_or_folder")
    parser.add_argument("--format", choices=list(FORMATS), default="text", help="what is printed: text")
    parser.add_argument(
        "--ignore", default="", metavar="RULES", help=f"rules with commas between, of {', '.join(RULES)}"
    )
    parser.add_argument("--unchecked", action="store_true", help="say which functions were not checked, and why")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS", help="for each file: 60")
    options = parser.parse_args(arguments)
    ignored = {rule.strip() for rule in options.ignore.split(",")} - {""}
    if unknown := ignored - RULES.keys():
        parser.error(f"no rule is called {sorted(unknown)[0]!r}: they are {', '.join(RULES)}")
    if missing := next((path for path in options.paths if not Path(path).exists()), None):
        parser.error(f"there is no {missing}")
    files = run(list(_files(options.paths)), options.timeout)
    print(FORMATS[options.format](files, ignored, options.unchecked))
    if any([file.failure for file in files]):
        return 2
    return int(any(problems(files, ignored)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
