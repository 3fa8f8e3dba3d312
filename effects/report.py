"""`python -m effects.report`: versions, devices and settings, for bug reports. Where one fails, its error is shown."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import distributions
from typing import Final

from effects.runtime.version import __version__
from effects.types.dtypes import current_default_float

_PACKAGES: Final = re.compile(
    r"numpy|scipy|ml[-_]dtypes|jax|jaxlib|jax[-_].*(plugin|pjrt)|libtpu|returns|typing_extensions|tensorstore"
)
_SETTINGS: Final = re.compile(r"(EFFAX|XLA|JAX)_\w+|CUDA_VISIBLE_DEVICES|(OMP|OPENBLAS|MKL)_NUM_THREADS")

type Report = dict[str, dict[str, str]]
"""The sections of a report, each with its lines by name."""


def report() -> Report:
    """The installed versions, the devices that start, and the settings of this process.

    >>> report()["versions"]["effax"]
    '0.1.0'
    """
    installed = {name: package.version for package in distributions() if (name := package.metadata["Name"])}
    return {
        "versions": {
            "effax": __version__,
            "python": f"{platform.python_implementation()} {platform.python_version()}",
            **{name: number for name, number in sorted(installed.items()) if _PACKAGES.fullmatch(name)},
        },
        "machine": {
            "system": platform.platform(),
            "processors": f"{os.cpu_count()} × {platform.machine()}",
            "memory": _line(lambda: f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"),
        },
        "devices": _devices(),
        "settings": {
            "default_float": str(current_default_float()),
            "programs on disk": _line(lambda: str(import_module("lowering").disk_report())),
            **{name: value for name, value in sorted(os.environ.items()) if _SETTINGS.fullmatch(name)},
        },
    }


def _devices() -> dict[str, str]:
    try:
        return {device.name: device.kind for device in import_module("lowering").devices()}
    except Exception as error:
        return {"none": _failure(error)}


def _line(text: Callable[[], str]) -> str:
    """The first line of a text, or of the error that it raises."""
    try:
        return text().partition("\n")[0]
    except Exception as error:
        return _failure(error)


def _failure(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).partition('\n')[0]}"


def main() -> None:
    """Print the report."""
    for part, lines in report().items():
        print(part)
        for name, value in lines.items():
            print(f"    {name:20}  {value}")


if __name__ == "__main__":
    main()
