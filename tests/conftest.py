"""What `make check` leaves out, and what is compiled without XLA's last optimisations.

What takes seconds, or compiles hundreds of programs, is marked slow.
"""

from functools import cache
from pathlib import Path
from typing import Final

import pytest

from lowering.pjrt import executable
from lowering.pjrt.mesh import Place
from lowering.pjrt.options import Options, compile_options

SLOW: Final = (
    "arguments/test_nonsense.py",
    "callbacks/test_laws.py",
    "checkpoint/test_composition.py",
    "checkpoint/test_derivatives.py",
    "compositions",
    "custom_rules/test_placements.py",
    "distributed/test_processes.py",
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
ORDERS: Final = (
    "arguments",
    "caches",
    "callbacks",
    "checkpoint",
    "collectives",
    "compositions",
    "custom_rules",
    "errors",
    "jet",
    "laws",
    "loops",
    "own_handlers",
    "requests",
)
"""What compiles orders of transformations: what these programs mean is tested, how they are run is not."""


@cache
def _is_among(path: Path, names: tuple[str, ...]) -> bool:
    places = [Path(__file__).parent / name for name in names]
    return any(path == place or place in path.parents for place in places)


def _least_optimised(place: Place, asked: Options = (), n_outputs: int = 0) -> object:
    return compile_options(place, (("xla_backend_optimization_level", 0), *asked), n_outputs)


@pytest.fixture
def quickly_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs whose machine code is optimised least; that takes a third less time."""
    monkeypatch.setattr(executable, "compile_options", _least_optimised)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _is_among(item.path, SLOW):
            item.add_marker(pytest.mark.slow)
        if _is_among(item.path, ORDERS):
            item.add_marker(pytest.mark.usefixtures("quickly_compiled"))
