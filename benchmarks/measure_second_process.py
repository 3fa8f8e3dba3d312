"""The first training step of a second process, which finds on disk what the first has compiled."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, partial
from tempfile import TemporaryDirectory

from benchmarks.harness import Measure
from benchmarks.second_process import MODELS


@cache
def folder(library: str, model: str) -> "TemporaryDirectory[str]":
    """Folder of the programs; a first process has compiled them."""
    directory = TemporaryDirectory(prefix="effax-bench-")
    first_step(library, model, directory.name)
    return directory


def first_step(library: str, model: str, directory: str) -> float:
    """Seconds of one step, without imports, in a process of its own; both libraries come as bytecode."""
    command = [sys.executable, "-m", "benchmarks.second_process", library, model, directory]
    settings = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": ""}
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=settings).stdout)


def sample(library: str, model: str) -> float:
    """One step of a process that is not the first."""
    return first_step(library, model, folder(library, model).name)


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for model in MODELS:
        contenders = {library: partial(sample, library, model) for library in ("effax", "jax")}
        yield Measure(f"{model}: first step of a second process", contenders, {"jax": 2.0}, 10)
