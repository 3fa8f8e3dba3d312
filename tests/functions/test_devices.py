"""Where arrays are made and moved to, and what the library says about itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects.errors import ArgumentError, DeviceError
from tests.errors.expect import refusal
from tests.errors.untyped import devices, fx, grad, jit, vmap
from tests.processes import printed

X = np.arange(6.0).reshape(2, 3)

MAKERS: dict[str, Callable[..., Any]] = {
    "asarray": lambda **to: fx.asarray(X, **to),
    "asarray of a number": lambda **to: fx.asarray(2.0, **to),
    "asarray of a list": lambda **to: fx.asarray([1, 2], **to),
    "asarray of an array": lambda **to: fx.asarray(fx.ones(2), dtype=fx.float32, **to),
    "astype": lambda **to: fx.astype(fx.asarray(X), fx.float32, **to),
    "astype to its own": lambda **to: fx.asarray(X).astype(fx.float64, **to),
    "zeros": lambda **to: fx.zeros(3, **to),
    "ones": lambda **to: fx.ones((2, 2), dtype=fx.int8, **to),
    "empty": lambda **to: fx.empty(3, **to),
    "full": lambda **to: fx.full(3, 2.5, **to),
    "full of an array": lambda **to: fx.full(3, fx.asarray(2), **to),
    "zeros_like": lambda **to: fx.zeros_like(X, **to),
    "ones_like": lambda **to: fx.ones_like(X, **to),
    "empty_like": lambda **to: fx.empty_like(X, **to),
    "full_like": lambda **to: fx.full_like(X, 2, **to),
    "arange": lambda **to: fx.arange(3, **to),
    "linspace": lambda **to: fx.linspace(0, 1, 3, **to),
    "eye": lambda **to: fx.eye(3, **to),
    "from_dlpack": lambda **to: fx.from_dlpack(X, **to),
    "to_device": lambda device="cpu:0": fx.asarray(X).to_device(device),
}


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_made_on_a_device_is_there(name: str) -> None:
    make = MAKERS[name]
    plain = make()
    for device in ("cpu:0", devices()[0], plain.device):
        made = make(device=device)
        assert made.device == "cpu:0" and made.dtype is plain.dtype and np.array_equal(made, plain)
    assert np.array_equal(make(device=None) if name != "to_device" else plain, plain)
    for wrong in ("cpu:9", 3):
        with pytest.raises(DeviceError):
            make(device=wrong)


def test_another_device() -> None:
    """In a process that has two."""
    program = (
        "from tests.functions.test_devices import MAKERS\n"
        "import effects as fx\n"
        "for name, make in MAKERS.items():\n"
        "    assert make(device='cpu:1').device == 'cpu:1', name\n"
        "info = fx.__array_namespace_info__()\n"
        "assert info.devices() == ('cpu:0', 'cpu:1') and info.default_device() == 'cpu:0'\n"
        "assert (fx.ones(2, device='cpu:1') + 1).device == 'cpu:1'\n"
        "from handlers import grad, vmap\n"
        "ask = lambda x: fx.sum(x * fx.ones(x.shape, device=x.device))\n"
        "for f in (vmap(ask), grad(ask), vmap(grad(ask)), grad(lambda x: fx.sum(vmap(ask)(x)))):\n"
        "    assert f(fx.ones((2, 2), device='cpu:1')).device == 'cpu:1'\n"
        "x = fx.asarray([0.0, 2.0, 0.0, 1.0], device='cpu:1')\n"
        "assert fx.flatnonzero(x).tolist() == fx.nonzero(x)[0].tolist() == [1, 3]\n"
        "assert fx.unique_values(x).tolist() == [0.0, 1.0, 2.0] and fx.argsort(x).tolist() == [0, 2, 3, 1]\n"
        "assert fx.searchsorted(fx.sort(x), x).tolist() == [0, 3, 0, 2] and x[x > 0].tolist() == [2.0, 1.0]\n"
    )
    printed(program, EFFAX_CPU_DEVICES="2", EFFAX_PLATFORMS="cpu")


def test_under_transformations() -> None:
    assert np.array_equal(jit(lambda x: x.to_device("cpu:0") + fx.zeros(3, device="cpu:0"))(X), X)
    assert grad(lambda x: fx.sum(x.to_device("cpu:0") ** 2))(fx.ones(2)).tolist() == [2.0, 2.0]
    assert np.array_equal(vmap(lambda x: x.to_device("cpu:0") * 2)(fx.asarray(X)), X * 2)
    there = lambda x: fx.sum(x.to_device(x.device) * fx.full(x.shape, 3.0, device=x.device))
    for f in (grad(there), jit(grad(there)), vmap(grad(there)), jit(vmap(jit(grad(there))))):
        assert np.array_equal(f(fx.asarray(X)), np.full((2, 3), 3.0))


def test_copy() -> None:
    x = fx.asarray(X)
    for copied in (True, False):
        assert (
            np.array_equal(x.astype(fx.float64, copy=copied), X) and x.astype(fx.int32, copy=copied).dtype is fx.int32
        )
    refusal(ArgumentError, "astype: copy must be True or False, got 'a'", of=lambda: x.astype(fx.int8, copy="a"))
    refusal(ArgumentError, "from_dlpack: copy=False", of=lambda: fx.from_dlpack(X, copy=False))
    refusal(ArgumentError, "to_device: stream must be None", of=lambda: x.to_device("cpu:0", stream=3))
    assert np.array_equal(fx.from_dlpack(X, copy=True), X) and fx.from_dlpack(x, copy=False) is x


def test_what_the_library_says_about_itself() -> None:
    info = fx.ones(2).__array_namespace__().__array_namespace_info__()
    assert info.default_device() in info.devices() == ("cpu:0",)
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    for name, dtype in info.dtypes().items():
        assert getattr(fx, name) is dtype
    assert len(info.dtypes()) == 13 and info.dtypes(kind="bool") == {"bool": fx.bool}
    floats = ("real floating", "complex floating")
    assert list(info.dtypes(kind=floats)) == ["float32", "float64", "complex64", "complex128"]
    assert info.default_dtypes(device="cpu:0") == {
        "real floating": fx.float64,
        "complex floating": fx.complex128,
        "integral": fx.int64,
        "indexing": fx.int64,
    }
    with fx.default_float(fx.float32):
        assert info.default_dtypes()["complex floating"] is fx.complex64 is fx.asarray(1j).dtype
    assert fx.ones((1,) * info.capabilities()["max dimensions"]).ndim == 64
    refusal(ArgumentError, "dtypes: kind must be 'bool'", of=lambda: info.dtypes(kind="floats"))
    refusal(DeviceError, "device must be one of cpu:0", of=lambda: info.dtypes(device="gpu:0"))
