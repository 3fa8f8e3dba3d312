"""The adapter to XLA's runtime: every use of `jaxlib._jax` and `jaxlib.xla_client`, jaxlib's private parts, is here.

    device = default_device()
    buffer = put(host_array, buffer_type(shape, dtype), device)
    program = compile_module(Compilation(module, device, outputs=[buffer_type(shape, dtype)]))
    (result,) = program.execute([buffer])
    fetch(result)

Other series of jaxlib than the supported one are refused.
"""

from lowering.pjrt.version import check_version as check_version, installed_version as installed_version

check_version(installed_version())

from lowering.pjrt import forks as forks  # noqa: E402  # the version comes first
from lowering.pjrt.buffers import (  # noqa: E402
    BUFFER as BUFFER,
    DELETED as DELETED,
    Buffer as Buffer,
    BufferType as BufferType,
    await_buffers as await_buffers,
    buffer_type as buffer_type,
    device_of as device_of,
    fetch as fetch,
    is_buffer as is_buffer,
    put as put,
    raw_sharding_of as raw_sharding_of,
    transfer as transfer,
)
from lowering.pjrt.devices import (  # noqa: E402
    DEVICES as DEVICES,
    Device as Device,
    default_device as default_device,
    device_named as device_named,
    devices as devices,
    host_name as host_name,
    is_host as is_host,
    platforms as platforms,
    started as started,
)
from lowering.pjrt.executable import (  # noqa: E402
    Compilation as Compilation,
    Executable as Executable,
    MemoryAnalysis as MemoryAnalysis,
    Results as Results,
    compile_module as compile_module,
)
from lowering.pjrt.hlo import Hlo as Hlo  # noqa: E402
from lowering.pjrt.mesh import (  # noqa: E402
    DeviceMesh as DeviceMesh,
    Placement as Placement,
    device_mesh as device_mesh,
    is_spread as is_spread,
    placement_of as placement_of,
    placement_over as placement_over,
    put_sharded as put_sharded,
    require_placement as require_placement,
    sharding_of as sharding_of,
)
from lowering.pjrt.options import Options as Options  # noqa: E402
from lowering.pjrt.profiler import Recording as Recording, Session as Session  # noqa: E402
