"""Starts the processes of a program on this machine: `python -m lowering.launch -n 2 program.py arguments`.

Each gets its number and where to meet in the environment, as `distributed.initialize()` reads them, and what it prints
has its number in front. When one fails the others are ended, and the exit status is its own, unless all are started
again: a program that loads its last checkpoint then goes on from there.

    -n, --processes     how many processes
    --restarts          how many times all are started again when one has failed (default 0)
    --devices           how many CPU devices each has (EFFAX_CPU_DEVICES)
    --grace             seconds that the others have to end by themselves when one has failed (default 5)
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import IO, Final

from lowering.distributed.monitoring import ENDED_BY_ANOTHER

_POLL_INTERVAL: Final = 0.05
"""Seconds between two checks for processes that ended."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the processes; the exit status is 0 if all succeed, else that of the first that fails.

    They end with this process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m lowering.launch", description="Run a program in several processes."
    )
    parser.add_argument("-n", "--processes", type=_positive, required=True, help="how many processes")
    parser.add_argument("--restarts", type=_natural, default=0, help="how often all start again when one has failed")
    parser.add_argument("--devices", type=_positive, help="how many CPU devices each process has")
    parser.add_argument("--grace", type=_seconds, default=5.0, help="seconds to end in when another process has failed")
    parser.add_argument("program", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program is given")
    options = parser.parse_args(arguments)
    if not os.path.isfile(options.program):
        parser.error(f"there is no file {options.program}")
    restarts = options.restarts
    while True:
        with socket.socket() as server:
            status, failed = _run(options, f"127.0.0.1:{_free_port(server)}")
        if not failed or not restarts:
            return status
        restarts -= 1
        message = f"all {options.processes} processes start again; {restarts} restarts are left"
        print(message, file=sys.stderr, flush=True)


def _run(options: argparse.Namespace, address: str) -> tuple[int, bool]:
    """Start the processes and wait for them: the exit status, and True if one failed by itself."""
    failed = False
    children: list[subprocess.Popen[str]] = []
    echoes: list[threading.Thread] = []
    try:  # a signal may come while they are started
        for index in range(options.processes):
            children.append(_start(options, index, address))
            for pipe, to in ((children[-1].stdout, sys.stdout), (children[-1].stderr, sys.stderr)):
                echoes.append(threading.Thread(target=_echo, args=(index, pipe, to), daemon=True))
                echoes[-1].start()
        status = _wait(children, options.grace)
        failed = status != 0
    except KeyboardInterrupt:  # the terminal interrupts the children, too
        status = 128 + signal.SIGINT
        _wait_for(children, options.grace)
    except _Interrupted as interrupt:
        status = 128 + interrupt.number
        for child in children:
            child.send_signal(interrupt.number)
        _wait_for(children, options.grace)
    finally:
        for child in children:
            child.kill()
    for child in children:
        child.wait()
    for echo in echoes:
        if echo.ident is not None:
            echo.join(1.0)
    return status, failed


class _Interrupted(BaseException):
    """Raised by a signal to this process, which its children did not get."""

    def __init__(self, number: int) -> None:
        self.number: Final = number


def _raise_interrupted(number: int, _: object) -> None:
    raise _Interrupted(number)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a positive whole number, got {text!r}")
    return int(text)


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"must be a number of seconds, got {text!r}")
    return seconds


def _free_port(server: socket.socket) -> int:
    """A free port, given to no other process while the socket is open; process 0 can listen at it by number."""
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", 0))
    port: int = server.getsockname()[1]
    return port


def _start(options: argparse.Namespace, index: int, address: str) -> subprocess.Popen[str]:
    variables = {"EFFAX_COORDINATOR": address, "EFFAX_PROCESSES": str(options.processes), "EFFAX_PROCESS": str(index)}
    if options.devices is not None:
        variables["EFFAX_CPU_DEVICES"] = str(options.devices)
    return subprocess.Popen(
        [sys.executable, "-u", options.program, *options.arguments],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )


def _echo(index: int, pipe: IO[str], stream: IO[str]) -> None:
    for line in pipe:
        stream.write(f"[{index}] {line.removesuffix('\n')}\n")
        stream.flush()


def _wait(children: Sequence[subprocess.Popen[str]], grace: float) -> int:
    """Wait until all have ended, or one has failed and the grace period of the others is over."""
    while True:
        ended = [child.poll() for child in children]
        if any(ended):
            _wait_for(children, grace)
            return _failure(ended, [child.poll() for child in children])
        if None not in ended:
            return 0
        time.sleep(_POLL_INTERVAL)


def _failure(first: Sequence[int | None], later: Sequence[int | None]) -> int:
    """Print which process failed first by itself, and return its exit status, as a shell has it.

    Among those that ended first it is one that a signal ended: others may have failed because of it.
    """
    first_failures = sorted(_failures(first), key=lambda failure: failure[1] > 0)
    index, code = next(
        (failure for failure in (*first_failures, *_failures(later)) if failure[1] != ENDED_BY_ANOTHER),
        first_failures[0],
    )
    ending = f"was ended by signal {-code}" if code < 0 else f"ended with the exit status {code}"
    print(f"process {index} of {len(later)} {ending}", file=sys.stderr, flush=True)
    return 128 - code if code < 0 else code


def _failures(codes: Sequence[int | None]) -> list[tuple[int, int]]:
    return [(index, code) for index, code in enumerate(codes) if code]


def _wait_for(children: Sequence[subprocess.Popen[str]], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(child.poll() is None for child in children):
        time.sleep(_POLL_INTERVAL)


if __name__ == "__main__":
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, _raise_interrupted)
    sys.exit(main())
