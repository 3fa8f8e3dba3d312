"""Which process this is, of how many, and where they meet: as given, or as launchers say in the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from effects.arguments import natural, refusal, shown
from effects.errors import ArgumentError

_FIRST_PORT: Final = 61440
_PORTS: Final = 4096
"""SLURM's jobs meet at the port of their number, among these."""

type Told = Mapping[str, str | None]
"""What a launcher says of `address`, `processes` and `process`."""


class Membership(NamedTuple):
    """Process `process` of `processes`, which meet at `host:port`, where process 0 is."""

    host: str
    port: int
    processes: int
    process: int


def membership(
    address: str | None, processes: int | None, process: int | None, environment: Mapping[str, str]
) -> Membership:
    """What is given, and of what is not what the environment says: effax's own names, SLURM, Open MPI, torchrun.

    Raises ArgumentError naming what is wrong, or is said nowhere.
    """
    told = _told(environment)
    count = _number("processes", told.get("processes") if processes is None else processes)
    index = _number("process", told.get("process") if process is None else process)
    if count < 1:
        raise ArgumentError(f"initialize: processes must be at least 1, got {count}")
    if index >= count:
        raise ArgumentError(f"initialize: process must be one of 0 to {count - 1}, of {count} processes, got {index}")
    return Membership(*_place(told.get("address") if address is None else address), count, index)


def _told(environment: Mapping[str, str]) -> Told:
    """What the first launcher that is there says, with effax's own names laid over it."""
    launchers = (_by_slurm, _by_open_mpi, _by_torchrun)
    found: Told = next((told for launcher in launchers if (told := launcher(environment))), {})
    own = {
        "address": environment.get("EFFAX_COORDINATOR"),
        "processes": environment.get("EFFAX_PROCESSES"),
        "process": environment.get("EFFAX_PROCESS"),
    }
    return {**found, **{name: value for name, value in own.items() if value}}


def _by_slurm(environment: Mapping[str, str]) -> Told:
    if environment.get("SLURM_NTASKS", "1") == "1":
        return {}
    job = int(re.sub(r"\D", "", environment.get("SLURM_JOB_ID", "")) or "0")
    nodes = environment.get("SLURM_STEP_NODELIST", environment.get("SLURM_NODELIST", "localhost"))
    return {
        "address": f"{_first_node(nodes)}:{_FIRST_PORT + job % _PORTS}",
        "processes": environment["SLURM_NTASKS"],
        "process": environment.get("SLURM_PROCID"),
    }


def _first_node(nodes: str) -> str:
    """The first node of a list as SLURM writes it.

    >>> _first_node("gpu[07-09,12],cpu3"), _first_node("login1,login2")
    ('gpu07', 'login1')
    """
    found = re.match(r"([^,\[]+)(?:\[(\w+))?", nodes)
    return "localhost" if found is None else found[1] + (found[2] or "")


def _by_open_mpi(environment: Mapping[str, str]) -> Told:
    size = environment.get("OMPI_COMM_WORLD_SIZE")
    return {"processes": size, "process": environment.get("OMPI_COMM_WORLD_RANK")} if size else {}


def _by_torchrun(environment: Mapping[str, str]) -> Told:
    if "WORLD_SIZE" not in environment or "RANK" not in environment:
        return {}
    host, port = environment.get("MASTER_ADDR"), environment.get("MASTER_PORT", "29500")
    address = f"{host}:{port}" if host else None
    return {"address": address, "processes": environment["WORLD_SIZE"], "process": environment["RANK"]}


def _number(name: str, value: object) -> int:
    if value is None or (isinstance(value, str) and not value):
        raise ArgumentError(
            f"initialize: {name} is not given, and no launcher says it; give it, set EFFAX_{name.upper()}, or start by "
            "python -m lowering.launch, srun, mpirun or torchrun"
        )
    if isinstance(value, str):
        if not value.strip().isdecimal():
            raise refusal("initialize", name, "a whole number", value)
        return int(value)
    return natural("initialize", name, value)


def _place(address: object) -> tuple[str, int]:
    if address is None:
        raise ArgumentError(
            "initialize: address is not given, and no launcher says where process 0 is; give 'host:port', or set "
            "EFFAX_COORDINATOR"
        )
    host, _, port = address.rpartition(":") if isinstance(address, str) else ("", "", "")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ArgumentError(f"initialize: address must be 'host:port', where process 0 is, got {shown(address)}")
    return host.strip("[]"), int(port)
