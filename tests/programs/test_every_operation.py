"""Every operation can be in a file, and gives there to the bit what it gives compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, Final

import pytest

import effects as fx
from effects.operations import Constrain, Place, ShardMap
from lowering import Program, export, jit
from tests.cases import CASES, Case
from tests.grid.families import family
from tests.grid.variants import plain
from tests.programs.cases import bits

FAMILIES: Final = {name: list(cases) for name, cases in groupby(sorted(CASES, key=family), family)}

OF_DEVICES: Final = (Place, Constrain, ShardMap)


def exported(case: Case) -> Program:
    f, args = plain(case)
    return export(lambda *xs: tuple(f(*xs)), *args)


@pytest.mark.parametrize("name", FAMILIES)
def test_an_operation_can_be_in_a_file(name: str) -> None:
    for case in FAMILIES[name]:
        if isinstance(case.op, OF_DEVICES):
            with pytest.raises(fx.DeviceError, match="puts a value on cpu:0"):
                exported(case)
        else:
            assert exported(case).results


def compiled(cases: Sequence[Case], apply: Callable[[Case], Callable[..., Any]]) -> Any:
    """The results of several cases, of one compiled program."""
    applied = [(apply(case), case.operands) for case in cases]

    def program(*xs: Any) -> Any:
        following = iter(xs)
        return [f(*[next(following) for _ in operands]) for f, operands in applied]

    return jit(program)(*[x for _, operands in applied for x in operands])


@pytest.mark.interpreted  # what programs in files say is tested here, not what XLA makes of it
@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in {cls.__name__ for cls in OF_DEVICES}])
def test_it_gives_there_what_it_gives_compiled(name: str) -> None:
    kinds = {getattr(case.op, "kind", case): case for case in reversed(FAMILIES[name])}
    cases = [*kinds.values()][:12]
    assert bits(compiled(cases, exported)) == bits(compiled(cases, lambda case: plain(case).function))
