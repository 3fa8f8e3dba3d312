"""What is imported when: random numbers are not until a program asks for them, and they need no compiler."""

from __future__ import annotations

import sys
from importlib import import_module

import effects as fx
from effects.linalg import solve
from tests.boundaries.sources import NAMESPACES
from tests.processes import printed

_PROGRAM = """
import sys
import effects as fx
fx.sin(fx.zeros(3))
assert not {f"effects.{name}" for name in ("fft", "linalg", "nn", "random", "special", "stats")} & sys.modules.keys()
key = fx.random.key(0)
assert fx.random.normal(key, (3,)).shape == (3,)
print([name for name in sys.modules if name.startswith("lowering")])
"""


def test_random_numbers_are_imported_when_they_are_asked_for() -> None:
    assert printed(_PROGRAM) == "[]\n"


def test_namespaces_are_modules() -> None:
    for name in NAMESPACES:
        assert import_module(f"effects.{name}") is getattr(fx, name) is sys.modules[f"effects.{name}"]
    assert solve is fx.linalg.solve
