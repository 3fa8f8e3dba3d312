"""The adapter to XLA's runtime: versions, devices, buffers, executables."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from effects.errors import CompileError, DeviceError, UnsupportedVersion
from lowering import pjrt
from lowering.pjrt import plugins
from lowering.pjrt.devices import cpu_device_count
from lowering.stablehlo.builder import Builder
from lowering.stablehlo.context import string, tensor_type
from tests.processes import printed

F32 = np.dtype("float32")
F64 = np.dtype("float64")
F32_3 = pjrt.buffer_type((3,), F32)
CPU = pjrt.devices("cpu")[0]


# -- versions ------------------------------------------------------------------------------------------------------


def test_the_installed_version_is_supported() -> None:
    pjrt.check_version(pjrt.installed_version())


@pytest.mark.parametrize("found", ["0.11.4", "0.13.0", "1.12.0", "0.1.2"])
def test_another_version_is_refused(found: str) -> None:
    with pytest.raises(
        UnsupportedVersion, match=rf"jaxlib {found} is installed, effax runs with 0\.12\.\*.*pip install"
    ):
        pjrt.check_version(found)
    assert issubclass(UnsupportedVersion, ImportError)


# -- devices -------------------------------------------------------------------------------------------------------


def test_a_device_is_readable_hashable_and_interned() -> None:
    assert repr(CPU) == "CpuDevice(id=0)"
    assert CPU.name == "cpu:0"
    assert (CPU.platform, CPU.id) == ("cpu", 0)
    assert pjrt.devices("cpu")[0] is CPU
    assert {CPU: 1}[pjrt.devices("cpu")[0]] == 1


def test_platforms_are_tried_in_the_order_asked_for() -> None:
    code = "from lowering import pjrt; print(pjrt.platforms(), pjrt.default_device())"
    assert printed(code, EFFAX_PLATFORMS="nothing, cpu") == "('nothing', 'cpu') CpuDevice(id=0)\n"


@pytest.mark.parametrize("count", ["0", "two", "-1"])
def test_a_wrong_number_of_devices_is_refused(count: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EFFAX_CPU_DEVICES", count)
    with pytest.raises(DeviceError, match=f"EFFAX_CPU_DEVICES must be a positive number of devices, got '{count}'"):
        cpu_device_count()


def test_plugins_are_found_without_running_their_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "jax_plugins" / "xla_toy7"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('executed')")
    library = package / "xla_toy_plugin.so"
    library.write_bytes(b"")
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins.find_plugins.cache_clear()
    try:
        assert plugins.find_plugins()["toy"] == library
        with pytest.raises(DeviceError, match="plug-in of the platform 'toy'"):
            pjrt.devices("toy")
    finally:
        plugins.find_plugins.cache_clear()


def test_plugins_are_found_by_their_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "toy_backend" / "pjrt_toy.so"
    library.parent.mkdir()
    library.write_bytes(b"")
    entries = tmp_path / "toy-1.0.dist-info" / "entry_points.txt"
    entries.parent.mkdir()
    entries.write_text("[console_scripts]\na = b:c\n\n[jax_plugins]\ntoy = toy_backend\n\n[other]\nx = y\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins.find_plugins.cache_clear()
    try:
        assert plugins.find_plugins() == {"toy_backend": library}
    finally:
        plugins.find_plugins.cache_clear()


# -- buffers -------------------------------------------------------------------------------------------------------

DTYPES = [
    *(np.dtype(name) for name in ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]),
    *(np.dtype(name) for name in ["float16", "float32", "float64", "complex64", "complex128"]),
    *(np.dtype(name) for name in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)),
]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 0, 3), (2, 3)], ids=str)
def test_put_and_fetch_keep_every_dtype_and_shape(dtype: np.dtype[np.generic], shape: tuple[int, ...]) -> None:
    host = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    kind = pjrt.buffer_type(shape, dtype)
    device_buffer = pjrt.put(host, kind, CPU)
    back = pjrt.fetch(device_buffer)
    assert back.dtype == dtype and back.shape == shape and (back == host).all()
    assert not back.flags.writeable
    assert device_buffer.aval is kind and pjrt.device_of(device_buffer) is CPU and pjrt.is_buffer(device_buffer)


def test_put_with_copy_does_not_share_memory() -> None:
    host = np.zeros(4096, F32)
    kept = pjrt.put(host, pjrt.buffer_type(host.shape, F32), CPU, copy=True)
    host[:] = 1
    assert not pjrt.fetch(kept).any()


def test_strided_arrays_are_put_in_their_order() -> None:
    host = np.arange(6, dtype=F32).reshape(2, 3)
    for view in (host.T, host[::-1], host[:, ::2], np.broadcast_to(F32.type(2), (2, 2))):
        assert (pjrt.fetch(pjrt.put(view, pjrt.buffer_type(view.shape, F32), CPU)) == view).all()


def test_put_refuses_another_type() -> None:
    with pytest.raises(TypeError, match=r"an array float64\[3\] cannot become a buffer float32\[3\]"):
        pjrt.put(np.zeros(3), pjrt.buffer_type((3,), F32), CPU)


def test_what_is_not_a_buffer_is_told() -> None:
    assert not pjrt.is_buffer(np.zeros(3)) and not pjrt.is_buffer(1.0) and not pjrt.is_buffer("x")


# -- executables ---------------------------------------------------------------------------------------------------


def test_a_module_that_xla_refuses_is_a_compile_error() -> None:
    builder = Builder()
    f32 = tensor_type((3,), F32)
    builder.open_function("main", [f32], public=True)
    builder.close_function(builder.ops("stablehlo.custom_call", [f32], [], {"call_target_name": string("nobody")}))
    with pytest.raises(CompileError, match=rf"(?s)XLA could not compile the program for cpu:0: .*nobody.*{__file__}"):
        pjrt.compile_module(pjrt.Compilation(builder.module, CPU, [pjrt.buffer_type((3,), F32)]))


def test_nothing_imports_jax() -> None:
    code = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name == "jax" or name.startswith("jax."):
            print("imports", name)
sys.meta_path.insert(0, Refuse())
import ml_dtypes, numpy as np
from lowering import pjrt
for dtype in ("float64", ml_dtypes.bfloat16):
    x = pjrt.put(np.ones(3, dtype), pjrt.buffer_type((3,), np.dtype(dtype)), pjrt.devices("cpu")[0])
    print(pjrt.fetch(x).sum(), pjrt.fetch(x).sum())
"""
    assert printed(code) == "3.0 3.0\n3 3\n"
