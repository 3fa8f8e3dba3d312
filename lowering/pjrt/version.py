"""The versions of jaxlib that this package runs with, checked before anything of jaxlib's private parts is touched."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from effects.errors import UnsupportedVersion

SUPPORTED: Final = ((0, 11), (0, 12))
"""The series whose private interfaces the adapter was run with, the newest last."""


def installed_version() -> str:
    """The version of the installed jaxlib; UnsupportedVersion when there is none."""
    if find_spec("jaxlib") is None:
        raise UnsupportedVersion(f"jaxlib is not installed: {_advice()}")
    return str(import_module("jaxlib").__version__)


def check_version(version: str) -> None:
    """Refuses a jaxlib of another series.

    >>> check_version("0.12.0.1")
    >>> try:
    ...     check_version("0.13.0")
    ... except UnsupportedVersion as error:
    ...     print(error.message)
    jaxlib 0.13.0 is installed, effax runs with 0.11.* and 0.12.*: run `pip install "jaxlib==0.12.*"`
    """
    numbers = tuple(int(n) for n in re.findall(r"\d+", version)[:2])
    if numbers not in SUPPORTED:
        series = " and ".join(map(_series, SUPPORTED))
        raise UnsupportedVersion(f"jaxlib {version} is installed, effax runs with {series}: {_advice()}")


def _series(numbers: tuple[int, int]) -> str:
    return ".".join(map(str, numbers)) + ".*"


def _advice() -> str:
    return f'run `pip install "jaxlib=={_series(SUPPORTED[-1])}"`'
