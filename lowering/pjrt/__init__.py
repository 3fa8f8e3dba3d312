"""The adapter to XLA's runtime: every use of `jaxlib._jax` and `jaxlib.xla_client`, jaxlib's private parts, is here.

    device = default_device()
    buffer = put(host_array, buffer_type(shape, dtype), device)
    program = compile_module(module, device, [buffer_type(shape, dtype)])
    (result,) = program.execute([buffer])
    fetch(result)

A jaxlib outside the supported series is refused.
"""

from lowering.pjrt.version import check_version, installed_version

check_version(installed_version())

from lowering.pjrt import forks  # noqa: E402  # the version comes first
from lowering.pjrt.buffers import (  # noqa: E402  # the version comes first
    BUFFER,
    DELETED,
    Buffer,
    BufferType,
    await_buffers,
    buffer_type,
    device_of,
    fetch,
    is_buffer,
    placement,
    put,
    transfer,
)
from lowering.pjrt.devices import (  # noqa: E402
    DEVICES,
    Device,
    default_device,
    device_named,
    devices,
    host_name,
    is_host,
    platforms,
    started,
)
from lowering.pjrt.executable import (  # noqa: E402
    Executable,
    MemoryAnalysis,
    Results,
    compile_module,
)
from lowering.pjrt.hlo import Hlo  # noqa: E402
from lowering.pjrt.mesh import (  # noqa: E402
    DeviceMesh,
    Place,
    cut_of,
    device_mesh,
    is_spread,
    place_of,
    place_over,
    put_cut,
    require_place,
)
from lowering.pjrt.options import Options  # noqa: E402
from lowering.pjrt.profiler import Recording, Session  # noqa: E402

__all__ = [
    "BUFFER",
    "DELETED",
    "DEVICES",
    "Buffer",
    "BufferType",
    "Device",
    "DeviceMesh",
    "Executable",
    "Hlo",
    "MemoryAnalysis",
    "Options",
    "Place",
    "Recording",
    "Results",
    "Session",
    "await_buffers",
    "buffer_type",
    "check_version",
    "compile_module",
    "cut_of",
    "default_device",
    "device_mesh",
    "device_named",
    "device_of",
    "devices",
    "fetch",
    "forks",
    "host_name",
    "installed_version",
    "is_buffer",
    "is_host",
    "is_spread",
    "place_of",
    "place_over",
    "placement",
    "platforms",
    "put",
    "put_cut",
    "require_place",
    "started",
    "transfer",
]
