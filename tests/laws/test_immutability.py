"""Nobody outside can write to the memory of an array: not through what an array gives out, nor where it came from."""

from __future__ import annotations

import contextlib
import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typing_extensions import CapsuleType

import effects as fx
from effects.errors import ArgumentError
from effects.program.operation import operation
from effects.types.avals import Typed
from handlers import debug_callback, pure_callback
from tests.errors.untyped import device_put, jit

type Host = NDArray[Any]


@operation
class Seen[V](fx.CustomOp[V]):
    """The operand, which the evaluation keeps as NumPy sees it."""

    x: V

    def types(self: Seen[Typed]) -> fx.ShapedArray:
        return self.x.aval

    def evaluate(self: Seen[fx.Array]) -> fx.Array:
        KEPT.append(np.asarray(self.x))
        return self.x


KEPT: list[Host] = []


def keep(x: Host) -> Host:
    KEPT.append(x)
    return x


def kept(run: Callable[[], object]) -> Host:
    KEPT.clear()
    run()
    return KEPT[0]


def given_to_pickle(x: fx.Array) -> Host:
    arguments: Any = x.__reduce__()[1]
    return np.asarray(arguments[0])


def by_buffers(x: fx.Array) -> Host:
    buffers: list[pickle.PickleBuffer] = []
    pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    return np.frombuffer(buffers[0].raw() if buffers else b"\0", np.uint8)


ORIGINS: dict[str, Callable[[], fx.Array]] = {
    "ones": lambda: fx.ones(3),
    "ones 2d": lambda: fx.ones((2, 3)),
    "number": lambda: fx.asarray(1.0),
    "literal beside": lambda: fx.ones(3) * 1.0,
    "computed": lambda: fx.asarray([0.5, 0.5]) + 0.5,
    "given": lambda: fx.asarray(np.ones(3)),
    "iota": lambda: fx.arange(1.0, 2.0),
    "slice": lambda: fx.ones((4, 4))[1:3, 1],
    "strided": lambda: fx.asarray(np.ones((4, 4)))[::2, ::-1],
    "transpose": lambda: fx.asarray(np.ones((2, 3))).T,
    "reshape": lambda: fx.asarray(np.ones((2, 3))).reshape(3, 2),
    "broadcast": lambda: fx.broadcast_to(fx.asarray([1.0]), (2, 2)),
    "like": lambda: fx.ones_like(fx.zeros((2, 2))),
    "complex": lambda: fx.ones(3, dtype=fx.complex64),
    "bool": lambda: fx.ones(3, dtype=fx.bool),
    "bfloat16": lambda: fx.ones(3, dtype=fx.bfloat16),
    "float8": lambda: fx.ones((2, 2), dtype=fx.float8_e5m2).T,
    "compiled": lambda: jit(lambda x: x * 1.0)(fx.ones(3)),
    "compiled bfloat16": lambda: jit(lambda x: x * 1)(fx.ones(3, dtype=fx.bfloat16)),
    "compiled number": lambda: jit(lambda x: x * 1.0)(fx.asarray(1.0)),
    "on a device": lambda: device_put(fx.ones(3)),
    "given to a program": lambda: given(fx.asarray(np.ones(64))),
    "pickled": lambda: pickle.loads(pickle.dumps(fx.ones(3))),
    "copied": lambda: copy.copy(fx.ones(3)),
    "copied deeply": lambda: copy.deepcopy(fx.ones(3)),
}

EXITS: dict[str, Callable[[fx.Array], Host]] = {
    "asarray": lambda x: np.asarray(x),
    "asarray without a copy": lambda x: np.asarray(x, copy=False),
    "asarray of the dtype": lambda x: np.asarray(x, dtype=x.dtype.dtype),
    "__array__": lambda x: x.__array__(),
    "from_dlpack": lambda x: np.from_dlpack(x),
    "from_dlpack without a copy": lambda x: np.from_dlpack(x, copy=False),
    "view": lambda x: np.asarray(x).view(np.ndarray).T,
    "pickle": given_to_pickle,
    "pickled buffers": by_buffers,
    "pure_callback": lambda x: kept(lambda: pure_callback(keep, x.aval, x)),
    "pure_callback in jit": lambda x: kept(lambda: fx.sum(jit(lambda y: pure_callback(keep, y.aval, y))(x) == 0)),
    "debug_callback": lambda x: kept(lambda: debug_callback(keep, x)),
    "user's operation": lambda x: kept(lambda: fx.perform(Seen(x))),
}


def given(x: fx.Array) -> fx.Array:
    jit(lambda y: y + 1.0)(x)
    return x


def owners(host: object) -> Iterator[object]:
    """An array and all that can be reached as what its memory belongs to."""
    while host is not None:
        yield host
        host = getattr(host, "base", None) if isinstance(host, np.ndarray) else getattr(host, "obj", None)


def write(host: Host) -> None:
    """Try everything to write zeros through `host`."""
    for owner in owners(host):
        if isinstance(owner, np.ndarray):
            with contextlib.suppress(ValueError):
                owner.flags.writeable = True
                owner[...] = 0
        elif isinstance(owner, memoryview):
            with contextlib.suppress(TypeError):
                owner.cast("B")[:] = bytes(owner.nbytes)


@pytest.mark.parametrize("leave", EXITS)
@pytest.mark.parametrize("origin", ORIGINS)
def test_what_leaves_cannot_be_written_through(origin: str, leave: str) -> None:
    x = ORIGINS[origin]()
    if leave.startswith("from_dlpack") and x.dtype.dtype.isbuiltin != 1:
        pytest.skip("NumPy knows no DLPack of this dtype")
    write(EXITS[leave](x))
    assert bool(fx.all(x == 1)), "the array itself"
    for dtype in (x.dtype, fx.float64, fx.int64):
        assert bool(fx.all(fx.ones(2, dtype=dtype) == 1)), "arrays of the number 1"
    assert bool(fx.asarray(2.0) + 1.0 == 3.0)


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_copy_is_ones_own(origin: str) -> None:
    x = ORIGINS[origin]()
    copies = [np.array(x), x.__array__(copy=True), np.asarray(x).copy()]
    if x.dtype.dtype.isbuiltin == 1:
        copies += [np.from_dlpack(x, copy=True)]
    for own in copies:
        own[...] = 0
        assert np.all(own == 0) and bool(fx.all(x == 1))


class Old:
    """A consumer's view of an array by the DLPack before version 1."""

    def __init__(self, x: fx.Array, *, copy: bool | None = None) -> None:
        self.x, self.copy = x, copy

    def __dlpack__(self, **_: object) -> CapsuleType:
        return self.x.__dlpack__(copy=self.copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.x.__dlpack_device__()


def test_a_consumer_that_knows_no_read_only_memory_is_given_a_copy() -> None:
    x = fx.ones(3)
    assert not np.shares_memory(np.from_dlpack(Old(x)), np.asarray(x))
    y = x + 0.0
    assert np.shares_memory(np.from_dlpack(y, copy=False), np.asarray(y)) and np.from_dlpack(x).strides == (8,)
    with pytest.raises(BufferError):
        np.from_dlpack(Old(x, copy=False))


def test_asarray_without_a_copy_is_refused_where_one_is_needed() -> None:
    with pytest.raises(ArgumentError, match="copy=False, but float64 must be copied to float32"):
        np.asarray(fx.ones(3), dtype=np.float32, copy=False)


ENTRIES: dict[str, Callable[[Host], fx.Array]] = {
    "asarray": lambda a: fx.asarray(a),
    "asarray of the dtype": lambda a: fx.asarray(a, dtype=fx.float64),
    "asarray of a view": lambda a: fx.asarray(a[:]),
    "asarray of a read-only view": lambda a: fx.asarray(np.broadcast_to(a, a.shape)),
    "from_dlpack": lambda a: fx.from_dlpack(a),
    "operand": lambda a: fx.positive(a),
    "beside a number": lambda a: fx.reshape(a, (-1,)),
    "where": lambda a: fx.broadcast_to(a, a.shape),
    "device_put": lambda a: device_put(a),
    "jit": lambda a: jit(lambda x: x)(fx.asarray(a)),
    "jit itself": lambda a: jit(lambda x: x)(a),
    "closed over": lambda a: closed_over(a),
    "pure_callback": lambda a: pure_callback(lambda: a, fx.ShapedArray(a.shape, fx.float64)),
    "pure_callback in jit": lambda a: jit(lambda: pure_callback(lambda: a, fx.ShapedArray(a.shape, fx.float64)))(),
    "pickled out of band": lambda a: pickle.loads(
        pickle.dumps(fx.ones(a.size), protocol=5, buffer_callback=lambda _: None), buffers=[memoryview(a).cast("B")]
    ),
}


def closed_over(a: Host) -> fx.Array:
    f = jit(lambda x: x + a)
    f(fx.zeros(a.shape))
    a[...] = 5.0
    out: fx.Array = f(fx.zeros(a.shape))
    return out


@pytest.mark.parametrize("size", [1, 8, 4096])
@pytest.mark.parametrize("entry", ENTRIES)
def test_what_an_array_is_made_of_may_be_written_to(entry: str, size: int) -> None:
    memory = np.empty(size * 8 + 64, np.uint8)
    source = memory[-memory.ctypes.data % 64 :][: size * 8].view(np.float64)  # aligned, as zero-copy paths like it
    source[...] = 1.0
    x = ENTRIES[entry](source)
    before = x.tolist()
    source[...] = 7.0
    assert x.tolist() == before == [1.0] * size
    assert jit(lambda y: y + 0.0)(x).tolist() == before


@pytest.mark.parametrize("size", [1, 8, 4096])
def test_donated_memory_is_not_what_others_look_at(size: int) -> None:
    """A program may write its results over a donated array, but over no memory that left or is an array's as well."""
    step = jit(lambda x: x * 2.0 + 1.0, donate_argnums=0)
    for x in (fx.asarray(np.ones(size)), jit(lambda x: x * 1.0)(fx.ones(size))):
        left, view, shared = np.asarray(x), fx.reshape(x, (1, size)), np.from_dlpack(x)
        assert step(x).tolist() == [3.0] * size
        assert left.tolist() == [1.0] * size == shared.tolist() and view.tolist() == [[1.0] * size]


def test_an_array_has_no_memory_to_be_asked_for() -> None:
    arrays: list[Any] = [fx.ones(3), fx.asarray(np.ones(3)), jit(lambda x: x * 1.0)(fx.ones(3))]
    for x in arrays:
        with pytest.raises(AttributeError, match=r"`.data`: numpy.asarray\(x\) is a view to read"):
            x.data
        with pytest.raises(TypeError):
            memoryview(x)
        for name in ("__array_interface__", "__array_struct__", "__buffer__"):
            assert not hasattr(x, name)
