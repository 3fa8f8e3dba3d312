"""The checker within other tools: as tests of pytest, again when files change, and as a hook of pre-commit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer

from tests.checking.test_command import DTYPE, MODULE, ROOT, SHAPE, folder

__all__ = ["folder"]


def pytest_in(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code and the output of pytest in a folder."""
    plugins = ["-p", "effects.check.pytest_plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugins, *arguments]
    environment = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_functions_are_tests_of_pytest(folder: Path) -> None:
    (folder / "broken.py").write_text("import nowhere")
    (folder / "values.py").write_text(
        "from effects import F32\n\ndef f(x: F32[()]) -> F32[()]:\n    return x * float(x)\n"
    )
    (folder / "test_own.py").write_text("def test_nothing():\n    pass\n")
    code, out = pytest_in(folder, "-rs", "-m", "shapes", "--shapes=module.py", "--shapes", ".")
    assert code == 1 and "3 failed, 1 passed, 1 skipped, 1 deselected" in out
    assert SHAPE in out and DTYPE in out and "Traceback" not in out
    assert "broken.py:1: error: importing raises ModuleNotFoundError: No module named 'nowhere'" in out
    assert "line 4 is as far as it is checked: needs values" in out
    code, out = pytest_in(folder, "-k", "right", "--shapes=module.py")
    assert code == 0 and "1 passed" in out
    code, out = pytest_in(folder, "--shapes=gone.py")
    assert code == 4 and "--shapes: there is no gone.py" in out


def test_files_are_checked_again_when_they_change(folder: Path) -> None:
    command = [sys.executable, "-m", "effects.check", "--watch", "--ignore", "dtype", "module.py"]
    environment = {"PYTHONPATH": str(ROOT)}
    watching = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert watching.stdout is not None and watching.stderr is not None
    limit = Timer(120.0, watching.kill)
    limit.start()  # where it says less than is read here
    said = [watching.stdout.readline().strip() for _ in range(3)]
    text = MODULE.format(ignored="").replace("w @ x", "x @ w")
    (folder / "being-written").write_text(text)
    os.replace(folder / "being-written", folder / "module.py")
    said += [watching.stdout.readline().strip() for _ in range(2)]
    watching.send_signal(signal.SIGINT)
    assert watching.wait() == 0 and watching.stderr.read() == ""
    limit.cancel()
    waiting = "-- waiting for changes, Ctrl-C ends --"
    assert said == [SHAPE, "1 error in 3 functions of 1 file", waiting, "0 errors in 3 functions of 1 file", waiting]


def test_the_hook_of_pre_commit_is_the_command() -> None:
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "- id: effax-shapes\n" in hook and "entry: python -m effects.check\n" in hook
    assert "{id: effax-shapes" in (ROOT / "docs" / "checking-shapes.md").read_text()
