"""Files that functions read: arrays, a program, a checkpoint."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory
from typing import Final

import effects as fx
import lowering
from tests.arguments.kinds import V, X, double

FOLDER: Final = TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)  # in memory, which is faster
SAVED: Final = f"{FOLDER.name}/saved.npz"
fx.save(SAVED, X)
STORED: Final = f"{FOLDER.name}/double.program"
lowering.export(double, V).save(STORED)
STEPS: Final = f"{FOLDER.name}/steps"
lowering.save_checkpoint(STEPS, 3, X)
