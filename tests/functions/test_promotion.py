"""Which dtype arrays of two dtypes meet in: the table of the documents, for every pair, everywhere that asks."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import dtypes
from effects.errors import ArgumentError, DTypeError
from effects.types import promotion
from effects.types.dtypes import ALL, NARROW, DType, Named
from tests.errors.untyped import jit, make_jaxpr

type Kind = type[DType]

DOCUMENT = Path(__file__).parents[2] / "docs" / "coming-from-jax.md"
FLOAT8 = [d for d in ALL if d.name.startswith("float8")]
GROUPS: dict[str, list[Kind]] = {
    "int8, uint8": [fx.int8, fx.uint8],
    "int16, uint16": [fx.int16, fx.uint16],
    "int32 … uint64": [fx.int32, fx.uint32, fx.int64, fx.uint64],
    "float8…": FLOAT8,
}
PAIRS = list(itertools.product(ALL, repeat=2))


class Three(enum.IntEnum):
    NUMBER = 3


class Bits(enum.IntFlag):
    LOW = 1
    HIGH = 2


class Half(float, enum.Enum):
    NUMBER = 0.5


class Turn(complex):
    pass


@pytest.mark.parametrize("value", [Three.NUMBER, Bits.LOW | Bits.HIGH, Half.NUMBER, Turn(1j)])
def test_numbers_of_other_classes_are_python_numbers(value: Any) -> None:
    plain = complex(value) if isinstance(value, complex) else float(value) if isinstance(value, float) else int(value)
    functions: list[Callable[[Any], Any]] = [
        fx.asarray,
        lambda v: fx.ones(2, fx.int8) + v,
        lambda v: fx.add(v, fx.ones(2, fx.float32)),
        lambda v: fx.full((2,), v),
        lambda v: fx.where(True, v, v),
        jit(lambda v: v + 1),
        lambda v: jit(lambda x: x * v)(fx.ones(2, fx.int8)),
    ]
    for f in functions:
        ours, theirs = f(value), f(plain)
        assert ours.aval is theirs.aval and fx.array_equal(ours, theirs)


def group(name: str) -> list[Kind]:
    return GROUPS.get(name) or [dtypes.as_dtype(name)]


def documented() -> dict[tuple[Kind, Kind], Kind | None]:
    """The table, pair by pair."""
    table = [
        [cell.strip(" *") for cell in line.strip("|\n").split("|")]
        for line in DOCUMENT.read_text(encoding="utf-8").splitlines()
        if line.startswith(("| **", "| | bool"))
    ]
    names = table[0][1:]
    found: dict[tuple[Kind, Kind], Kind | None] = {}
    for row in table[1:]:
        for name, cell in zip(names, row[1:], strict=True):
            for a, b in itertools.product(group(row[0]), group(name)):
                narrow = a if a in FLOAT8 else b
                met = None if a in FLOAT8 and b in FLOAT8 and a is not b else narrow
                found[a, b] = met if cell == "float8…" else dtypes.as_dtype(cell)
    return found


def met(a: Kind, b: Kind) -> Kind | None:
    try:
        return promotion.promote(a, b)
    except DTypeError:
        return None


def test_the_table_of_the_documents() -> None:
    table = documented()
    assert len(table) == (5 + 5) * (1 + 8 + 5 + 5)
    assert {pair: met(*pair) for pair in table} == table
    assert {pair: met(*pair[::-1]) for pair in table} == table


@pytest.mark.parametrize("a", ALL, ids=str)
def test_pairs_without_narrow_floats_are_numpys(a: Kind) -> None:
    for b in ALL:
        assert met(a, b) is met(b, a)
        if a not in NARROW and b not in NARROW:
            assert promotion.promote(a, b) == np.promote_types(a.dtype, b.dtype)
    assert met(a, a) is a is met(a, fx.bool)


def test_three_dtypes_meet_in_one_in_every_order() -> None:
    for three in itertools.combinations(ALL, 3):
        orders = [_result_type(*order) for order in itertools.permutations(three)]
        assert len(set(orders)) == 1, three


def _result_type(*kinds: Kind) -> Kind | None:
    try:
        return fx.result_type(*kinds)
    except DTypeError:
        return None


def test_what_three_meet_in_is_associative_but_for_integers_beside_floats() -> None:
    for a, b, c in itertools.product(ALL, repeat=3):
        first, second = met(a, b), met(b, c)
        if first is None or second is None:
            continue
        integers = [d for d in (a, b, c) if 0 < d.rank < fx.float32.rank]
        if 0 < len(integers) < 3:
            continue
        assert met(first, c) is met(a, second), (a, b, c)


ASKING: dict[str, Callable[[fx.Array, fx.Array], fx.Array]] = {
    "add": fx.add,
    "operator": lambda x, y: x + y,
    "maximum": fx.maximum,
    "where": lambda x, y: fx.where(True, x, y),
    "concat": lambda x, y: fx.concat([x, y]),
    "matmul": fx.matmul,
    "einsum": lambda x, y: fx.einsum("i,i->i", x, y),
    "asarray": lambda x, y: fx.asarray([x, y]),
}


@pytest.mark.parametrize("ask", ASKING)
def test_everything_that_asks_gets_the_same_answer(ask: str) -> None:
    for a, b in PAIRS:
        if ask == "maximum" and dtypes.Complex.rank in (a.rank, b.rank):
            continue
        x, y = fx.ones(2, dtype=a), fx.ones(2, dtype=b)
        common = met(a, b)
        if common is None:
            with pytest.raises(DTypeError, match="no common dtype"):
                ASKING[ask](x, y)
        else:
            assert ASKING[ask](x, y).dtype is common, (a, b)


def test_questions_about_dtypes_agree() -> None:
    for a, b in PAIRS:
        common = met(a, b)
        assert _result_type(a, b) is common and fx.can_cast(a, b) is (common is b)
        if common is not None:
            x, y = fx.ones((), dtype=a), fx.ones((), dtype=b)
            assert fx.result_type(x, b) is fx.result_type(x, y) is fx.result_type(a, np.ones(2, b.dtype)) is common


@pytest.mark.parametrize("narrow", sorted(NARROW, key=str), ids=str)
def test_a_step_of_training_keeps_its_dtype(narrow: Kind) -> None:
    for kind in (d for d in ALL if d.rank < fx.float32.rank):
        x, step = fx.full(3, 0.5, dtype=narrow), fx.asarray(1, dtype=kind)
        eager = x * step + step
        compiled = jit(lambda x, step: x * step + step)(x, step)
        assert eager.dtype is compiled.dtype is narrow
        assert eager.tolist() == compiled.tolist() == [1.5] * 3
        assert make_jaxpr(lambda x, step: x * step)(x, step).out_avals[0].dtype is narrow


@pytest.mark.parametrize("named", ["float32", np.float32, np.dtype("float32"), fx.float32])
def test_the_default_is_given_as_every_dtype_is(named: Any) -> None:
    with fx.default_float(named):
        assert fx.zeros(1).dtype is (0.5 * fx.asarray([1])).dtype is fx.float32
    for refused in ("int32", np.complex64, fx.bool):
        with pytest.raises(ArgumentError, match="default_float takes a real floating dtype such as float32, got"):
            fx.default_float(refused)
    with pytest.raises(DTypeError, match="'flaot32' is not a dtype"):
        fx.default_float("flaot32")  # type: ignore[arg-type]  # no dtype


@pytest.mark.parametrize(
    "name", ["bool", "int8", "int64", "uint16", "float16", "float32", "float64", "complex64", "complex128"]
)
@pytest.mark.parametrize("beside", ["int8", "bfloat16", "float32", "complex64"])
def test_scalars_of_numpy_keep_their_dtype(name: Named, beside: Named) -> None:
    x = fx.ones(2, dtype=beside)
    number: Any = np.dtype(name).type(1)
    expected = fx.result_type(beside, name)
    assert (x * number).dtype is (number * x).dtype is expected
    assert jit(lambda x, n: x * n)(x, number).dtype is expected and jit(lambda x: x * number)(x).dtype is expected
    with fx.default_float(fx.float32):
        assert fx.asarray(number).dtype.dtype == name
