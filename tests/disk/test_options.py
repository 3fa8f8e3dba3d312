"""XLA's options of a process decide its programs as XLA has read them, from the environment or from a file."""

from __future__ import annotations

from pathlib import Path

from tests.processes import printed

PROGRAM = """
import os
import effects as fx
from lowering import devices, disk_report, jit, keep_on_disk
keep_on_disk({folder!r}, min_seconds=0)
{before}
jit(lambda x: fx.exp(x) + 1)(fx.ones(3))
print(disk_report().hits, disk_report().written)
"""


def hits_and_written(folder: Path, flags: str, before: str = "") -> str:
    return printed(PROGRAM.format(folder=str(folder / "programs"), before=before), XLA_FLAGS=flags)


def test_options_decide_the_program(tmp_path: Path) -> None:
    file = tmp_path / "options"
    late = "devices(); os.environ['XLA_FLAGS'] = '--xla_cpu_enable_fast_math=true'"
    file.write_text("--xla_cpu_enable_fast_math=true")
    assert hits_and_written(tmp_path, "", late) == "0 1\n"
    assert hits_and_written(tmp_path, str(file)) == "0 1\n"
    assert hits_and_written(tmp_path, "--xla_cpu_enable_fast_math=true") == "1 0\n"
    file.write_text("--xla_cpu_enable_fast_math=false")
    assert hits_and_written(tmp_path, str(file)) == "1 0\n"
    file.write_text(f"--xla_dump_to={tmp_path / 'dump'}")
    assert hits_and_written(tmp_path, str(file)) == "0 0\n"
