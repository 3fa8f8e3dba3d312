"""Every operation has a rule in every column, and every kind in every table, or a reason why not; and a case."""

from __future__ import annotations

import inspect
from collections.abc import Container
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

import pytest

import handlers.higher_order.rows  # noqa: F401  # registers the rules that are looked for here
from effects import operations
from effects.errors import ArgumentError, MissingRule
from effects.operations import collectives, factoring, matrices
from effects.operations.callbacks import Callback
from effects.operations.collectives import AxisIndex
from effects.operations.creation import Band, Iota
from effects.operations.cumulative import CumulativeKind
from effects.operations.custom_rules import CustomCall
from effects.operations.elementwise import Binary, BinaryKind, Clamp, Compare, CompareKind, Unary, UnaryKind
from effects.operations.gathering import ScatterKind
from effects.operations.movement import Bitcast, Reshape
from effects.operations.philox import Philox
from effects.operations.pooling import AS_REDUCTION as AS_REDUCTION_OF_WINDOWS, ChosenKind, WindowKind
from effects.operations.reduction import ArgReduce, ArgReduceKind, Norm, ReduceKind
from effects.operations.sorting import Insertion, Nonzero, Order, Ranked, TopK
from effects.operations.special import Special, SpecialKind
from effects.program.operation import HigherOrder, Kind, Operation
from handlers.evaluate import cumulative as accumulation, elementwise as evaluation, reduction as folding
from handlers.evaluate.rules import RULES as EVALUATE
from handlers.forward import FORWARD
from handlers.jvp import cumulative as running, elementwise as derivatives
from handlers.jvp.rules import RULES as JVP
from handlers.jvp.unary import UNARY
from handlers.partial_eval import PARTIAL_EVAL
from handlers.special.rows import ROWS
from handlers.transpose.rules import RULES as TRANSPOSE
from handlers.vmap.rules import RULES as VMAP
from lowering.stablehlo.corrected import CORRECTED_BINARY, CORRECTED_UNARY, NAMES
from lowering.stablehlo.cpu.cumulative import AS_REDUCTION
from lowering.stablehlo.rules import RULES as LOWERING
from tests.cases import CASES

type Column = Container[object]

_FAMILIES: Final = [import_module(f"effects.operations.{m.name}") for m in iter_modules(operations.__path__)]
OPERATIONS: Final = [
    cls
    for family in _FAMILIES
    for _, cls in inspect.getmembers(family, inspect.isclass)
    if issubclass(cls, Operation) and "__dataclass_fields__" in vars(cls) and cls.__module__ == family.__name__
]
FIRST_ORDER: Final = [cls for cls in OPERATIONS if not issubclass(cls, HigherOrder)]
HIGHER_ORDER: Final = [cls for cls in OPERATIONS if issubclass(cls, HigherOrder)]

COLUMNS: Final[dict[str, Column]] = {
    "evaluate": EVALUATE,
    "jvp": JVP,
    "vmap": VMAP,
    "transpose": TRANSPOSE,
    "lowering": LOWERING,
}
HIGHER_ORDER_COLUMNS: Final[dict[str, Column]] = {
    "evaluate": EVALUATE,
    "forward": FORWARD,
    "partial evaluation": PARTIAL_EVAL,
    "transpose": TRANSPOSE,
    "lowering": LOWERING,
}
_NO_OPERANDS: Final = "it has no operands, so no carrier ever reaches a handler with it"
_TANGENT_FREE: Final = "its result has no tangent, so it is never part of a linear program"
ABSENT: Final[dict[tuple[str, type[Operation[object]]], str]] = {
    **{(column, cls): _NO_OPERANDS for column in ("jvp", "vmap", "transpose") for cls in (Band, Iota)},
    ("transpose", Bitcast): _TANGENT_FREE,
    ("transpose", Compare): _TANGENT_FREE,
    ("transpose", ArgReduce): _TANGENT_FREE,
    ("transpose", Norm): "it is not linear, and its derivative is written with products",
    **{("transpose", cls): _TANGENT_FREE for cls in (Insertion, Nonzero, Order)},
    **{("transpose", cls): "its derivative is written with a sort of the tangents" for cls in (Ranked, TopK)},
    ("jvp", AxisIndex): _NO_OPERANDS,
    ("transpose", AxisIndex): _NO_OPERANDS,
    **{
        ("transpose", cls): "it is not linear, and its derivative is written with products and systems of equations"
        for cls in (*vars(factoring).values(), *vars(matrices).values())
        if isinstance(cls, type)
        and issubclass(cls, Operation)
        and cls.__module__ in (factoring.__name__, matrices.__name__)
        if cls is not matrices.LeastSquares
    },
    ("transpose", Philox): _TANGENT_FREE,
    ("transpose", Special): "it is linear in none of its operands",
    ("transpose", Clamp): "it is not linear, and its derivative is written with selections",
}


def _has(column: Any, cls: type[Operation[object]]) -> bool:
    """Whether there is a rule, whose file is imported when it is asked for."""
    try:
        return cls in column or column[cls] is not None
    except MissingRule:
        return False


@pytest.mark.parametrize("column", COLUMNS)
def test_operations_have_rules(column: str) -> None:
    without = {cls for cls in FIRST_ORDER if not _has(COLUMNS[column], cls)}
    assert without == {cls for name, cls in ABSENT if name == column}


@pytest.mark.parametrize("column", HIGHER_ORDER_COLUMNS)
def test_higher_order_operations_have_rules(column: str) -> None:
    assert not [cls for cls in HIGHER_ORDER if not _has(HIGHER_ORDER_COLUMNS[column], cls)]


def test_operations_are_documented_and_have_cases() -> None:
    assert not [cls for cls in OPERATIONS if not cls.__doc__]
    outside = {cls for cls in OPERATIONS if cls in OUTSIDE_OF_GRIDS or cls.__module__ in OUTSIDE_OF_GRIDS}
    assert {*OPERATIONS} - {type(case.op) for case in CASES} == outside


OUTSIDE_OF_GRIDS: Final[dict[object, str]] = {
    collectives.__name__: "they mean something under their axis only; tests/collectives has a table of them",
    CustomCall: "it is made of a user's function and rules; tests/custom_rules has a table of them",
    Callback: "what matters is how often it is called; tests/callbacks has a table of that",
}


_EVALUATED: Final = {*evaluation.UFUNCS, *evaluation.FUNCTIONS}
_LOWERED: Final = {*NAMES, *[kind for kind, _ in (*CORRECTED_UNARY, *CORRECTED_BINARY)]}
TABLES: Final[dict[str, tuple[type[Kind], Column]]] = {
    "evaluate unary": (UnaryKind, _EVALUATED),
    "evaluate binary": (BinaryKind, _EVALUATED),
    "evaluate compare": (CompareKind, _EVALUATED),
    "evaluate reduce": (ReduceKind, folding.UFUNCS),
    "evaluate cumulative": (CumulativeKind, accumulation.UFUNCS),
    "jvp cumulative": (CumulativeKind, {CumulativeKind.SUM, *running.TANGENTS}),
    "lowering cumulative": (CumulativeKind, {CumulativeKind.LOGSUMEXP, *AS_REDUCTION}),
    "folds of windows": (WindowKind, AS_REDUCTION_OF_WINDOWS),
    "jvp unary": (UnaryKind, UNARY),
    "jvp binary": (BinaryKind, derivatives.BINARY),
    "special functions": (SpecialKind, ROWS),
    "lowering unary": (UnaryKind, _LOWERED),
    "lowering binary": (BinaryKind, _LOWERED),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_is_in_table(name: str) -> None:
    kinds, table = TABLES[name]
    missing = [kind.name for kind in kinds if kind not in table]
    assert not missing, f"{name} lacks {missing}"


KINDS = [
    UnaryKind,
    BinaryKind,
    CompareKind,
    ReduceKind,
    ArgReduceKind,
    CumulativeKind,
    ScatterKind,
    WindowKind,
    ChosenKind,
    SpecialKind,
]


@pytest.mark.parametrize("kinds", KINDS)
def test_every_kind_has_cases(kinds: type[Kind]) -> None:
    used = {getattr(case.op, "kind", None) for case in CASES}
    assert not [kind.name for kind in kinds if kind not in used]


def test_every_differentiable_kind_is_differentiated_in_a_case() -> None:
    smooth = {case.op.kind for case in CASES if case.smooth and isinstance(case.op, Unary | Binary)}
    without = {UnaryKind.BIT_COUNT, UnaryKind.NOT, UnaryKind.IS_FINITE, UnaryKind.SIGN_BIT}
    bitwise = {BinaryKind.AND, BinaryKind.OR, BinaryKind.XOR, BinaryKind.SHIFT_LEFT, BinaryKind.SHIFT_RIGHT}
    bitwise |= {BinaryKind.GCD, BinaryKind.THREEFRY}
    assert {*UnaryKind, *BinaryKind} - smooth == without | bitwise


def test_a_class_has_one_rule_in_a_table() -> None:
    first = JVP[Reshape]
    with pytest.raises(ArgumentError, match=r"Reshape has a rule under Jvp: handlers\.jvp\.rules\.linear"):
        JVP.rule(Reshape)(lambda op: op)
    assert JVP[Reshape] is first
    JVP.rule(Reshape)(first)
