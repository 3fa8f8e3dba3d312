"""DLPack: arrays of every dtype leave and come in, and their memory is lent to those who ask for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from typing_extensions import CapsuleType

import effects as fx
from effects.types import dtypes
from handlers import grad, vmap
from lowering import jit

SHAPES: Final[dict[str, Callable[[fx.Array], fx.Array]]] = {
    "matrix": lambda x: x,
    "number": lambda x: x[0, 0],
    "empty": lambda x: x[:0],
    "transposed": lambda x: x.T,
    "backwards": lambda x: x[:, ::-1],
    "broadcast": lambda x: fx.broadcast_to(x[0], (4, 3)),
    "compiled": lambda x: jit(lambda y: y.T)(x),
}


class Other:
    """An array of another library: all that is known of it is DLPack."""

    def __init__(self, x: Any, **said: Any) -> None:
        self.x, self.said = x, said

    def __dlpack__(self, **said: Any) -> CapsuleType:
        capsule: CapsuleType = self.x.__dlpack__(**{**said, **self.said})
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self.x.__dlpack_device__()
        return device


def some(dtype: type[fx.DType]) -> fx.Array:
    return fx.asarray([[0, 1, 2], [3, 4, 5]], dtype=dtype)


def same(a: fx.Array, b: fx.Array) -> bool:
    return a.aval is b.aval and np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.mark.parametrize("said", [{}, {"copy": True}, {"copy": False}, {"max_version": None}], ids=str)
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_dtype_goes_and_comes(dtype: type[fx.DType], said: dict[str, Any]) -> None:
    for name, shaped in SHAPES.items():
        x = shaped(some(dtype))
        assert same(fx.from_dlpack(Other(x, **said)), x), name
        assert same(fx.asarray(Other(x, **said)), x), name


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d.dtype.isbuiltin == 1], ids=str)
def test_numpy_takes_and_gives(dtype: type[fx.DType]) -> None:
    for shaped in SHAPES.values():
        x = shaped(some(dtype))
        assert np.array_equal(np.from_dlpack(x), np.asarray(x))
        assert same(fx.from_dlpack(np.from_dlpack(x)), x)


def test_a_copy_unless_memory_is_asked_for() -> None:
    x = fx.asarray([1.0, 2.0]) + 1.0
    copied, lent = np.from_dlpack(x), np.from_dlpack(x, copy=False)
    assert copied.flags.writeable and not np.shares_memory(copied, np.asarray(x))
    assert not lent.flags.writeable and np.shares_memory(lent, np.asarray(x))
    copied[0] = 9.0
    assert x.tolist() == [2.0, 3.0]


def test_what_comes_in_is_copied() -> None:
    theirs = np.ones(3)
    x = fx.from_dlpack(Other(theirs))
    theirs[0] = 7.0
    assert x.tolist() == [1.0, 1.0, 1.0]


class Silent:
    """Has the protocol, and gives nothing by it."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __dlpack__(self, **_: object) -> CapsuleType:
        raise self.error

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class Empty(Silent):
    def __dlpack__(self, **_: object) -> Any:
        return 3


REFUSED: Final[dict[str, tuple[Callable[[], object], str]]] = {
    "an error": (
        lambda: fx.from_dlpack(Silent(RuntimeError("no"))),
        "from_dlpack: x of type Silent gives no elements: no",
    ),
    "its own error": (lambda: fx.from_dlpack(Silent(ZeroDivisionError("no"))), "gives no elements: no"),
    "no capsule": (lambda: fx.from_dlpack(Empty(ValueError())), "from_dlpack: x of type Empty gives no elements"),
    "asarray": (
        lambda: fx.asarray(Silent(RuntimeError("no"))),
        "asarray: obj of type Silent does not export its elements: no",
    ),
    "a stream": (lambda: fx.ones(2).__dlpack__(stream=1), "stream must be None, the elements are on the host; got 1"),
    "a list": (lambda: fx.from_dlpack([1.0]), "from_dlpack: x of type list gives no elements"),  # type: ignore[arg-type]
    "no copy": (
        lambda: fx.from_dlpack(Other(np.ones(2)), copy=False),
        "copy=False, but the elements of a Other must be",
    ),
    "under jit": (lambda: jit(lambda x: fx.from_dlpack(Other(x)))(1.0), "__dlpack__.. needs the value of float64"),
    "under grad": (lambda: grad(lambda x: fx.from_dlpack(Other(x)))(1.0), "would lose what"),
    "under vmap": (lambda: vmap(lambda x: fx.from_dlpack(Other(x)))(fx.ones(2)), "needs the value"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_gives_nothing(name: str) -> None:
    run, message = REFUSED[name]
    with pytest.raises(fx.EffaxError, match=message):
        run()


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_torch_takes_and_gives(dtype: type[fx.DType]) -> None:
    torch: Any = pytest.importorskip("torch")
    x = some(dtype)
    if dtype is fx.float8_e4m3b11fnuz:  # which torch has not
        with pytest.raises(BufferError):
            torch.from_dlpack(x)
        return
    tensor = torch.from_dlpack(x)
    assert str(tensor.dtype) == f"torch.{dtype}" and tuple(tensor.shape) == (2, 3)
    assert same(fx.from_dlpack(tensor), x) and same(fx.asarray(tensor), x) and same(fx.asarray([tensor])[0], x)
    tensor[0, 0] = 1
    assert same(x, some(dtype))


def test_torch_says_what_it_does_not_give() -> None:
    torch: Any = pytest.importorskip("torch")
    for take in (fx.asarray, fx.from_dlpack):
        with pytest.raises(fx.ArgumentError, match="detach"):
            take(torch.ones(2, requires_grad=True))
        with pytest.raises(fx.ArgumentError, match="layout"):
            take(torch.eye(2).to_sparse())
