"""The way from a program to a module of StableHLO and back, whose writers and readers are found by name.

So MLIR is loaded with the first program that is compiled, and only who writes operations for the compiler reads its
types: they are larger than effax, and a type checker that follows `from lowering import jit` would read them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol

from effects.arrays.mesh import Mesh, Sharding

if TYPE_CHECKING:
    from effects.arrays.concrete import Device
    from effects.operations.callbacks import HostFunction
    from effects.program.jaxpr import Jaxpr
    from effects.types.avals import ShapedArray
    from lowering.pjrt import Options, compiling


class Layout(NamedTuple):
    """The mesh that a program runs over, and how its inputs and outputs are cut; None where the partitioner decides."""

    mesh: Mesh
    inputs: tuple[Sharding | None, ...]
    outputs: tuple[Sharding | None, ...]


class Module(Protocol):
    """An emitted program: `lowering.stablehlo.Module`."""

    @property
    def ir(self) -> compiling.Module: ...
    @property
    def callbacks(self) -> Sequence[HostFunction]: ...
    @property
    def donations(self) -> Mapping[int, int | None]: ...
    @property
    def devices(self) -> frozenset[str]: ...
    @property
    def on_cpu(self) -> frozenset[str]: ...
    @property
    def depth(self) -> int: ...
    def text(self, *, locations: bool = False) -> str: ...
    def bytecode(self) -> bytes: ...
    def verify(self) -> str | None: ...


def emit(
    jaxpr: Jaxpr,
    name: str,
    donated: Sequence[bool] = (),
    where: Device | Layout | None = None,
    platform: str | None = None,
    *,
    open_sizes: bool = False,
) -> Module:
    """The module whose `main` takes the inputs of `jaxpr`: `lowering.stablehlo.emit`."""
    written = import_module("lowering.stablehlo")
    module: Module = written.emit(jaxpr, name, donated, where, platform, open_sizes=open_sizes)
    return module


def for_one_cpu(module: compiling.Module) -> tuple[compiling.Module, Options]:
    """A module as XLA is to compile it for one CPU, and the options for it: `lowering.stablehlo.cpu.reductions`."""
    written: tuple[compiling.Module, Options] = import_module("lowering.stablehlo.cpu.reductions").for_one_cpu(module)
    return written


def read_module(bytecode: bytes) -> compiling.Module:
    """The MLIR module that was written as these bytes, in a context of its own: `lowering.stablehlo.dialects`."""
    module: compiling.Module = import_module("lowering.stablehlo.dialects").read_module(bytecode)
    return module


def portable(module: Module, *, lines: bool = False) -> bytes:
    """The portable artifact of a module, with the user's lines if asked for: `lowering.stablehlo.portable`."""
    artifact: bytes = import_module("lowering.stablehlo.portable").portable(module, lines=lines)
    return artifact


def unportable(artifact: bytes, signature: tuple[Sequence[ShapedArray], Sequence[ShapedArray]]) -> str | None:
    """None for an artifact of a program that takes and gives such types, otherwise what is wrong with it."""
    fault: str | None = import_module("lowering.stablehlo.portable").refused(artifact, *signature)
    return fault


def generalised(
    artifacts: Sequence[bytes], points: Sequence[str], sizes: Mapping[str, tuple[int, int]], fit: Callable[..., object]
) -> bytes:
    """The artifact of artifacts that differ by sizes only: `lowering.stablehlo.sizes`; ValueError if there is none."""
    artifact: bytes = import_module("lowering.stablehlo.sizes").generalised(artifacts, points, sizes, fit)
    return artifact


def refined(artifact: bytes, inputs: Sequence[ShapedArray]) -> bytes:
    """The artifact of a general one for inputs of these types: `lowering.stablehlo.refining`."""
    known: bytes = import_module("lowering.stablehlo.refining").refined(artifact, inputs)
    return known
