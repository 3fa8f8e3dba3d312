"""Programs in a process in which SciPy takes arrays of any library, as it is told when it is imported."""

from __future__ import annotations

import os
import subprocess
import sys


def run(program: str) -> tuple[str, str]:
    """What the program prints, and its errors."""
    command, environment = [sys.executable, "-c", program], {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr
