"""A folder of programs for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lowering import clear_caches, keep_on_disk
from tests.conftest import KEPT


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder of its own, in which every program is kept."""
    path = tmp_path / "programs"
    keep_on_disk(path, min_seconds=0)
    clear_caches()
    yield path
    clear_caches()
    keep_on_disk(False if KEPT == "off" else KEPT, max_bytes=2**32, min_seconds=0)
