"""Checkpoints of several processes: each writes its own, all have the same errors, one that is killed breaks none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from effects.errors import FileError
from lowering import checkpoint_steps, load_checkpoint, save_checkpoint

pytest.importorskip("tensorstore")
ROOT: Final = Path(__file__).parents[2]
X: Final = np.arange(64.0).reshape(8, 8)


def launched(mode: str, folder: Path, devices: int) -> subprocess.CompletedProcess[str]:
    numbers = ["-n", "2", "--devices", str(devices), "--grace", "2"]
    command = [sys.executable, "-m", "lowering.launch", *numbers, "tests/distributed/checkpoints.py", mode, str(folder)]
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "EFFAX_PLATFORMS": "cpu"}
    return subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, timeout=60, check=False)


def test_what_two_processes_save_one_loads(tmp_path: Path) -> None:
    done = launched("everything", tmp_path, 4)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("all of it") == 2
    found = load_checkpoint(tmp_path)
    assert all(np.array_equal(found[name], X) for name in ("both", "rows", "whole")) and found["n"] == 3


def test_one_that_is_killed_while_it_saves_leaves_the_last_one(tmp_path: Path) -> None:
    done = launched("killed", tmp_path, 1)
    assert done.returncode == 137 and "process 1 of 2 is gone" in done.stderr, done.stderr
    assert checkpoint_steps(tmp_path) == (1,) and np.array_equal(load_checkpoint(tmp_path)["x"], X)
    with pytest.raises(FileError, match=r"the checkpoint of step 2 is not complete; it has those of steps \[1\]"):
        load_checkpoint(tmp_path, 2)
    save_checkpoint(tmp_path, 2, {"x": X})
    assert sorted(os.listdir(tmp_path)) == [".lock", "step-1", "step-2"]
