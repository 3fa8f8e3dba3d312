"""`Concrete`: an array with known elements, on the host or on a device.

It holds a NumPy array or a device buffer, converts on first demand and keeps the result. Functions of device buffers
come from the backend that the compiler's layer installs; without it, arrays are NumPy's.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, final

import numpy as np
import numpy.typing as npt

from effects.arrays.array import Array
from effects.arrays.operators import DT, Sh
from effects.errors import DeletedArrayError, NotAddressableError
from effects.program.operation import Operation
from effects.runtime.caches import memoised
from effects.runtime.memory_errors import memory_errors
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType, as_dtype

if TYPE_CHECKING:
    from effects.arrays.mesh import Shard, Sharding
    from effects.program.chain import Performed

type Host = npt.NDArray[Any]


class Buffer(Protocol):
    """An array on a device, opaque here."""

    def is_deleted(self) -> bool: ...


class Device(Protocol):
    """A device, opaque here except for its name: `cpu:0`."""

    @property
    def name(self) -> str: ...


type DeviceLike = Device | str | Sharding


class Backend(Protocol):
    """Interface of the layer that owns the devices, used by arrays and by evaluation."""

    def fetch(self, array: Concrete) -> Host:
        """The elements of a device array, on the host; raises DeletedArrayError when they were donated."""

    def on_accelerator(self, array: Concrete) -> bool:
        """Return True if operations on the array run on its device rather than on the host."""

    def execute(self, op: Operation[Array]) -> Performed:
        """Run one operation by the compiler, where its operands are."""

    def place(self, array: Concrete, device: str) -> Concrete:
        """The array on the device of this name."""

    def shard(self, array: Concrete, sharding: Sharding) -> Concrete:
        """The array over a mesh."""

    def copied(self, array: Concrete, sharding: Sharding) -> Concrete:
        """A copy, in memory of its own, of an array that is sharded like this over a mesh."""

    def device_name(self, array: Concrete) -> str:
        """The device of the array, readable."""

    def check_device(self, name: str) -> None:
        """Raise DeviceError if no device has this name."""

    def sharding(self, array: Concrete) -> Sharding:
        """Sharding of the array."""

    def shards(self, array: Concrete) -> tuple[Shard, ...]:
        """The parts of the array in this process."""

    def device_names(self) -> list[str]:
        """Names of the devices that arrays can be moved to; the default first."""

    def move(self, array: Array[DT, Sh], device: DeviceLike) -> Array[DT, Sh]:
        """The array on a device; raises DeviceError if there is no such device."""


_backends: Final[list[Backend]] = []


def install_backend(backend: Backend) -> None:
    """Make `backend` the one that device arrays go to."""
    _backends[:] = [backend]


def backend() -> Backend:
    """The installed backend; on first use the compiler's layer, an outer one, is imported by name."""
    if not _backends:
        importlib.import_module("lowering")
    return _backends[0]


def on_device(array: Array[DT, Sh], device: DeviceLike | None) -> Array[DT, Sh]:
    """The array on `device`; unchanged for None."""
    return array if device is None else backend().move(array, device)


class OnAccelerator(Exception):
    """Raised for an operation on an array on an accelerator, where the operation must run."""


@final
class _Borrowed:
    """The owner of borrowed memory for NumPy, without access to the array."""

    __slots__ = ("_memory",)

    def __init__(self, memory: memoryview) -> None:
        self._memory = memory

    def __buffer__(self, flags: int, /) -> memoryview:
        return self._memory


def _read_only(host: Host) -> Host:
    """A view of an array that owns nothing, so that it cannot be made writeable."""
    dtype = host.dtype
    # Dtypes of ml_dtypes have no buffer format.
    plain = host if dtype.isbuiltin != 2 else host.view(f"u{dtype.itemsize}")
    view: Host = np.asarray(_Borrowed(memoryview(plain).toreadonly()))
    return view if plain is host else view.view(dtype)


@final
class Concrete(Array[DT, Sh]):
    """An array with elements: `stored` is a NumPy array or a device buffer, `aval` its type; `concrete` makes it."""

    __slots__ = ("_host", "_over", "_view", "aval", "stored")

    if not TYPE_CHECKING:
        __init__ = object.__init__  # C's, so that the constructor calls no Python; that of `Array` raises
    owner = None
    aval: ShapedArray
    stored: Host | Buffer
    _host: Host  # set on first use: most of the many arrays are never read
    _view: Host  # as above, for elements on the host
    _over: tuple[Sharding, Buffer]  # as above, for the mesh of the last program

    @property
    def host(self) -> Host:
        """The elements as a NumPy array that must not be written to, for arrays that the host computes with.

        Raises OnAccelerator for the others, DeletedArrayError for a donated array.
        """
        data = self.stored
        if type(data) is np.ndarray:
            return data
        if hasattr(self, "_host") and not data.is_deleted():  # type: ignore[union-attr]  # anything but an ndarray is a buffer
            return self._host
        if backend().on_accelerator(self):
            raise OnAccelerator
        self._host = backend().fetch(self)
        return self._host

    def fetch(self) -> Host:
        """The elements as a NumPy array that must not be written to, wherever they are."""
        return self.stored if isinstance(self.stored, np.ndarray) else backend().fetch(self)

    def lend(self) -> Host:
        """The elements as a NumPy array for users, which can neither be written to nor made writeable."""
        if type(self.stored) is not np.ndarray:
            return _read_only(self.fetch())
        try:
            return self._view.view()  # a new view for each caller, who may set its shape
        except AttributeError:
            self._view = _read_only(self.stored)
        return self._view.view()

    def place(self, buffer: Buffer) -> None:
        """Keep `buffer`, which has the same elements, for later computations."""
        if type(self.stored) is np.ndarray:
            self._host = self.stored
        self.stored = buffer

    def over(self, sharding: Sharding, put: Callable[[], Buffer]) -> Buffer:
        """The elements, which are on the host, over a mesh: the last buffer of this sharding, or a new one by `put`."""
        if not hasattr(self, "_over") or self._over[0] != sharding or self._over[1].is_deleted():
            self._over = sharding, put()
        return self._over[1]

    @property
    def is_number(self) -> bool:
        """True for the one array of a Python number, which all uses of the number share."""
        return type(self.stored) is np.ndarray and type(self.stored.base) is bytes  # type: ignore[comparison-overlap]  # NumPy says that it is an array

    def known(self) -> Concrete:
        return self

    @property
    def device(self) -> str:
        """Name of the device that holds the elements: `cpu:0`."""
        return backend().device_name(self) if _backends else "cpu:0"

    @property
    def sharding(self) -> Sharding:
        return backend().sharding(self)

    @property
    def shards(self) -> tuple[Shard, ...]:
        return backend().shards(self)

    def __repr__(self) -> str:
        try:
            host = self.fetch()
        except DeletedArrayError:  # debuggers show deleted arrays too
            return f"Array(donated, {self.aval})"
        except NotAddressableError:
            return f"Array(parts in other processes, {self.aval}, {self.sharding})"
        shown = np.array2string(host, separator=", ", prefix="Array(", threshold=1000)
        return f"Array({shown}, {self.aval.dtype})"

    def __copy__(self) -> Self:
        """An array of the same elements in memory of its own: one can be donated, and the other stays."""
        on_host = type(self.stored) is np.ndarray
        if not on_host and (over := self.sharding).mesh.axes:
            return backend().copied(self, over)
        with memory_errors:
            own = concrete(np.array(self.fetch()), self.aval)
        if on_host:
            return own
        return on_device(own, self.device)  # type: ignore[return-value]  # an array of exactly this class

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.lend(), self.aval.dtype, self.aval.weak_type)


Concrete.__name__ = "Array"  # the class that users see, also in Python's own errors


def concrete(stored: Host | Buffer, aval: ShapedArray) -> Concrete:
    """The array of these elements. An `__init__` would take half as long again to call."""
    array: Concrete = Concrete()
    array.stored = stored
    array.aval = aval
    return array


def concrete_of(aval: ShapedArray) -> Callable[[Host | Buffer], Concrete]:
    """Function from the stored elements to an array of this type, in one call of Python."""

    def of(stored: Host | Buffer) -> Concrete:
        array: Concrete = Concrete()
        array.stored = stored
        array.aval = aval
        return array

    return of


def concretes(stored: Iterable[Host | Buffer], avals: Iterable[ShapedArray]) -> list[Array]:
    """The arrays of these elements and types."""
    return list(map(concrete, stored, avals))


def _rebuild(host: Host, dtype: type[DType], weak_type: bool) -> Concrete:
    own = np.array(host)  # pickled out of band, the memory belongs to the reader
    return concrete(own, ShapedArray(own.shape, dtype, weak_type))


def from_host(host: Host) -> Concrete:
    """The array of a NumPy array that is not written to any more."""
    return concrete(host, _type(host.shape, host.dtype))


@memoised
def _type(shape: tuple[int, ...], dtype: np.dtype[Any]) -> ShapedArray:
    return ShapedArray(shape, as_dtype(dtype))
