"""Automatic checks: a handler that tests the results of every operation, and raises by a capability of `Raise`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Final, NamedTuple, final

import effects as fx
from effects.arguments import check_callable, flag
from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.operations.checkpoint import Name
from effects.operations.elementwise import Select
from effects.operations.gathering import Bounds, Gather, Scatter
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice
from effects.operations.loops import Scan, While
from effects.program.chain import Performed, perform
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.program.operation import HigherOrder, Operation
from effects.requests.standard import Raise
from effects.runtime.cpython.source import Location, Source, current_location, user_location
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.effect_handlers.catching import Outcome, catching
from handlers.stage import stage
from handlers.stateful.link import STAGED
from handlers.stateful.operations import OperationHandler, kept


class Violation(NamedTuple):
    """A failed check: the problem, the operation, and the line that performed it.

    `steps` are the step numbers of the loops around it, the outermost first. `differentiated` is the operation on that
    line whose derivative rule performed it, or "" if the program itself did; `backward` is True in the backward pass.
    """

    what: str
    operation: str
    line: str
    differentiated: str = ""
    backward: bool = False
    steps: tuple[Array, ...] = ()

    def __str__(self) -> str:
        verb = "is" if self.what == "out of bounds" else "gives"
        step = f", in step {', '.join([f'{i}' for i in self.steps])}" if self.steps else ""
        back = " on the way back" if self.backward else ""
        rule = f", in the derivative of {self.differentiated}{back}" if self.differentiated else ""
        return f"{self.operation} {verb} {self.what}{step}{rule}" + (f"\n  at {self.line}" if self.line else "")


@final
class Checks(OperationHandler):
    """Tests every result for NaN and infinities, every index and dynamic slice for its bounds."""

    handles = (Operation, Scan, While)  # loops as one operation, to count their steps

    raises: Raise[Violation]
    nan: bool
    inf: bool
    bounds: bool
    steps: tuple[Array, ...] = kept(default=())

    def interpret(self, op: Operation[Array], /) -> Performed:
        if isinstance(op, Scan | While):
            return self._counted(op)
        if isinstance(op, Name) and op.label == STEP:
            number: Array = op.x
            self.steps = (*self.steps[:-1], number)
            return number
        location = current_location.get() or user_location(3)
        if self.bounds and isinstance(op, DynamicSlice | DynamicUpdateSlice):
            sizes = op.sizes if isinstance(op, DynamicSlice) else op.update.shape
            for start, size, dim in zip(op.starts, sizes, op.x.shape, strict=True):
                inside = fx.logical_and(start >= 0, start <= dim - size)
                self.raises.check(inside, self._violation("out of bounds", op, location))
        if self.bounds and isinstance(op, Gather | Scatter) and op.bounds is Bounds.CHECKED:
            for axis, index in zip(op.axes, op.indices, strict=True):
                dim = op.x.shape[axis]
                inside = fx.logical_and(index >= -dim, index < dim)
                self.raises.check(inside, self._violation("out of bounds", op, location))
        performed = perform(op)
        results = of_floats(performed if isinstance(performed, tuple) else (performed,))
        for problem, test in tests_of(op, op.operands, self.nan, self.inf).items():
            if results:
                self.raises.check(fx.logical_not(test(results)), self._violation(problem, op, location))
        return performed

    def _counted(self, op: Scan[Array] | While[Array]) -> tuple[Array, ...]:
        before = self.state
        self.state = {"steps": (*self.steps, scalar(0, dtypes.int64))}
        results = STAGED[type(op)](self.link, counted(op))
        self.state = before
        return results[1:]

    def _violation(self, problem: str, op: Operation[Array], location: Location | None) -> Violation:
        return violation(problem, op, location, self.steps)


def tests_of(
    op: Operation[Array], operands: Sequence[Array], nan: bool, inf: bool
) -> Mapping[str, Callable[[Sequence[Array]], Array]]:
    """The tests of the results of an operation, by the name of the problem.

    Selections are not tested, as they compute no new values; nor are infinities if an operand has some, as a mask of -∞
    does. A program, which may make others, is tested for all.
    """
    if isinstance(op, Select):
        return {}

    def made_infinity(results: Sequence[Array]) -> Array:
        infinite = any_of(fx.isinf, results)
        return infinite if isinstance(op, HigherOrder) else infinite & ~any_of(fx.isinf, operands)

    of_nan = {"nan": partial(any_of, fx.isnan)} if nan else {}
    return {**of_nan, "inf": made_infinity} if inf else of_nan


def any_of(test: Callable[[Array], Array], xs: Sequence[Array]) -> Array:
    """Return True if the test holds for an element of arrays of floating point."""
    answers = [fx.any(test(x)) for x in of_floats(xs)]
    return reduce(fx.logical_or, answers) if answers else scalar(False, dtypes.bool_)


def of_floats(xs: Sequence[Array]) -> list[Array]:
    """The arrays that may have a NaN."""
    return [x for x in xs if dtypes.is_inexact(x.aval.dtype)]


def violation(
    problem: str, op: Operation[Array], location: Location | None, steps: tuple[Array, ...] = ()
) -> Violation:
    """The violation of an operation, which may belong to the derivative of the one at its place."""
    if location is None:
        return Violation(problem, op.name, "", steps=steps)
    source = Source(*location)
    of_rule = source.backward or op.name != source.differentiated
    return Violation(problem, op.name, str(source), source.differentiated if of_rule else "", source.backward, steps)


def checking[**P, R](
    f: Callable[P, R], *, nan: bool = True, inf: bool = False, bounds: bool = True
) -> Callable[P, Outcome[R, Violation]]:
    """`f` with checks of everything it does: results for NaN, indices and dynamic slices for their bounds.

    With `inf`, infinities that no operand has are violations, too. A value that a `where` selects is not a violation;
    results computed from it may be. An explicit choice for positions out of bounds is right: `mode="clip"`, and a
    dynamic slice in lanes, which is clipped.

    Its result is a tree, whose `result()` is a Result: the first violation has the operation, the line, and the steps
    of the loops around it. With `checking` around a vmap, a conditional with a batched predicate has both branches
    checked, since both are computed; `vmap(checking(f))` checks what each lane does. Inside a derivative the checks see
    the operations of the program, around it those of the derivative, and the violation says which it was.

    >>> import effects as fx
    >>> from lowering import jit
    >>> jit(checking(lambda x: fx.log(x)))(fx.asarray(-1.0)).result().failure().operation
    'log'
    """
    check_callable("checking", f)
    nan, inf = flag("checking", "nan", nan), flag("checking", "inf", inf)
    bounds = flag("checking", "bounds", bounds)

    def checked(raises: Raise[Violation], /, *args: P.args, **kwargs: P.kwargs) -> R:
        with Checks(raises, nan, inf, bounds):
            return f(*args, **kwargs)

    result: Callable[P, Outcome[R, Violation]] = catching(checked)
    return result


STEP: Final = "the step of a loop"
"""The label of the operation by which a step of a counted loop names its number."""
_NUMBER: Final = ShapedArray((), dtypes.int64)


def counted(op: Scan[Array] | While[Array]) -> Scan[Array] | While[Array]:
    """The loop with the number of the step as its first carry and first result.

    For a `scan` it is the position along the axis, also if the scan is reversed.
    """
    if isinstance(op, Scan):
        first, change = (op.length - 1, -1) if op.reverse else (0, 1)
        init = scalar(first, dtypes.int64), *op.init
        body = _with_number(op.body, len(op.consts), change)
        return op.of(body, op.consts, init, op.xs)
    init = scalar(0, dtypes.int64), *op.init
    condition = _with_number(op.condition, len(op.condition_consts), None)
    body = _with_number(op.body, len(op.body_consts), 1)
    return While(condition, body, op.condition_consts, op.body_consts, init)


def _with_number(program: Jaxpr, consts: int, change: int | None) -> Jaxpr:
    """The step of a loop with its number in front of the carry; or the condition, which does not read it."""

    def run(*flat: Array) -> Sequence[Array]:
        following = [] if change is None else [perform(Name(STEP, flat[consts])) + change]
        return [*following, *eval_jaxpr(program, (*flat[:consts], *flat[consts + 1 :]))]

    avals = (*program.in_avals[:consts], _NUMBER, *program.in_avals[consts:])
    return program.cached(("with number", consts, change), lambda: stage(run, avals, "a counted step")[0])
