"""Options of XLA's compilations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np
from jaxlib import xla_client

from lowering.pjrt.devices import Device
from lowering.pjrt.mesh import Placement

type Options = tuple[tuple[str, str | bool | float], ...]
"""Options of XLA by their names."""

_LLVM_OPTIONS: Final = {
    "-unroll-full-max-count": "8",
    "-disable-lsr": "true",
    "-disable-post-ra": "true",
    "-enable-gvn-memdep": "false",
}
"""Options of LLVM for the CPU. Its own passes for the first three take time and gain no speed in XLA's kernels:

- it unrolls constant loops of dozens of steps completely, up to a third of the time to compile, after which gathers and
  transpositions run half as fast (small products want it: 3 × 3 matrices);
- it rewrites addresses in loops (loop strength reduction), which have addressing modes of their own, 4 %;
- it orders instructions a second time, after registers are given out, 2 %.

Where it forwards stores to loads across blocks (value numbering by memory dependence), it gives a load of a small array
in unrolled loops the wrong value: derivatives of `eigvalsh` in three lanes were wrong. Without, times are the same.
"""

_ROUNDING: Final[Mapping[str, str | bool | float]] = {"xla_allow_excess_precision": False}
"""XLA would leave out the rounding between operations on narrow floats that it fuses, here and there, so that compiled
code gave other values than operations one by one, up to many units in the last place. It costs no time on a CPU.
"""

_VECTORS: Final = {"xla_cpu_prefer_vector_width": 512}
"""Bits, where the processor has vectors so long: XLA would use half of them. Kernels that compute more than they read
(`exp`, softmax, random bits) take half to five sixths of the time.
"""

_FOR_THE_LIBRARY: Final = ("LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT", "LIBRARY_FUSION_TYPE_INDIVIDUAL_CONVOLUTION")
_YNN_FUSION: Final = "xla_cpu_experimental_ynn_fusion_type"
_LIBRARY: Final = {_YNN_FUSION: ",".join(_FOR_THE_LIBRARY)}
"""XLA would give reductions of some thousand elements, and what is computed for them, to a library that drops NaN from
`max` and `min` (so the mean of max(x, 0) is a number where x has NaN), rounds nothing to bfloat16 on the way, overflows
early in `exp`, and takes subnormal numbers for zero. Products and convolutions it may have, and sums of some programs.
"""

BY_LIBRARY: Final[Options] = ((_YNN_FUSION, ",".join([*_FOR_THE_LIBRARY, "LIBRARY_FUSION_TYPE_REDUCE"])),)
"""For programs whose sums, with what is computed for them and from them, the library may compute."""

HALF_VECTORS: Final[Options] = (("xla_cpu_prefer_vector_width", 256),)
"""For programs that read and write more than they compute: beyond the size of caches they take a tenth less time."""

IN_STEPS: Final[Options] = (("xla_disable_hlo_passes", "tree_reduction_rewriter"),)
"""For programs whose reductions are written in steps; XLA would fold more than 32 elements by windows."""

IN_ONE_KERNEL: Final[Options] = (("-unroll-threshold", "60"),)
"""Option of LLVM for programs that are one kernel, of loops in loops: it would write out short ones around others."""

_FOR_CPUS: Final[Mapping[str, str | bool | float]] = {**_ROUNDING, **_VECTORS, **_LIBRARY}

_BUILD_OPTIONS: Final = 3
_DEBUG_OPTIONS: Final = 3
_EXTRA_OPTIONS: Final = 500
_KEY, _VALUE = 1, 2


@lru_cache(maxsize=64)
def compile_options(placement: Placement, overrides: Options = (), n_outputs: int = 0) -> object:
    """The options for a program on one device, or over a mesh, overridden by `overrides`."""
    options = _own_options(placement, n_outputs, {**_LLVM_OPTIONS, **_of_llvm(overrides)})
    options.env_option_overrides = _laid_over(placement, overrides)
    return options


def described_options(placement: Placement, overrides: Options, n_outputs: int) -> str:
    """Text of the options of `compile_options`, the same in every process."""
    ids = [placement.id] if isinstance(placement, Device) else [device.id for device in placement.devices]
    laid_over = sorted(_laid_over(placement, overrides))
    return f"{type(placement).__name__} {ids} {n_outputs} {laid_over} {_LLVM_OPTIONS} {_of_llvm(overrides)}"


def _laid_over(placement: Placement, overrides: Options) -> list[tuple[str, str | bool | float]]:
    """The options that differ from XLA's defaults. Those of the CPU are left out for plug-ins."""
    ours = _FOR_CPUS if placement.platform == "cpu" else _ROUNDING
    return list({**ours, **dict([option for option in overrides if option not in IN_ONE_KERNEL])}.items())


def _of_llvm(overrides: Options) -> dict[str, str]:
    return {name: str(value) for name, value in overrides if (name, value) in IN_ONE_KERNEL}


def _own_options(placement: Placement, n_outputs: int, llvm: Mapping[str, str]) -> Any:
    """Options for one partition of the program per device, in the order of the mesh."""
    devices = (placement,) if isinstance(placement, Device) else placement.devices
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = 1, len(devices)
    ids = np.array([[device.id for device in devices]], dtype=np.int32)
    options.device_assignment = xla_client.DeviceAssignment.create(ids)
    if not isinstance(placement, Device):
        build = options.executable_build_options
        build.num_replicas, build.num_partitions = 1, len(devices)
        build.device_assignment = options.device_assignment
        build.use_spmd_partitioning = build.use_shardy_partitioner = True
        build.allow_spmd_sharding_propagation_to_output = [True] * n_outputs
    if placement.platform != "cpu":
        return options
    # Options of LLVM have no attribute. They are a map in a protocol buffer, and appending to one is merging into it.
    extra = b"".join(
        _field(_EXTRA_OPTIONS, _field(_KEY, name.encode()) + _field(_VALUE, value.encode()))
        for name, value in llvm.items()
    )
    merged = options.SerializeAsString() + _field(_BUILD_OPTIONS, _field(_DEBUG_OPTIONS, extra))
    return xla_client.CompileOptions.ParseFromString(merged)


def _field(number: int, content: bytes) -> bytes:
    """A field of a protocol buffer that holds bytes, text or a message."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + _varint(value >> 7)
