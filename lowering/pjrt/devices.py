"""Platforms, their clients and their devices.

The CPU is built into jaxlib. Other platforms are PJRT plug-ins, in the namespace package `jax_plugins` or entry points
of that name. Their Python code is for jax, and is not run: only their shared library is loaded. Clients start on first
use.

    EFFAX_PLATFORMS     platforms in order of preference, e.g. `cuda,cpu` (default: the plug-ins found, then cpu)
    EFFAX_CPU_DEVICES   the number of virtual CPU devices (default 1)
"""

from __future__ import annotations

import os
import threading
import warnings
from functools import cache
from typing import Final, final

from jaxlib import xla_client

from effects.arguments import shown
from effects.errors import DeviceError
from lowering.pjrt import forks
from lowering.pjrt.plugins import find_plugins, start_plugin
from lowering.pjrt.processes import cpu_options, joined
from lowering.pjrt.protocols import RawClient, RawDevice


@final
class Device:
    """One device. Two devices are equal when they are the same one.

    >>> devices("cpu")[0]
    CpuDevice(id=0)
    """

    __slots__ = ("client", "device_list", "id", "kind", "platform", "raw", "sharding")

    def __init__(self, raw: RawDevice, client: RawClient) -> None:
        self.raw: Final = raw
        self.client: Final = client
        self.platform: Final = client.platform
        self.id: Final = raw.id
        self.kind: Final = raw.device_kind
        self.sharding: Final[object] = xla_client.SingleDeviceSharding(raw)
        self.device_list: Final[object] = xla_client.DeviceList((raw,))

    @property
    def name(self) -> str:
        """`platform:id`."""
        return f"{self.platform}:{self.id}"

    def __repr__(self) -> str:
        return f"{self.platform.capitalize()}Device(id={self.id})"

    def __reduce__(self) -> tuple[object, ...]:
        return device_named, (self.name,)


DEVICES: Final[dict[RawDevice, Device]] = {}
"""All devices of the clients that were started, by jaxlib's device objects."""
_started: Final[dict[str, tuple[Device, ...]]] = {}
_lock: Final = threading.RLock()


def devices(platform: str | None = None) -> tuple[Device, ...]:
    """The devices of a platform, or of the preferred one; DeviceError when it does not exist or does not start."""
    if platform is None:
        return _preferred()
    with _lock:
        if platform not in _started:
            forks.collect_garbage()
            if not _started:
                _warn_if_apart()
            client = _start(platform)
            forks.watch_forks()
            wrapped = tuple(Device(raw, client) for raw in client.devices())
            DEVICES.update({device.raw: device for device in wrapped})
            _started[platform] = wrapped
        return _started[platform]


def device_named(name: str) -> Device | None:
    """The device of this name; None if there is none, DeviceError if its platform does not exist."""
    return next((device for device in devices(name.partition(":")[0]) if device.name == name), None)


def default_device() -> Device:
    """Device of programs without arguments on a device: the first one of this process."""
    return _here(None)[0]


def host_name() -> str:
    """The device that arrays on the host belong to, by name."""
    return "cpu:0" if joined() is None else _here("cpu")[0].name


def is_host(place: object) -> bool:
    """Return True if a place is the device that arrays on the host belong to."""
    return place is _here("cpu")[0]


@cache
def _here(platform: str | None) -> tuple[Device, ...]:
    return tuple([device for device in devices(platform) if device.raw.process_index == device.client.process_index()])


def started() -> bool:
    """Return True if any client was started."""
    return bool(_started)


def known_device(raw: RawDevice | None) -> Device | None:
    """The device with jaxlib's device `raw`; None for a device of another client (jax's)."""
    return DEVICES.get(raw) if raw is not None else None


def platforms() -> tuple[str, ...]:
    """The platforms that can be used, in order of preference."""
    setting = os.environ.get("EFFAX_PLATFORMS", "")
    named = tuple(name.strip().lower() for name in setting.split(",") if name.strip())
    return named or (*find_plugins(), "cpu")


@cache
def _preferred() -> tuple[Device, ...]:
    explicit = bool(os.environ.get("EFFAX_PLATFORMS", "").strip(" ,"))
    failures: list[str] = []
    for name in platforms():
        try:
            preferred = devices(name)
        except DeviceError as error:
            failures.append(error.reason)
            continue
        if failures and not explicit:
            warnings.warn(f"running on {name}: {'; '.join(failures)}", RuntimeWarning, stacklevel=2)
        return preferred
    raise DeviceError("no platform could be started: " + "; ".join(failures))


def _warn_if_apart() -> None:
    """Warn of a process that the launcher started beside others, which it can no longer join."""
    count = os.environ.get("EFFAX_PROCESSES", "1").strip()
    if count not in ("", "1") and joined() is None:
        warnings.warn(
            f"process {os.environ.get('EFFAX_PROCESS', '')} of {count} computes alone, as each one that does not call "
            "distributed.initialize() before anything is computed",
            RuntimeWarning,
            stacklevel=3,
        )


def _start(platform: str) -> RawClient:
    if platform == "cpu":
        client: RawClient = xla_client.make_cpu_client(num_devices=cpu_device_count(), **cpu_options())
        return client
    plugin = find_plugins().get(platform)
    if plugin is None:
        known = ", ".join(("cpu", *find_plugins()))
        raise DeviceError(f"there is no platform {shown(platform)} here (found: {known}); install its PJRT plug-in")
    try:
        return start_plugin(platform, plugin)
    except (RuntimeError, OSError, ValueError) as error:
        raise DeviceError(f"the plug-in of the platform {platform!r} ({plugin}) does not start: {error}") from error


def cpu_device_count() -> int:
    """Number of devices that the CPU is to show, by EFFAX_CPU_DEVICES; DeviceError when that is no number."""
    setting = os.environ.get("EFFAX_CPU_DEVICES", "").strip() or "1"
    if not setting.isdecimal() or int(setting) < 1:
        raise DeviceError(f"EFFAX_CPU_DEVICES must be a positive number of devices, got {shown(setting)}")
    return int(setting)
