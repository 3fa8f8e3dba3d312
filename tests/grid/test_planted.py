"""Tests of the tests: a wrong rule, planted in one cell, must make the check of that cell fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import effects as fx
from effects import Array, EffaxError, ShapedArray, perform
from effects.operations.contraction import DotGeneral
from effects.operations.elementwise import BinaryKind, Select, UnaryKind
from effects.operations.higher_order import Call
from effects.operations.movement import Broadcast, Concat
from effects.operations.reduction import ArgReduce, Reduce
from handlers import Batched, PartialEval
from handlers.evaluate import elementwise as evaluate
from handlers.higher_order.call import partial_eval_call
from handlers.jvp import elementwise as derivatives
from handlers.jvp.unary import UNARY
from handlers.partial_eval import PARTIAL_EVAL
from handlers.transpose.movement import transpose_concat
from handlers.transpose.rules import RULES as TRANSPOSE
from handlers.vmap.contraction import batch_dot_general
from handlers.vmap.rules import RULES as VMAP
from lowering import clear_caches
from lowering.stablehlo import corrected
from tests.cases import CASES, Case
from tests.grid.batching import check_jvp_of_vmap, check_nested_vmap, check_vmap, check_vmap_of_jvp
from tests.grid.checks import check_jvp, check_second_jvp, check_transposes, check_vjp
from tests.grid.compiled import check_compiled
from tests.grid.programs import check_staged, check_types

type Check = Callable[[Case], None]

BY_NAME: Final = {case.name: case for case in CASES}


class Plant(NamedTuple):
    """A wrong rule: the cell it goes to, the case that meets it, and the checks that must notice."""

    name: str
    table: dict[object, object]
    cell: object
    rule: object
    case: str
    checks: tuple[Check, ...]


def _table(rules: object) -> dict[object, object]:
    assert isinstance(rules, dict)
    return rules


def _doubled(op: Reduce[Array], ct: Array) -> tuple[Array]:
    kept = tuple([axis for axis in range(op.x.ndim) if axis not in op.axes])
    return (2 * perform(Broadcast(op.x.shape, kept, ct)),)


def _swapped(op: Concat[Array], ct: Array) -> tuple[Array | None, ...]:
    return transpose_concat(op, fx.flip(ct))


def _unmoved(op: Reduce[Batched]) -> tuple[Array, bool]:
    return perform(Reduce(op.kind, op.axes, op.x.value)), True


def _lanes_reversed(op: DotGeneral[Batched]) -> tuple[Array, bool]:
    value, _ = batch_dot_general(op)
    assert isinstance(value, Array)
    return fx.flip(value, axis=0), True


def _narrow(x: npt.NDArray[np.float64], out: object) -> npt.NDArray[np.float32]:
    return np.exp(x.astype(np.float32))


_UNARY, _BINARY = _table(UNARY), _table(derivatives.BINARY)
_EVALUATE = _table(evaluate.UFUNCS)
_SIN, _COS, _MAX = UnaryKind.SIN, UnaryKind.COS, BinaryKind.MAX
PLANTS: Final = (
    Plant("jvp-sin", _UNARY, _SIN, lambda x, y, t: t * fx.sin(x), "sin-float", (check_jvp, check_second_jvp)),
    Plant("jvp-cos_within_sin", _UNARY, _COS, lambda x, y, t: t * fx.sin(x), "sin-float", (check_second_jvp,)),
    Plant("jvp-sin_not_holomorphic", _UNARY, _SIN, lambda x, y, t: t * fx.cos(fx.conj(x)), "sin-complex", (check_jvp,)),
    Plant("jvp-max_without_tangent", _BINARY, _MAX, lambda x, y, out: None, "max-same", (check_jvp,)),
    Plant("jvp-max_of_first", _BINARY, _MAX, lambda x, y, out: x.tangent, "max-outer", (check_jvp,)),
    Plant("transpose-sum", _table(TRANSPOSE), Reduce, _doubled, "reduce_sum-first", (check_vjp, check_transposes)),
    Plant("transpose-concat", _table(TRANSPOSE), Concat, _swapped, "concat-two", (check_vjp, check_transposes)),
    Plant(
        "transpose-select",
        _table(TRANSPOSE),
        Select,
        lambda op, ct: (None, ct, ct),
        "select-same",
        (check_vjp, check_transposes),
    ),
    Plant("vmap-reduce", _table(VMAP), Reduce, _unmoved, "reduce_sum-first", (check_vmap, check_nested_vmap)),
    Plant(
        "vmap-reduce_under_jvp",
        _table(VMAP),
        Reduce,
        _unmoved,
        "reduce_max-middle",
        (check_vmap_of_jvp, check_jvp_of_vmap),
    ),
    Plant("vmap-dot_general", _table(VMAP), DotGeneral, _lanes_reversed, "dot_general-matrices", (check_vmap,)),
    Plant("lowering-sin", _table(corrected.NAMES), _SIN, "stablehlo.cosine", "sin-float", (check_compiled,)),
    Plant("evaluate-max", _EVALUATE, _MAX, np.minimum, "max-same", (check_compiled,)),
    Plant("evaluate-exp_narrow", _EVALUATE, UnaryKind.EXP, _narrow, "exp-float", (check_types, check_staged)),
)


@pytest.fixture(autouse=True)
def nothing_compiled() -> Iterator[None]:
    """What a wrong rule compiled must not outlive its test, nor may it find what was compiled before."""
    clear_caches()
    yield
    clear_caches()


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_wrong_rule_is_caught(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    case = BY_NAME[plant.case]
    for check in plant.checks:
        check(case)
    clear_caches()
    monkeypatch.setitem(plant.table, plant.cell, plant.rule)
    for check in plant.checks:
        with pytest.raises((AssertionError, EffaxError)):
            check(case)


def test_wrong_type_rule_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def narrow(self: ArgReduce[Array]) -> ShapedArray:
        return ShapedArray(self.x.aval.shape[:-1], fx.int32)

    monkeypatch.setattr(ArgReduce, "types", narrow)
    for check in (check_types, check_compiled):
        with pytest.raises((AssertionError, EffaxError)):
            check(BY_NAME["argmax-2"])


def test_wrong_partial_evaluation_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(handler: PartialEval, op: Call[Array]) -> tuple[Array, ...]:
        return tuple([fx.zeros_like(out) for out in partial_eval_call(handler, op)])

    monkeypatch.setitem(_table(PARTIAL_EVAL), Call, forgetful)
    with pytest.raises((AssertionError, EffaxError)):
        check_vjp(BY_NAME["call-two"])
