"""`python -m effects.check FILE_OR_FOLDER…`: finds where shapes are not those that annotations declare.

The files are imported, in a process of their own; what is below `if __name__ == "__main__"` does not run. Exit codes: 0
nothing found, 1 mistakes, 2 files that could not be checked.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from effects.check.files import modules, run, versions, wait_for_change
from effects.check.reports import FORMATS, RULES, problems


def _watch(paths: Sequence[str], check_once: Callable[[], int]) -> None:
    """Checks files now and whenever they change, until it is interrupted."""
    with suppress(KeyboardInterrupt):
        while True:
            before = versions(paths)
            check_once()
            print("-- waiting for changes, Ctrl-C ends --", flush=True)
            wait_for_change(paths, before)


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
    parser.add_argument("--watch", action="store_true", help="check again when files change")
    options = parser.parse_args(arguments)
    ignored = {rule.strip() for rule in options.ignore.split(",")} - {""}
    if unknown := ignored - RULES.keys():
        parser.error(f"no rule is called {sorted(unknown)[0]!r}: they are {', '.join(RULES)}")
    if missing := next((path for path in options.paths if not Path(path).exists()), None):
        parser.error(f"there is no {missing}")

    def once() -> int:
        files = run(list(modules(options.paths)), options.timeout)
        print(FORMATS[options.format](files, ignored, options.unchecked), flush=True)
        if any([file.failure for file in files]):
            return 2
        return int(any(problems(files, ignored)))

    if options.watch:
        _watch(options.paths, once)
        return 0
    return once()


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except BrokenPipeError:  # who reads the report has read enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
