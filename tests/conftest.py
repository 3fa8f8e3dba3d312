"""What `make check` leaves out: the folders and files whose tests compile hundreds of programs are marked slow."""

from functools import cache
from pathlib import Path
from typing import Final

import pytest

SLOW: Final = (
    "checkpoint/test_composition.py",
    "compositions",
    "custom_rules/test_placements.py",
    "grid/test_batching.py",
    "grid/test_compiled.py",
    "laws",
    "loops",
    "requests/test_laws.py",
    "stablehlo",
)
_PLACES: Final = [Path(__file__).parent / name for name in SLOW]


@cache
def _is_slow(path: Path) -> bool:
    return any(path == place or place in path.parents for place in _PLACES)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _is_slow(item.path):
            item.add_marker(pytest.mark.slow)
