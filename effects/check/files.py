"""Checking files, in a process of their own, and waiting until they change."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from effects.check.worker import Checked

_BETWEEN: Final = 0.3  # seconds from one look at files to the next


def modules(paths: Sequence[str]) -> Iterator[str]:
    """The Python files among files and in folders."""
    for path in paths:
        if Path(path).is_dir():
            below = sorted(Path(path).rglob("*.py"))
            yield from [str(p) for p in below if not any([part.startswith(".") for part in p.parts])]
        else:
            yield path


def run(paths: Sequence[str], seconds: float) -> list[Checked]:
    """The reports of files, each with a limit of time."""
    pending, done = list(dict.fromkeys(paths)), []
    while pending:
        command = [sys.executable, "-m", "effects.check.worker", str(seconds), *pending]
        child = subprocess.run(command, capture_output=True, text=True, check=False)
        read = [Checked.read(line) for line in child.stdout.splitlines()]
        done += read
        pending = pending[len(read) :]
        if pending:
            path, late = pending.pop(0), "Timeout" in child.stderr
            reason = f"takes longer than {seconds:g} s" if late else f"ends the process: {child.stderr[-300:].strip()}"
            frame = re.search(rf'File "{re.escape(str(Path(path).resolve()))}", line (\d+)', child.stderr)
            done.append(Checked(path, (), reason, int(frame[1]) if frame is not None else 0))
    return done


def versions(paths: Sequence[str]) -> dict[Path, int]:
    """The times at which files, those in folders and those beside them were changed."""
    beside = {module for path in modules(paths) for module in (Path(path), *Path(path).parent.glob("*.py"))}
    times: dict[Path, int] = {}
    for path in beside:
        try:
            times[path] = path.stat().st_mtime_ns
        except FileNotFoundError:  # an editor is writing it
            continue
    return times


def wait_for_change(paths: Sequence[str], since: dict[Path, int]) -> None:
    """Returns when files are no longer as they were."""
    while versions(paths) == since:
        time.sleep(_BETWEEN)
