"""The checks of the folder `eight`, in processes that have eight devices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

HERE: Final = Path(__file__).parent


FILES: Final = sorted((HERE / "eight").glob("check_*.py"))
_PROCESSES: Final = 3


@pytest.mark.parametrize("files", [FILES[i::_PROCESSES] for i in range(_PROCESSES)], ids=lambda files: files[0].stem)
def test_on_eight_devices(files: list[Path]) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"]
    told = ["-o", "python_files=check_*.py", *map(str, files)]
    quickly = {"XLA_FLAGS": "--xla_backend_optimization_level=0"}  # what the programs mean is tested, not their speed
    settings = {**os.environ, **quickly, "EFFAX_CPU_DEVICES": "8", "EFFAX_PLATFORMS": "cpu"}
    settings = {key: value for key, value in settings.items() if not key.startswith("PYTEST_")}
    done = subprocess.run(
        [*command, *told], cwd=HERE.parents[1], env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
