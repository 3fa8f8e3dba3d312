"""What `make check` leaves out: the folders and files whose tests compile hundreds of programs are marked slow."""

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
_HERE: Final = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow = [_HERE / name for name in SLOW]
    for item in items:
        if any(item.path == place or place in item.path.parents for place in slow):
            item.add_marker(pytest.mark.slow)
