"""XLA's compiler for CUDA without a device: its plug-in compiles for one that is described."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from jaxlib import xla_client

from lowering.emission import Module
from lowering.pjrt.plugins import find_plugins
from lowering.pjrt.protocols import native

HERE: Final = "cuda" in find_plugins()
"""True where the plug-in is installed."""
_A100: Final = """
gpu_device_info {
  cuda_compute_capability { major: 8 minor: 0 }
  threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048
  shared_memory_per_block: 49152 shared_memory_per_block_optin: 166912 shared_memory_per_core: 167936
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  core_count: 108 fpus_per_core: 64 clock_rate_ghz: 1.41
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  memory_bandwidth: 1555200000000 l2_cache_size: 41943040 device_memory_size: 39765934080
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 10 patch: 2 }
device_description_str: "A100"
"""


@cache
def _device() -> Any:
    if not xla_client.pjrt_plugin_loaded("cuda"):
        xla_client.load_pjrt_plugin_dynamically("cuda", str(find_plugins()["cuda"]))
    if not xla_client.pjrt_plugin_initialized("cuda"):
        xla_client.initialize_pjrt_plugin("cuda")
    options = {"topology": "1x1x1", "target_config": _A100}
    described: Any = native.get_default_c_api_topology("cuda", "", options)
    return described._make_compile_only_devices()[0]


def compile_for_cuda(module: Module) -> None:
    """Compile a module for a device that is not here; XLA's error where it cannot."""
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = xla_client.DeviceAssignment.create(np.zeros((1, 1), np.int32))
    device = _device()
    device.client.compile(module.ir, xla_client.DeviceList((device,)), options)
