"""Device buffers: moving arrays to a device and back.

A `Buffer` is jaxlib's own array object, opaque to the rest of the package. Its `aval` is the `BufferType` it was made
with. On the CPU both directions are free of copies where alignment (64 bytes) allows it.
"""

from __future__ import annotations

import mmap
import operator
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from jaxlib import xla_client
from numpy.typing import NDArray
from typing_extensions import TypeIs

from effects.errors import DeletedArrayError, OutOfMemoryError
from effects.runtime.caches import memoised
from lowering.pjrt import forks
from lowering.pjrt.devices import Device, known_device
from lowering.pjrt.protocols import native


@dataclass(frozen=True, slots=True, eq=False)
class BufferType:
    """The type of a buffer, as jaxlib reads it. `buffer_type` returns a cached one."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    weak_type: bool


class Buffer(Protocol):
    """An array in a device's memory. Read it with `fetch`, wait for it with `block_until_ready`."""

    @property
    def aval(self) -> object: ...
    def block_until_ready(self) -> object: ...
    def is_ready(self) -> bool: ...
    def is_deleted(self) -> bool: ...
    def delete(self) -> None: ...


BUFFER: Final[Any] = native.ArrayImpl
"""The class of device buffers, for a test by identity where a call is too slow."""
_COPY: Final = xla_client.HostBufferSemantics.IMMUTABLE_ONLY_DURING_CALL
_ALIAS: Final = xla_client.HostBufferSemantics.ZERO_COPY


@memoised
def buffer_type(shape: tuple[int, ...], dtype: np.dtype[np.generic], weak_type: bool = False) -> BufferType:
    """The `BufferType` of these three.

    >>> buffer_type((3,), np.dtype("float32")) is buffer_type((3,), np.dtype("float32"))
    True
    """
    return BufferType(shape, dtype, weak_type)


def is_buffer(value: object) -> TypeIs[Buffer]:
    """Return True if `value` is a device buffer: ours, or inside a jax array (`device_of` tells)."""
    return isinstance(value, BUFFER)


def put(host: NDArray[np.generic], kind: BufferType, device: Device, *, copy: bool = False) -> Buffer:
    """A buffer on `device` with the elements of `host`, whose shape and dtype must be those of `kind`.

    Without `copy` the buffer may share the memory of `host`, which must not be written to afterwards.

    >>> from lowering.pjrt.devices import devices
    >>> x = np.arange(3.0)
    >>> fetch(put(x, buffer_type(x.shape, x.dtype), devices("cpu")[0]))
    array([0., 1., 2.])
    """
    if host.shape != kind.shape or host.dtype != kind.dtype:
        raise TypeError(
            f"an array {host.dtype}{list(host.shape)} cannot become a buffer {kind.dtype}{list(kind.shape)}"
        )
    forks.collect_garbage()
    semantics = _COPY if copy else _ALIAS
    buffer: Buffer = xla_client.batched_device_put(
        kind, device.sharding, [host], [device.raw], True, False, semantics, enable_x64=True
    )
    return buffer


def await_buffers(buffers: Sequence[Buffer]) -> None:
    """Wait until buffers are computed; OutOfMemoryError if the program that computes one had too little memory.

    Reading such a buffer would end the process. DeletedArrayError where one was donated.
    """
    forks.refuse_waiting(buffers)
    try:
        xla_client.batched_block_until_ready(buffers)
    except native.JaxRuntimeError as error:
        failure = out_of_memory("the compiled program that computes this array", error)
        if failure is None and any([buffer.is_deleted() for buffer in buffers]):
            raise DeletedArrayError(DELETED) from None
        if failure is None:
            raise
    else:
        return
    raise failure  # here, so that it has no other context


def out_of_memory(program: str, error: Exception) -> OutOfMemoryError | None:
    """The OutOfMemoryError for an error of the runtime about memory; None for other errors."""
    text = str(error)
    if "RESOURCE_EXHAUSTED" not in text and "Out of memory" not in text:
        return None
    amount = _BYTES.search(text)
    return _too_much(program, f"{int(amount[1]):,} bytes at once" if amount else text)


def require_room(program: str, size: int) -> None:
    """Raise OutOfMemoryError if the system cannot allocate `size` bytes at once; takes 5 µs, and writes nothing.

    Without memory XLA raises an error at best: its compiler ends the process, and other devices of a mesh wait for one
    that fails.
    """
    try:
        mmap.mmap(-1, size).close()
    except (OSError, OverflowError):
        raise _too_much(program, f"{size:,} bytes at once") from None


def _too_much(program: str, amount: str) -> OutOfMemoryError:
    return OutOfMemoryError(
        f"{program} needs more memory than there is: {amount}; compute less at a time, as in a scan over parts "
        "(f.lower(…).compile().memory_analysis() says what a program takes)"
    )


def fetch(buffer: Buffer) -> NDArray[np.generic]:
    """The elements as a read-only NumPy array, when they are computed.

    Raises DeletedArrayError after a donation, OutOfMemoryError for what was not computed.
    """
    if not buffer.is_deleted():
        await_buffers([buffer])
    try:
        return np.asarray(memoryview(buffer))  # type: ignore[arg-type]  # the class has the buffer protocol, in C++
    except BufferError:  # an accelerator's memory, a dtype that only ml_dtypes knows, or a deleted buffer
        pass
    if buffer.is_deleted():
        raise DeletedArrayError(DELETED)
    # The method that does not import jax, even if jax is installed.
    host: NDArray[np.generic] = buffer._to_np_array_did_copy()[0]  # type: ignore[attr-defined]  # private to jaxlib
    host.flags.writeable = False
    return host


def transfer(buffer: Buffer, device: Device) -> Buffer:
    """The same elements on another device; the buffer itself when it is there already."""
    kind = buffer.aval
    if device_of(buffer) is device:
        return buffer
    if not isinstance(kind, BufferType):  # the buffer of a jax array
        host = fetch(buffer)
        return put(host, buffer_type(host.shape, host.dtype), device)
    return put(fetch(buffer), kind, device)


def device_of(buffer: Buffer) -> Device | None:
    """The only device that holds the buffer; None for several, and for a buffer of another client, such as jax's."""
    return known_device(getattr(buffer._sharding, "_device", None))  # type: ignore[attr-defined]  # private to jaxlib


raw_sharding_of: Final[Callable[[Buffer], Hashable]] = operator.attrgetter("_sharding")
"""Placement of a buffer, for comparison: equal for the buffers on one device."""


_BYTES: Final = re.compile(r"allocating (\d+) bytes")
DELETED: Final = (
    "this array was donated to a compiled function, which has reused its memory; keep a copy, or leave the argument "
    "out of donate_argnums"
)
