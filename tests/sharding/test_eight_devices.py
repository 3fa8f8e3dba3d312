"""The checks of the folder `eight`, each file in a process of its own that has eight devices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

HERE: Final = Path(__file__).parent


SLOW: Final = ("check_planted", "check_shard_map_law")
NAMES: Final = sorted([path.stem for path in (HERE / "eight").glob("check_*.py")])


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow if n in SLOW else ()) for n in NAMES])
def test_on_eight_devices(name: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"]
    told = ["-o", "python_files=check_*.py", f"tests/sharding/eight/{name}.py"]
    quickly = {"XLA_FLAGS": "--xla_backend_optimization_level=0"}  # what the programs mean is tested, not their speed
    settings = {**os.environ, **quickly, "EFFAX_CPU_DEVICES": "8", "EFFAX_PLATFORMS": "cpu"}
    settings = {key: value for key, value in settings.items() if not key.startswith("PYTEST_")}
    done = subprocess.run(
        [*command, *told], cwd=HERE.parents[1], env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
