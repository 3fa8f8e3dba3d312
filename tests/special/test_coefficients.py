"""The tables of coefficients are what their generator gives."""

from __future__ import annotations

from pathlib import Path

import mpmath as mp
import pytest

from effects.special import complex_gamma
from handlers import special
from handlers.special import owens
from lowering.stablehlo.cpu import doubles
from tests.special.coefficients import TABLES, gauss_legendre, logarithm, table


@pytest.mark.parametrize("name", TABLES)
def test_the_table_is_what_its_functions_give(name: str) -> None:
    assert Path(special.__file__).with_name(f"{name}.txt").read_text() == f"{table(name)}\n"


def test_the_rule_is_that_of_gauss_and_legendre() -> None:
    assert gauss_legendre(24) == (owens.POINTS, owens.WEIGHTS)


def test_the_logarithm_is_what_its_function_gives() -> None:
    assert logarithm() == doubles.LOG


def test_the_series_of_complex_gamma_functions_are_those_of_dlmf() -> None:
    with mp.workdps(60):  # DLMF 5.11.1 and 5.7.3
        far = [mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(len(complex_gamma.STIRLING), 0, -1)]
        orders = range(len(complex_gamma.ABOUT_TWO) - 1, 1, -1)
        about_two = [(-1) ** k * (mp.zeta(k) - 1) / k for k in orders] + [1 - mp.euler, mp.mpf(0)]
    assert complex_gamma.STIRLING == pytest.approx(list(map(float, far)), rel=2e-16, abs=0)
    assert complex_gamma.ABOUT_TWO == pytest.approx(list(map(float, about_two)), rel=2e-16, abs=0)
