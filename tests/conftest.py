"""What `make check` leaves out: what takes seconds, or compiles hundreds of programs, is marked slow."""

from functools import cache
from pathlib import Path
from typing import Final

import pytest

SLOW: Final = (
    "arguments/test_nonsense.py",
    "callbacks/test_laws.py",
    "checkpoint/test_composition.py",
    "checkpoint/test_derivatives.py",
    "compositions",
    "custom_rules/test_placements.py",
    "errors/test_interrupts.py",
    "errors/test_large_programs.py",
    "functions/test_agreement.py",
    "functions/test_derivatives_at_ends.py",
    "grid/test_batching.py",
    "grid/test_compiled.py",
    "grid/test_derivatives.py",
    "grid/test_precisions.py",
    "jet",
    "laws",
    "linalg/test_derivatives.py",
    "linalg/test_implicit.py",
    "loops",
    "narrow",
    "random/test_by_rejection.py",
    "requests/test_laws.py",
    "sharding",
    "special/test_values.py",
    "stablehlo",
    "stats",
)
_PLACES: Final = [Path(__file__).parent / name for name in SLOW]


@cache
def _is_slow(path: Path) -> bool:
    return any(path == place or place in path.parents for place in _PLACES)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _is_slow(item.path):
            item.add_marker(pytest.mark.slow)
