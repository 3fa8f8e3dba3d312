"""A plug-in of pytest that runs SciPy's own tests of array backends with arrays that can be assigned to.

SciPy's fixture `xp` is the namespace under test; tests say which backends they leave out by the names of these.
"""

from __future__ import annotations

import sys
from collections.abc import Generator

import pytest

from handlers import writing
from handlers.assignment.namespace import NAMESPACE


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "xp" in metafunc.fixturenames:
        metafunc.definition.add_marker(
            pytest.mark.parametrize("xp", [pytest.param(NAMESPACE, id="effax")], indirect=True)
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    known: set[str] = sys.modules["scipy.conftest"].xp_known_backends
    known.add(NAMESPACE.__name__)
    ours = [item for item in items if "xp" in getattr(item, "fixturenames", ())]
    items[:] = ours


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    with writing():
        return (yield)
