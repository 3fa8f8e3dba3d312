"""Identity of this process, by arguments or the environment: its number, how many there are, where they meet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from effects.arguments import natural, shown
from effects.errors import ArgumentError

_MOST: Final = 2**20
"""Largest number of processes: process 0 has a connection to each."""
_FIRST_PORT: Final = 61440
_PORTS: Final = 4096
"""Ports at which SLURM's jobs meet, by the number of the job."""


class EnvironmentValue(NamedTuple):
    """Value of an environment variable, None where it is not set."""

    variable: str
    value: str | None


type LauncherValues = Mapping[str, EnvironmentValue]
"""A launcher's values of `address`, `processes` and `process`."""


class Membership(NamedTuple):
    """Process `process` of `processes`, which meet at `host:port`, where process 0 is."""

    host: str
    port: int
    processes: int
    process: int


def membership(
    address: str | None, processes: int | None, process: int | None, environment: Mapping[str, str]
) -> Membership | None:
    """The given values, completed by those of the environment: effax's own names, SLURM, Open MPI, torchrun; None where
    neither says anything, for a process alone.

    Raises ArgumentError naming what is wrong, or is said only in part.
    """
    launcher_values = _from_launcher(environment)
    if address is None and processes is None and process is None and not launcher_values:
        return None
    count = _number("processes", processes, launcher_values)
    index = _number("process", process, launcher_values)
    if not 1 <= count <= _MOST:
        raise ArgumentError(f"initialize: processes must be from 1 to {_MOST}, got {count}")
    if index >= count:
        raise ArgumentError(f"initialize: process must be one of 0 to {count - 1}, of {count} processes, got {index}")
    return Membership(*_place(address, launcher_values), count, index)


def _from_launcher(environment: Mapping[str, str]) -> LauncherValues:
    """Values of the first launcher found in the environment, overridden by effax's own variables."""
    launchers = (_by_slurm, _by_open_mpi, _by_torchrun)
    values: LauncherValues = next(
        (from_launcher for launcher in launchers if (from_launcher := launcher(environment))), {}
    )
    own = {"address": "EFFAX_COORDINATOR", "processes": "EFFAX_PROCESSES", "process": "EFFAX_PROCESS"}
    return {
        **values,
        **{name: EnvironmentValue(by, environment[by]) for name, by in own.items() if environment.get(by)},
    }


def _by_slurm(environment: Mapping[str, str]) -> LauncherValues:
    if environment.get("SLURM_NTASKS", "1") == "1":
        return {}
    job = int(re.sub(r"\D", "", environment.get("SLURM_JOB_ID", "")) or "0")
    nodes = environment.get("SLURM_STEP_NODELIST", environment.get("SLURM_NODELIST", "localhost"))
    return {
        "address": EnvironmentValue("SLURM_STEP_NODELIST", f"{_first_node(nodes)}:{_FIRST_PORT + job % _PORTS}"),
        "processes": EnvironmentValue("SLURM_NTASKS", environment["SLURM_NTASKS"]),
        "process": EnvironmentValue("SLURM_PROCID", environment.get("SLURM_PROCID")),
    }


def _first_node(nodes: str) -> str:
    """The first node of a list as SLURM writes it.

    >>> _first_node("gpu[07-09,12],cpu3"), _first_node("login1,login2")
    ('gpu07', 'login1')
    """
    match = re.match(r"([^,\[]+)(?:\[(\w+))?", nodes)
    return "localhost" if match is None else match[1] + (match[2] or "")


def _by_open_mpi(environment: Mapping[str, str]) -> LauncherValues:
    count, index = "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"
    if not environment.get(count):
        return {}
    return {
        "processes": EnvironmentValue(count, environment[count]),
        "process": EnvironmentValue(index, environment.get(index)),
    }


def _by_torchrun(environment: Mapping[str, str]) -> LauncherValues:
    if "WORLD_SIZE" not in environment or "RANK" not in environment:
        return {}
    host, port = environment.get("MASTER_ADDR"), environment.get("MASTER_PORT", "29500")
    address = f"{host}:{port}" if host else None
    return {
        "address": EnvironmentValue("MASTER_ADDR:MASTER_PORT", address),
        "processes": EnvironmentValue("WORLD_SIZE", environment["WORLD_SIZE"]),
        "process": EnvironmentValue("RANK", environment["RANK"]),
    }


def _number(name: str, argument: object, launcher_values: LauncherValues) -> int:
    if argument is not None:
        return natural("initialize", name, argument)
    variable, value = launcher_values.get(name, EnvironmentValue("", None))
    if not value:
        raise ArgumentError(
            f"initialize: {name} is missing, and no launcher sets it; pass it, set EFFAX_{name.upper()}, or start by "
            "python -m lowering.launch, srun, mpirun or torchrun"
        )
    if not value.strip().isdecimal():
        raise ArgumentError(f"initialize: {name} must be a whole number, and {variable} says {shown(value)}")
    return int(value)


def _place(value: object, launcher_values: LauncherValues) -> tuple[str, int]:
    variable, declared = launcher_values.get("address", EnvironmentValue("", None))
    address = declared if value is None else value
    if address is None:
        raise ArgumentError(
            "initialize: address is missing, and no launcher says where process 0 is; pass 'host:port', or set "
            "EFFAX_COORDINATOR"
        )
    host, _, port = address.rpartition(":") if isinstance(address, str) else ("", "", "")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        got = f"got {shown(address)}" if value is not None else f"and {variable} says {shown(address)}"
        raise ArgumentError(f"initialize: address must be 'host:port', where process 0 is, {got}")
    return host.strip("[]"), int(port)
