"""Programs that are not on disk."""

from collections.abc import Iterator

import pytest

from lowering import clear_caches, keep_on_disk
from tests.conftest import KEPT


@pytest.fixture
def compiled_here() -> Iterator[None]:
    """Programs are compiled in each test: what lies on disk has the lines that it was compiled with."""
    clear_caches()
    keep_on_disk(False)
    yield
    if KEPT != "off":
        keep_on_disk(KEPT, max_bytes=2**32, min_seconds=0)
