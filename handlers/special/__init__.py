"""Special functions as programs in double precision, which compiling writes down and evaluation runs where it must.

Each is right to a few units in the last place where scipy's is, for what its file says. Nothing here is loaded before a
special function is computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, Final

import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import convert, scalar
from effects.functions.creation import creation
from effects.functions.elementwise import unary
from effects.functions.elementwise.logic import where
from effects.operations.elementwise import Convert
from effects.operations.special import Special, SpecialKind
from effects.program.chain import ROOT, installed, perform
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.runtime.caches import RECENT, Cache
from effects.runtime.cpython.extent import setting
from effects.special.calling import SHORT, SINGLE, rounded, tolerance
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.special.rows import ROWS, Row
from handlers.stage import stage

type Program = tuple[Jaxpr, list[Array]]
_programs: Final[Cache[Hashable, Program]] = Cache(RECENT)


def programmed(op: Special[Any], shapes: Sequence[tuple[int, ...]], numbers: tuple[float | None, ...] = ()) -> Program:
    """Program of an operation, by other operations, and the tables of numbers that are its first operands.

    Derivatives are taken along a function's program once for all elements of operands of these shapes. Operands that
    are known `numbers` are part of the program, which leaves out what they do not need.
    """
    avals = tuple([ShapedArray(shape, x.aval.dtype) for shape, x in zip(shapes, op.xs, strict=True)])
    key = (op.kind, op.orders, avals, op.left_out, numbers or (None,) * len(avals))
    program = _programs.find(key)
    if program is None:
        with installed(ROOT):
            program = _programs.keep(key, _staged(*key))
    return program


def by_program(op: Special[Array]) -> Array:
    """The value of an operation on known arrays, by its program."""
    program, tables = programmed(op, [x.aval.shape for x in op.xs])
    with installed(ROOT):
        return eval_jaxpr(program, [*tables, *op.xs])[0]


def of_numbers(op: Special[Array]) -> Array | None:
    """The value of a function of numbers, rounded once, or None for one whose program is a loop.

    It is not evaluated: SciPy takes longer to load than most programs to compile.
    """
    if ROWS[op.kind].repeats:
        return None
    with installed(ROOT):
        value = by_program(Special(op.kind, tuple([convert(x, dtypes.float64) for x in op.xs])))
        aval = op.types()
        weak: Array = perform(Convert(aval.dtype, aval.weak_type, rounded(value, aval.dtype)))
        return weak


def _staged(
    kind: SpecialKind,
    orders: tuple[int, ...],
    avals: tuple[ShapedArray, ...],
    share: float,
    numbers: tuple[float | None, ...],
) -> Program:
    row, dtype = ROWS[kind], avals[0].dtype
    f = _differentiated(row, orders) if any(orders) else row.program
    single = row.single and dtype is not dtypes.float64 and not any(orders)
    if single:
        most = SINGLE
    elif sum(orders) > (row.slope is not None) or (dtype is dtypes.float64 and not share):
        most = 0.0
    else:
        most = min(row.tolerance, share or SHORT)

    def program(*xs: Array) -> list[Array]:
        wide, unknown = dtypes.float32 if single else dtypes.float64, iter(xs)
        operands = [convert(next(unknown), wide) if number is None else scalar(number, wide) for number in numbers]
        return [rounded(f(*operands), dtype)]

    with setting(tolerance, most):
        unknown = [aval for aval, number in zip(avals, numbers, strict=True) if number is None]
        return stage(program, unknown, kind.value)


def _differentiated(row: Row, orders: tuple[int, ...]) -> Callable[..., Array]:
    if row.slope is not None:
        (order,) = orders
        return partial(_on_both_sides, _derivative(row.slope, 0, order - 1), order % 2 == row.even)
    f = row.along or row.program
    for i, order in enumerate(orders):
        f = _derivative(f, i, order)
    return f


def _on_both_sides(f: Callable[..., Array], odd: bool, x: Array) -> Array:
    value = f(unary.abs(x))
    return where(x == 0.0, x, unary.sign(x) * value) if odd else value


def _derivative(f: Callable[..., Array], i: int, order: int) -> Callable[..., Array]:
    """The partial derivative of f in its argument i, along the program on series: nested `jvp`s would triple it.

    NaN where f is, which is often a constant there.
    """
    if not order:
        return f
    along = handlers.jet

    def derivative(*xs: Array) -> Array:
        def of_one(x: Array) -> Array:
            return f(*xs[:i], x, *xs[i + 1 :])

        one, zero = creation.ones_like(xs[i]), creation.zeros_like(xs[i])
        value, derivatives = along(of_one, (xs[i],), ([one, *[zero] * (order - 1)],))
        return where(unary.isnan(value), math.nan, derivatives[-1])

    return derivative
