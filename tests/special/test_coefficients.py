"""The tables of coefficients are what their generator gives."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.special import table_bessel, table_gamma
from lowering.stablehlo.cpu import doubles
from tests.special.coefficients import logarithm, table


@pytest.mark.parametrize("module", [table_bessel, table_gamma])
def test_the_table_is_what_its_functions_give(module: Any) -> None:
    name = module.__name__.rpartition(".")[2]
    assert module.TABLE.strip() == table(name)


def test_the_logarithm_is_what_its_function_gives() -> None:
    assert logarithm() == doubles.LOG
