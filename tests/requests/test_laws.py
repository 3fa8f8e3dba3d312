"""Every effect through every transformation, handled outside and inside, eagerly and compiled, against plain Python."""

from __future__ import annotations

from typing import Any, Final

import pytest

import effects as fx
from effects.errors import ArgumentError, MissingRule
from effects.program.chain import ROOT, current
from handlers import associative_scan, make_jaxpr
from lowering import jit
from tests.requests import reference as ref
from tests.requests.programs import INSIDE, OUTSIDE
from tests.requests.table import EFFECTS, STAGED, expected, expected_outside, shown

LANES: Final = (
    *("vmap", "vmap vmap", "cond batched", "while batched", "custom_vjp vmap", "vmap grad scan"),
    *("grad vmap", "scan vmap jit"),
)
REFUSED: Final[dict[tuple[str, str], str]] = {
    **{("Output", name): "is emitted twice" for name in ("twice",)},
    **{("Output", name): "is sent in a while_loop" for name in ("while", "while batched", "while jvp")},
    **{("Choice", name): "a choice in a while_loop" for name in ("while", "while jvp")},
    **{("Choice", name): "too many paths" for name in LANES},
    ("Choice", "custom_vjp scan"): "has rules of its own and chooses",
    ("State", "custom_vjp scan"): "the state of .*, a handler around it, .*, is being differentiated",
}
"""Cells that a law refuses, and the words of the error."""
REFUSED_STAGED: Final = {
    ("Choice", name): "has rules of its own and chooses"
    for name in ("custom_vjp", "custom_vjp grad", "custom_jvp grad")
}
"""Those that are refused in programs that are staged, where eager code has an answer."""


def _agrees(run: Any, wanted: Any, refused: str) -> None:
    if refused:
        with pytest.raises((MissingRule, ArgumentError), match=refused):
            run()
    else:
        given = run()
        assert ref.same(given, wanted), f"{given} for {wanted}"
    assert current() is ROOT


COLUMNS: Final = ("eager", "handle of jit", "jit of handle")
CELLS: Final = [
    (name, column)
    for name in EFFECTS
    for column in COLUMNS
    if column != "jit of handle" or name in ("Random", "State", "Output", "Raise")  # which the others are made as
]


@pytest.mark.parametrize("title", INSIDE)
@pytest.mark.parametrize(("name", "column"), CELLS)
def test_transformations_inside(name: str, title: str, column: str) -> None:
    effect, program = EFFECTS[name], INSIDE[title]
    x = fx.asarray(0.7)

    def inner(c: Any, x: Any) -> Any:
        return program(STAGED, lambda x: effect.base(c, x), x)

    def compiled(c: Any, x: Any) -> Any:
        return jit(lambda x: inner(c, x))(x)

    runs: dict[str, Any] = {
        "eager": lambda: effect.handle(inner)(x),
        "jit of handle": lambda: jit(effect.handle(inner))(x),
        "handle of jit": lambda: effect.handle(compiled)(x),
    }
    refused = REFUSED.get((name, title)) or ("" if column == "eager" else REFUSED_STAGED.get((name, title), ""))
    wanted = None if refused else expected(effect, program, 0.7)
    _agrees(lambda: shown(effect, runs[column]()), wanted, refused)


@pytest.mark.parametrize("title", OUTSIDE)
@pytest.mark.parametrize("name", [name for name in EFFECTS if name != "Raise early"])  # whose values mean nothing
def test_transformations_outside(name: str, title: str) -> None:
    effect, program = EFFECTS[name], OUTSIDE[title]
    x = fx.asarray(0.7)

    def outer(x: Any) -> Any:
        return program(STAGED, effect.handle(effect.base), x)

    wanted = expected_outside(effect, program, 0.7)
    assert not make_jaxpr(outer)(x).performs
    _agrees(lambda: outer(x), wanted, "")
    _agrees(lambda: jit(outer)(x), wanted, "")


@pytest.mark.parametrize("name", ["Random", "State", "Ask", "Cost"])
def test_an_associative_scan_performs_in_the_order_of_its_algorithm(name: str) -> None:
    effect, xs = EFFECTS[name], fx.asarray([0.1, 0.2, 0.3, 0.4])

    def scanned(c: Any, xs: Any) -> Any:
        return associative_scan(lambda a, b: a + b * effect.base(c, fx.asarray(0.5)), xs)

    value, rest = effect.handle(scanned)(xs)
    for run in (effect.handle(lambda c, xs: jit(lambda xs: scanned(c, xs))(xs)), jit(effect.handle(scanned))):
        assert ref.same(run(xs), (value, rest))
    if name == "Cost":
        assert float(rest) == 3 * 0.5  # one for each call of the function, on arrays
