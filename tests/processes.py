"""Programs in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

from tests.boundaries.sources import ROOT


def printed(program: str, *arguments: object, status: int = 0, **environment: str) -> str:
    """The output of a process that runs a program in the folder of the sources, and ends with this status."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout
