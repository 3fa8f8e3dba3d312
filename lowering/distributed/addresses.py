"""Which process this is, of how many, and where they meet: as given, or as launchers say in the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from effects.arguments import natural, shown
from effects.errors import ArgumentError

_MOST: Final = 2**20
"""Processes that can meet: no more connections are open at once."""
_FIRST_PORT: Final = 61440
_PORTS: Final = 4096
"""SLURM's jobs meet at the port of their number, among these."""


class Said(NamedTuple):
    """What a variable of the environment says, if it does."""

    variable: str
    value: str | None


type Told = Mapping[str, Said]
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
    count = _number("processes", processes, told)
    index = _number("process", process, told)
    if not 1 <= count <= _MOST:
        raise ArgumentError(f"initialize: processes must be from 1 to {_MOST}, got {count}")
    if index >= count:
        raise ArgumentError(f"initialize: process must be one of 0 to {count - 1}, of {count} processes, got {index}")
    return Membership(*_place(address, told), count, index)


def _told(environment: Mapping[str, str]) -> Told:
    """What the first launcher that is there says, with effax's own names laid over it."""
    launchers = (_by_slurm, _by_open_mpi, _by_torchrun)
    found: Told = next((told for launcher in launchers if (told := launcher(environment))), {})
    own = {"address": "EFFAX_COORDINATOR", "processes": "EFFAX_PROCESSES", "process": "EFFAX_PROCESS"}
    return {**found, **{name: Said(by, environment[by]) for name, by in own.items() if environment.get(by)}}


def _by_slurm(environment: Mapping[str, str]) -> Told:
    if environment.get("SLURM_NTASKS", "1") == "1":
        return {}
    job = int(re.sub(r"\D", "", environment.get("SLURM_JOB_ID", "")) or "0")
    nodes = environment.get("SLURM_STEP_NODELIST", environment.get("SLURM_NODELIST", "localhost"))
    return {
        "address": Said("SLURM_STEP_NODELIST", f"{_first_node(nodes)}:{_FIRST_PORT + job % _PORTS}"),
        "processes": Said("SLURM_NTASKS", environment["SLURM_NTASKS"]),
        "process": Said("SLURM_PROCID", environment.get("SLURM_PROCID")),
    }


def _first_node(nodes: str) -> str:
    """The first node of a list as SLURM writes it.

    >>> _first_node("gpu[07-09,12],cpu3"), _first_node("login1,login2")
    ('gpu07', 'login1')
    """
    found = re.match(r"([^,\[]+)(?:\[(\w+))?", nodes)
    return "localhost" if found is None else found[1] + (found[2] or "")


def _by_open_mpi(environment: Mapping[str, str]) -> Told:
    count, index = "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"
    if not environment.get(count):
        return {}
    return {"processes": Said(count, environment[count]), "process": Said(index, environment.get(index))}


def _by_torchrun(environment: Mapping[str, str]) -> Told:
    if "WORLD_SIZE" not in environment or "RANK" not in environment:
        return {}
    host, port = environment.get("MASTER_ADDR"), environment.get("MASTER_PORT", "29500")
    address = f"{host}:{port}" if host else None
    return {
        "address": Said("MASTER_ADDR:MASTER_PORT", address),
        "processes": Said("WORLD_SIZE", environment["WORLD_SIZE"]),
        "process": Said("RANK", environment["RANK"]),
    }


def _number(name: str, given: object, told: Told) -> int:
    if given is not None:
        return natural("initialize", name, given)
    variable, value = told.get(name, Said("", None))
    if not value:
        raise ArgumentError(
            f"initialize: {name} is not given, and no launcher says it; give it, set EFFAX_{name.upper()}, or start by "
            "python -m lowering.launch, srun, mpirun or torchrun"
        )
    if not value.strip().isdecimal():
        raise ArgumentError(f"initialize: {name} must be a whole number, and {variable} says {shown(value)}")
    return int(value)


def _place(given: object, told: Told) -> tuple[str, int]:
    variable, said = told.get("address", Said("", None))
    address = said if given is None else given
    if address is None:
        raise ArgumentError(
            "initialize: address is not given, and no launcher says where process 0 is; give 'host:port', or set "
            "EFFAX_COORDINATOR"
        )
    host, _, port = address.rpartition(":") if isinstance(address, str) else ("", "", "")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        what = f"got {shown(address)}" if given is not None else f"and {variable} says {shown(address)}"
        raise ArgumentError(f"initialize: address must be 'host:port', where process 0 is, {what}")
    return host.strip("[]"), int(port)
