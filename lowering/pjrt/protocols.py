"""Protocols of jaxlib's private classes: the parts that the adapter uses.

jaxlib ships no types for these classes. They name exactly the methods in use, which a new version of jaxlib must keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from jaxlib import (  # type: ignore[attr-defined]  # compiled modules without stubs
    _hlo as hlo,
    _jax as native,
    _profile_data as profile_data,
    _profiler as profiler,
)
from numpy.typing import NDArray

__all__ = [
    "RawBuffer",
    "RawClient",
    "RawComputation",
    "RawDevice",
    "RawExecutable",
    "RawHandler",
    "RawMemoryStats",
    "RawProfile",
    "RawResults",
    "RawSharding",
    "RawToken",
    "hlo",
    "native",
    "profile_data",
    "profiler",
]


class RawDevice(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def platform(self) -> str: ...
    @property
    def device_kind(self) -> str: ...
    @property
    def process_index(self) -> int: ...


class RawSharding(Protocol):
    @property
    def _device(self) -> RawDevice: ...


class RawBuffer(Protocol):
    @property
    def aval(self) -> object: ...
    @property
    def _sharding(self) -> RawSharding: ...
    def _to_np_array_did_copy(self) -> tuple[NDArray[np.generic], bool]: ...
    def block_until_ready(self) -> object: ...
    def is_ready(self) -> bool: ...
    def is_deleted(self) -> bool: ...
    def delete(self) -> None: ...


class RawHandler[T](Protocol):
    def wrap[S](self, then: Callable[[T], S], /) -> RawHandler[S]: ...


class RawComputation(Protocol):
    def as_hlo_text(self) -> str: ...
    def get_hlo_module(self) -> object: ...


class RawMemoryStats(Protocol):
    argument_size_in_bytes: int
    output_size_in_bytes: int
    alias_size_in_bytes: int
    temp_size_in_bytes: int
    generated_code_size_in_bytes: int
    peak_memory_in_bytes: int


class RawToken(Protocol):
    def block_until_ready(self) -> object: ...


class RawResults(Protocol):
    def consume_with_handlers[T](self, handlers: Sequence[RawHandler[T]], /) -> list[T]: ...
    def disassemble_into_single_device_arrays(self) -> list[list[RawBuffer]]: ...
    def consume_token(self) -> RawToken: ...


class RawExecutable(Protocol):
    def execute_sharded(self, arguments: Sequence[RawBuffer], /, *, with_tokens: bool = False) -> RawResults: ...
    def get_hlo_text(self) -> str: ...
    def cost_analysis(self) -> Mapping[str, float]: ...
    def get_compiled_memory_stats(self) -> RawMemoryStats: ...
    def serialize(self) -> bytes: ...
    def get_parameter_shardings(self) -> Sequence[object] | None: ...
    def get_output_shardings(self) -> Sequence[object] | None: ...


class RawEvent(Protocol):
    duration_ns: float
    stats: Iterable[tuple[str, Any]]


class RawLine(Protocol):
    events: Iterable[RawEvent]


class RawPlane(Protocol):
    lines: Iterable[RawLine]


class RawProfile(Protocol):
    planes: Iterable[RawPlane]


class RawClient(Protocol):
    @property
    def platform(self) -> str: ...
    @property
    def platform_version(self) -> str: ...
    def process_index(self) -> int: ...
    def devices(self) -> Sequence[RawDevice]: ...
    def compile_and_load(
        self, module: object, devices: object, options: object, callbacks: Sequence[object] = ..., /
    ) -> RawExecutable: ...
    def deserialize_executable(self, data: bytes, devices: object, options: object, /) -> RawExecutable: ...
