"""The versions of jaxlib that this package runs with, checked before any private part of jaxlib is used."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from effects.errors import UnsupportedVersion

SUPPORTED: Final = (0, 12)
"""The series of jaxlib with which the adapter is tested."""


def installed_version() -> str:
    """The version of the installed jaxlib; UnsupportedVersion when there is none."""
    if find_spec("jaxlib") is None:
        raise UnsupportedVersion(f"jaxlib is not installed: {_advice()}")
    return str(import_module("jaxlib").__version__)


def check_version(version: str) -> None:
    """Refuses a jaxlib outside the supported series.

    >>> import effects as fx
    >>> check_version("0.12.0.1")
    >>> try:
    ...     check_version("0.13.0")
    ... except fx.UnsupportedVersion as error:
    ...     print(error.message)
    jaxlib 0.13.0 is installed, effax runs with 0.12.*: run `pip install "jaxlib==0.12.*"`
    """
    numbers = tuple(int(n) for n in re.findall(r"\d+", version)[: len(SUPPORTED)])
    if numbers != SUPPORTED:
        raise UnsupportedVersion(f"jaxlib {version} is installed, effax runs with {_series()}: {_advice()}")


def _series() -> str:
    return ".".join(map(str, SUPPORTED)) + ".*"


def _advice() -> str:
    return f'run `pip install "jaxlib=={_series()}"`'
