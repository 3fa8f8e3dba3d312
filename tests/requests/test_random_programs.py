"""Effects in random programs, handled eagerly, around what is compiled and inside of it, against plain Python."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

import effects as fx
from effects.errors import ArgumentError, MissingRule
from effects.program.chain import ROOT, current
from lowering import jit
from tests.requests import reference as ref
from tests.requests.random_programs import a_program
from tests.requests.table import EFFECTS, STAGED, expected, shown

NAMES: Final = ("State", "Cost", "Random", "Raise", "Output", "Raise early")
REFUSED: Final = (
    r"is (sent|emitted) twice|is sent in a while_loop|in one branch and|no reverse-mode derivative|"
    "has a reverse rule only|is being differentiated"
)
"""What laws refuse, of Output, of while_loop and of rules."""
OF_EACH: Final = 4


@pytest.mark.parametrize("seed", range(20))
def test_random_programs(seed: int) -> None:
    for number in range(seed * OF_EACH, (seed + 1) * OF_EACH):
        effect, program, x = EFFECTS[NAMES[number % len(NAMES)]], a_program(number, 2), fx.asarray(0.7)

        def inner(c: Any, x: Any, program: Any = program, effect: Any = effect) -> Any:
            return program(STAGED, lambda x: effect.base(c, x), x)

        runs: list[Any] = [
            lambda x, effect=effect, inner=inner: effect.handle(inner)(x),
            lambda x, effect=effect, inner=inner: jit(effect.handle(inner))(x),
            lambda x, effect=effect, inner=inner: effect.handle(lambda c, x: jit(lambda x: inner(c, x))(x))(x),
        ]
        try:
            wanted = expected(effect, program, 0.7)
            given = shown(effect, runs[0 if number % 4 else 1 + number % 2](x))
        except (MissingRule, ArgumentError) as error:
            assert re.search(REFUSED, error.message), error
        else:
            assert ref.same(given, wanted), f"{number}: {given} for {wanted}"
        assert current() is ROOT
