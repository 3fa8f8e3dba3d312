"""Where processes meet: what is given, what launchers say, and what is wrong or missing."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any, Final

import pytest

from effects.errors import ArgumentError, DeviceError
from lowering import devices, distributed
from lowering.distributed.membership import Membership, membership
from lowering.launch import _free_port

SLURM: Final = {
    "SLURM_NTASKS": "4",
    "SLURM_PROCID": "2",
    "SLURM_JOB_ID": "4099",
    "SLURM_STEP_NODELIST": "gpu[07-09],cpu1",
}
OPEN_MPI: Final = {"OMPI_COMM_WORLD_SIZE": "3", "OMPI_COMM_WORLD_RANK": "1"}
TORCHRUN: Final = {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "node0", "MASTER_PORT": "1234"}
OWN: Final = {"EFFAX_COORDINATOR": "here:99", "EFFAX_PROCESSES": "8", "EFFAX_PROCESS": "7"}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (SLURM, Membership("gpu07", 61443, 4, 2)),
        ({**SLURM, "SLURM_STEP_NODELIST": "login"}, Membership("login", 61443, 4, 2)),
        (TORCHRUN, Membership("node0", 1234, 2, 1)),
        ({**OPEN_MPI, "EFFAX_COORDINATOR": "[::1]:5"}, Membership("::1", 5, 3, 1)),
        (OWN, Membership("here", 99, 8, 7)),
        ({**SLURM, **TORCHRUN, **OWN}, Membership("here", 99, 8, 7)),
        ({**OWN, "SLURM_NTASKS": "1"}, Membership("here", 99, 8, 7)),
    ],
)
def test_launchers(environment: Mapping[str, str], expected: Membership) -> None:
    assert membership(None, None, None, environment) == expected


@pytest.mark.parametrize("environment", [{}, {"SLURM_NTASKS": "1", "SLURM_PROCID": "0"}, {"EFFAX_PROCESSES": ""}])
def test_who_is_told_nothing_is_alone(environment: Mapping[str, str]) -> None:
    assert membership(None, None, None, environment) is None


def test_arguments_come_first() -> None:
    assert membership("there:1", 3, 0, OWN) == Membership("there", 1, 3, 0)
    assert membership(None, None, 0, SLURM) == Membership("gpu07", 61443, 4, 0)


@pytest.mark.parametrize(
    ("given", "environment", "message"),
    [
        (("a:1", None, None), {}, "processes is missing, and no launcher sets it; .*EFFAX_PROCESSES"),
        ((None, None, None), {"EFFAX_PROCESS": "1"}, "processes is missing"),
        (("a:1", 2, None), {}, "process is missing"),
        ((None, 2, 0), {}, "address is missing"),
        ((None, None, None), OPEN_MPI, "address is missing"),
        (("a", 2, 0), {}, "address must be 'host:port'"),
        (("a:b", 2, 0), {}, "address must be 'host:port'"),
        (("a:70000", 2, 0), {}, "address must be 'host:port'"),
        ((7, 2, 0), {}, "address must be 'host:port'"),
        (("a:1", 0, 0), {}, "processes must be from 1 to 1048576, got 0"),
        (("a:1", 2, 2), {}, "process must be one of 0 to 1, of 2 processes, got 2"),
        (("a:1", 2, -1), {}, "process must not be negative"),
        (("a:1", 2.5, 0), {}, "processes must be"),
        (("a:1", "2", 0), {}, "processes must be an int, got '2' of type str"),
        (("a:1", None, 0), {"EFFAX_PROCESSES": "two"}, "processes must be a whole number, and EFFAX_PROCESSES says"),
        (("a:1", 2, None), {**OPEN_MPI, "OMPI_COMM_WORLD_RANK": "x"}, "process must .* OMPI_COMM_WORLD_RANK says 'x'"),
        ((None, 2, 0), {"EFFAX_COORDINATOR": "a"}, "address must be 'host:port', .* and EFFAX_COORDINATOR says 'a'"),
        ((None, 2, 0), {**TORCHRUN, "MASTER_PORT": "p"}, "address must be .* MASTER_ADDR:MASTER_PORT says '.*:p'"),
        (("a:1", None, None), {**SLURM, "SLURM_PROCID": ""}, "process is missing"),
    ],
)
def test_what_is_wrong_is_named(given: tuple[Any, Any, Any], environment: Mapping[str, str], message: str) -> None:
    with pytest.raises(ArgumentError, match=f"initialize: {message}"):
        membership(*given, environment)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_times_are_positive(seconds: float) -> None:
    with pytest.raises(ArgumentError, match="initialize: meet_within must be a positive number of seconds"):
        distributed.initialize("localhost:1", 2, 0, meet_within=seconds)
    with pytest.raises(ArgumentError, match="barrier: within must be a positive number of seconds"):
        distributed.barrier("x", seconds)


def test_a_process_alone() -> None:
    distributed.initialize()
    assert (distributed.process_index(), distributed.process_count()) == (0, 1)
    distributed.barrier("alone")
    distributed.shutdown()
    assert devices()
    with pytest.raises(DeviceError, match="initialize: devices are in use already"):
        distributed.initialize("localhost:1", 2, 0)


def test_the_launcher_keeps_its_port() -> None:
    """Nobody who asks for a free port gets it, and process 0 listens there all the same."""
    with socket.socket() as held, socket.socket() as other:
        port = _free_port(held)
        with pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))
        with socket.create_server(("", port)) as server, socket.create_connection(("127.0.0.1", port)) as knocking:
            there, _ = server.accept()
            with there:
                assert there.getpeername() == knocking.getsockname()
