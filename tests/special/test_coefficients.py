"""The tables of coefficients are what their generator gives."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.special import owens, table_bessel, table_gamma, table_integrals
from lowering.stablehlo.cpu import doubles
from tests.special.coefficients import gauss_legendre, logarithm, table


@pytest.mark.parametrize("module", [table_bessel, table_gamma, table_integrals])
def test_the_table_is_what_its_functions_give(module: Any) -> None:
    name = module.__name__.rpartition(".")[2]
    assert module.TABLE.strip() == table(name)


def test_the_rule_is_that_of_gauss_and_legendre() -> None:
    assert gauss_legendre(24) == (owens.POINTS, owens.WEIGHTS)


def test_the_logarithm_is_what_its_function_gives() -> None:
    assert logarithm() == doubles.LOG
