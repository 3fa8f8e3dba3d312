"""What a case becomes under each transformation: a function of plain arguments, and arguments for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from effects import Array
from effects.operations.special import Special
from handlers import jvp, vjp, vmap
from tests.cases import Case
from tests.grid.operands import directions, lanes


class Applied(NamedTuple):
    """A function and its arguments."""

    function: Callable[..., tuple[Array, ...]]
    args: Sequence[Array]

    def __call__(self) -> tuple[Array, ...]:
        return self.function(*self.args)


type Variant = Callable[[Case], Applied]


def plain(case: Case) -> Applied:
    """operands ↦ results"""
    return Applied(case.all_on, case.operands)


def batched(case: Case) -> Applied:
    """lanes of all operands ↦ lanes of results"""
    return Applied(vmap(case.all_on), [lanes(x) for x in case.operands])


def _of_smooth(case: Case, operands: Sequence[Array]) -> Callable[..., tuple[Array, ...]]:
    def f(*chosen: Array) -> tuple[Array, ...]:
        full = list(operands)
        for position, value in zip(case.smooth, chosen, strict=True):
            full[position] = value
        return case.all_on(*full)

    return f


def pushed(case: Case) -> Applied:
    """operands, tangents of the differentiable ones ↦ results, their tangents"""
    count = len(case.operands)

    def push(*args: Array) -> tuple[Array, ...]:
        operands = args[:count]
        values, slopes = jvp(_of_smooth(case, operands), tuple([operands[i] for i in case.smooth]), args[count:])
        return (*values, *slopes)

    return Applied(push, [*case.operands, *directions(case)])


def pulled(case: Case) -> Applied:
    """operands, cotangents of the results ↦ cotangents of the differentiable operands"""
    count = len(case.operands)
    cotangents = [lanes(y, 1)[0] for y in case.all_on(*case.operands)]

    def pull(*args: Array) -> tuple[Array, ...]:
        operands = args[:count]
        return vjp(_of_smooth(case, operands), *[operands[i] for i in case.smooth])[1](args[count:])

    return Applied(pull, [*case.operands, *cotangents])


def one_special_an_arity(cases: Sequence[Case]) -> list[Case]:
    """Without the special functions but the first of each number of operands.

    Each is a program of loops, which takes long; the rules under test are the same for all kinds.
    """
    first = {len(case.operands): case for case in reversed(cases) if isinstance(case.op, Special)}
    return [case for case in cases if not isinstance(case.op, Special) or case in first.values()]
