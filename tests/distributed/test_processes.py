"""Several processes: they compute what one does, and when one fails the others end and say which it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from examples.restart import trained
from lowering import Mesh, load_checkpoint

ROOT: Final = Path(__file__).parents[2]
LIMIT: Final = 60.0
"""Seconds in which all is over; the programs would sleep for longer."""


def environment(**variables: str) -> dict[str, str]:
    """Environment of a process of the tests."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "EFFAX_PLATFORMS": "cpu", **variables}


def launched(mode: str, processes: int, devices: int, *options: str) -> subprocess.CompletedProcess[str]:
    """What the processes of the program print and end with."""
    grace = "2" if mode in ("stop", "never") else "15"  # where some do not end
    numbers = ["-n", str(processes), "--devices", str(devices), "--grace", grace, *options]
    command = [sys.executable, "-m", "lowering.launch", *numbers, "tests/distributed/program.py", mode]
    return subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=2 * LIMIT, check=False
    )


def told(done: subprocess.CompletedProcess[str], process: int, word: str) -> list[str]:
    """The lines of a process that begin with a word, without both."""
    start = f"[{process}] {word} "
    return [line.removeprefix(start) for line in done.stdout.splitlines() if line.startswith(start)]


def test_they_train_as_one_process_does() -> None:
    alone, together = launched("train", 1, 4), launched("train", 2, 2)
    assert (alone.returncode, together.returncode) == (0, 0), alone.stderr + together.stderr
    for word in ("weights", "loss"):
        (expected,) = told(alone, 0, word)
        numbers = [float(number) for number in expected.split()]
        for process in (0, 1):
            (actual,) = told(together, process, word)
            assert [float(number) for number in actual.split()] == pytest.approx(numbers, abs=1e-11)


def test_slurm_starts_them() -> None:
    """With the variables that it sets for the tasks of a step: they train as one that is told nothing does."""
    step = {"SLURM_NTASKS": "2", "SLURM_JOB_ID": str(os.getpid()), "SLURM_STEP_NODELIST": "localhost"}
    tasks = [environment(**step, SLURM_PROCID=str(i), EFFAX_CPU_DEVICES="2") for i in (0, 1)]
    command = [sys.executable, "tests/distributed/program.py", "train"]
    running = [
        subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True)
        for variables in (*tasks, environment(EFFAX_CPU_DEVICES="4"))
    ]
    printed = [process.communicate(timeout=LIMIT)[0].splitlines() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    weights = [line.split()[1:] for lines in printed for line in lines if line.startswith("weights ")]
    first, second, alone = [[float(word) for word in words] for words in weights]
    assert first == second == pytest.approx(alone, abs=1e-11)


def test_a_job_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    """It is started again when a process was killed, and ends as one that nobody disturbed."""
    options = ["-n", "2", "--grace", "1", "--restarts", "2"]
    command = [sys.executable, "-m", "lowering.launch", *options, "examples/restart.py", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "process 1 of 2 was ended by signal 9\nall 2 processes start again; 1 restarts are left" in done.stderr
    alone = trained(Mesh({"data": 1, "model": 1}), tmp_path / "undisturbed")
    weights = load_checkpoint(tmp_path, like=alone).weights
    np.testing.assert_allclose(np.asarray(weights), np.asarray(alone.weights), atol=1e-12)


def test_who_failed_first_is_named(tmp_path: Path) -> None:
    """The process that was killed, and not the one that failed since the other was gone, whose number is lower."""
    program = tmp_path / "program.py"
    program.write_text(
        "import os, pathlib, sys, time\n"
        "killed = pathlib.Path(__file__).with_name('killed')\n"
        "if os.environ['EFFAX_PROCESS'] == '1':\n"
        "    killed.touch()\n"
        "    os.kill(os.getpid(), 9)\n"
        "while not killed.exists():\n"
        "    time.sleep(0.01)\n"
        "time.sleep(0.5)\n"
        "sys.exit(1)\n"
    )
    command = [sys.executable, "-m", "lowering.launch", "-n", "2", str(program)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (137, "process 1 of 2 was ended by signal 9\n")


@pytest.mark.parametrize(("processes", "call", "alone"), [(2, "", 2), (2, "initialize", 0), (1, "", 0)])
def test_processes_that_do_not_join_say_so(tmp_path: Path, processes: int, call: str, alone: int) -> None:
    program = tmp_path / "apart.py"
    joins = f"distributed.{call}()\n" if call else ""
    program.write_text(
        f"import effects as fx\nfrom lowering import distributed, jit\n{joins}print(jit(fx.sin)(fx.zeros(2)))\n"
    )
    command = [sys.executable, "-m", "lowering.launch", "-n", str(processes), str(program)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    words = [f"process {i} of {processes} computes alone" for i in range(processes) if alone]
    assert [sum(each in line for line in done.stderr.splitlines()) for each in words] == [1] * alone, done.stderr
    assert done.stderr.count("computes alone") == alone, done.stderr


def test_a_job_that_always_fails_is_started_so_many_times() -> None:
    done = launched("exit", 2, 1, "--restarts", "2")
    assert done.returncode == 3
    assert done.stderr.count("start again") == 2


@pytest.mark.parametrize(("mode", "word"), [("look", "seen"), ("load", "loaded")])
def test_what_is_here_is_read(mode: str, word: str) -> None:
    done = launched(mode, 2, 2)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(word) == 2


def test_strangers_and_forks_are_not_among_them() -> None:
    """Who comes and says nothing, or something else, does not keep them; a fork that ends does not end them."""
    done = launched("strangers", 2, 1)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("done") == 2


@pytest.mark.parametrize(
    ("mode", "status", "messages"),
    [
        ("untellable", 1, ["[0] process 0: process 1 of 2 failed:", "[0] Untellable: <exception str() failed>"]),
        ("long", 1, ["[0] process 0: process 1 of 2 failed:", "[0] ValueError: bad bad bad"]),
        ("words", 1, ["[0] process 0: process 1 of 2 left with the exit status 1: no more data"]),
        ("raise", 1, ["[0] process 0: process 1 of 2 failed:", "[0] ValueError: a bad batch", "process 1 of 2 ended"]),
        ("exit", 3, ["[0] process 0: process 1 of 2 left with the exit status 3"]),
        ("kill", 137, ["[0] process 0: process 1 of 2 is gone", "process 1 of 2 was ended by signal 9"]),
        ("stop", 75, ["[0] process 0: process 1 of 2 has been silent for 2 s"]),
        ("never", 1, ["[0] effects.errors.DeviceError: initialize: 2 processes were to meet", "not come: 1"]),
        ("port", 1, ["[0] effects.errors.DeviceError: initialize: process 0 cannot listen at port"]),
        ("barrier", 1, ["barrier: 'that nobody else comes to': not all processes came in 1 s; these did not: 1"]),
        (
            "other",
            75,
            [
                "process 0: process 1 of 2 calls other programs than process 0",
                "is 'step' (all-reduce maximum s64[]) in process 1 and 'step' (all-reduce add f64[]) in process 0;",
            ],
        ),
        ("rate", 75, ["process 1 of 2 calls other programs than process 0", "these, or some before, differ"]),
        (
            "early",
            75,
            [
                "process 0: process 1 of 2 has come to its end after 2 programs in which all processes meet, and "
                "process 0 is in a further one, 'step' (all-reduce add f64[])"
            ],
        ),
        ("types", 1, ["process_allgather: x is float64[2] in process 0 and float64[3] in process 1"]),
    ],
)
def test_a_process_that_fails_ends_the_others(mode: str, status: int, messages: list[str]) -> None:
    start = time.monotonic()
    done = launched(mode, 2, 1)
    assert time.monotonic() - start < LIMIT
    assert done.returncode == status, done.stderr
    for message in messages:
        assert message in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("mode", "messages"),
    [
        (
            "other of some",
            [
                "process 0: process 2 of 3 calls other programs than process 1: of those in which processes 1, 2 meet",
                "process 1: process 2 of 3 calls",
            ],
        ),
        (
            "early of some",
            ["process 2 of 3 has come to its end after 2 programs in which processes 1, 2 meet, and process 1 is in a"],
        ),
    ],
)
def test_some_of_the_processes_meet(mode: str, messages: list[str]) -> None:
    done = launched(mode, 3, 1)
    assert done.returncode == 75, done.stderr
    for message in messages:
        assert message in done.stderr, done.stderr


def test_who_is_told_to_end_tells_the_others() -> None:
    program = ROOT / "tests/distributed/sleeping.py"
    command = [sys.executable, "-m", "lowering.launch", "-n", "2", str(program)]
    launcher = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert launcher.stdout is not None
    children = [int(launcher.stdout.readline().split()[1]) for _ in range(2)]
    launcher.terminate()
    assert launcher.wait(LIMIT) == 128 + signal.SIGTERM
    launcher.stdout.close()
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-n", "0", "x.py"], "must be a positive whole number, got '0'"),
        (["-n", "2", "--grace", "-1", "x.py"], "--grace: must be a number of seconds, got '-1'"),
        (["-n", "2", "--grace", "soon", "x.py"], "--grace: must be a number of seconds, got 'soon'"),
        (["-n", "2", "--restarts", "-1", "x.py"], "--restarts: must be a whole number, got '-1'"),
        (["x.py"], "required: -n/--processes"),
        (["-n", "2", "no/such/file.py"], "there is no file no/such/file.py"),
    ],
)
def test_wrong_arguments_of_the_launcher(arguments: list[str], message: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lowering.launch", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert message in done.stderr
