"""PJRT plug-ins: finding the shared library of an accelerator and starting a client from it.

A plug-in is a package `jax_plugins.<name>`, or a package named by an entry point of the group `jax_plugins`, with a
shared library inside. The package is found, never imported: its Python code needs jax.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from jaxlib import xla_client

from lowering.pjrt.processes import plugin_options
from lowering.pjrt.protocols import RawClient

_GROUP: Final = "jax_plugins"
_GPUS: Final = ("cuda", "rocm")
_LIBRARY: Final = re.compile(r"(?:pjrt.*|.*plugin.*|libtpu)\.(?:so|dylib|dll)")


@cache
def find_plugins() -> dict[str, Path]:
    """The shared library of every plug-in, by platform name (`xla_cuda12` is called `cuda`)."""
    libraries: dict[str, Path] = {}
    for module in sorted({*_namespace_modules(), *_entry_point_modules()}):
        for folder in _folders(module):
            for library in sorted(folder.glob("*")):
                if _LIBRARY.fullmatch(library.name):
                    libraries.setdefault(platform_name(module), library)
    return libraries


def platform_name(module: str) -> str:
    """The platform that a plug-in's module serves.

    >>> platform_name("jax_plugins.xla_cuda12"), platform_name("jax_plugins.metal_plugin")
    ('cuda', 'metal')
    """
    name = module.rpartition(".")[2].lower().removeprefix("xla_").removeprefix("jax_")
    return name.removesuffix("_plugin").rstrip("0123456789_")


def start_plugin(platform: str, library: Path) -> RawClient:
    """Loads a plug-in, unless jax has loaded it already, and starts a client; RuntimeError when it cannot."""
    if not xla_client.pjrt_plugin_loaded(platform):
        if platform == "cuda":
            _load_cuda_libraries()
        xla_client.load_pjrt_plugin_dynamically(platform, str(library))
    if not xla_client.pjrt_plugin_initialized(platform):
        xla_client.initialize_pjrt_plugin(platform)
    options = {**xla_client.generate_pjrt_gpu_plugin_options(), "platform_name": platform} if platform in _GPUS else {}
    client_options, others = plugin_options()
    client: RawClient = xla_client.make_c_api_client(platform, {**options, **client_options}, **others)
    return client


def _namespace_modules() -> Iterable[str]:
    for folder in _folders(_GROUP):
        for entry in folder.iterdir():
            if entry.is_dir() and entry.name.isidentifier() and not entry.name.startswith("__"):
                yield f"{_GROUP}.{entry.name}"


def _entry_point_modules() -> Iterable[str]:
    """Modules that installed packages announce. The files are read here: importlib.metadata takes 20 ms to import."""
    for place in filter(os.path.isdir, sys.path):
        for file in Path(place).glob("*.dist-info/entry_points.txt"):
            _, header, section = file.read_text(encoding="utf-8").partition(f"[{_GROUP}]")
            for line in section.partition("[")[0].splitlines() if header else ():
                _, separator, value = line.partition("=")
                if separator:
                    yield value.partition(":")[0].strip()


def _folders(module: str) -> list[Path]:
    """Folders of a package. Only a namespace package `jax_plugins` is walked into, so nothing is executed."""
    parent, _, child = module.rpartition(".")
    if parent:
        return [folder / child for folder in _folders(parent) if (folder / child).is_dir()]
    spec: ModuleSpec | None = find_spec(module)
    places = spec.submodule_search_locations if spec is not None else None
    return [Path(place) for place in places or () if Path(place).is_dir()]


def _load_cuda_libraries() -> None:
    """Loads the CUDA libraries of NVIDIA's Python packages; those missing are left to the plug-in's own search."""
    names = (
        "cudart",
        "nvJitLink",
        "nvrtc",
        "cublasLt",
        "cublas",
        "nccl",
        "cupti",
        "cusparse",
        "cusolver",
        "cufft",
        "cudnn",
    )
    for name in (*names, "nvshmem_host"):
        for folder in _folders("nvidia"):
            for library in sorted(folder.glob(f"*/lib/lib{name}.so.*")):
                try:
                    ctypes.CDLL(str(library))
                except OSError:
                    continue
