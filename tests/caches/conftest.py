"""What was there before the tests of a file is not visited by the collections that they ask for."""

import gc

import pytest


@pytest.fixture(autouse=True, scope="module")
def _collections_of_what_a_test_makes() -> None:
    gc.collect()
    gc.freeze()
