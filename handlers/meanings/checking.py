"""Automatic checks: a handler that looks at every operation and raises through the capability that it was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, final

from effects.arguments import check_callable, flag
from effects.arrays.array import Array
from effects.functions import elementwise, logic, reduction
from effects.operations.gathering import Bounds, Gather, Scatter
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice
from effects.program.chain import Performed, perform
from effects.program.operation import Operation
from effects.requests.raising import Raise
from effects.runtime.source import Source, located, user_place
from effects.types import dtypes
from handlers.meanings.catching import Outcome, catching
from handlers.stateful.operations import OperationHandler


class Violation(NamedTuple):
    """What went wrong, the operation, and the line that performed it."""

    what: str
    operation: str
    line: str


@final
class Checks(OperationHandler):
    """Every result is looked at for NaN, every index and dynamic slice for its bounds."""

    raises: Raise[Violation]
    nan: bool
    bounds: bool

    def interpret(self, op: Operation[Array], /) -> Performed:
        place = located.get() or user_place(3)
        line = "" if place is None else str(Source(*place))
        if self.bounds and isinstance(op, DynamicSlice | DynamicUpdateSlice):
            sizes = op.sizes if isinstance(op, DynamicSlice) else op.update.shape
            for start, size, dim in zip(op.starts, sizes, op.x.shape, strict=True):
                inside = logic.logical_and(start >= 0, start <= dim - size)
                self.raises.check(inside, Violation("out of bounds", op.name, line))
        if self.bounds and isinstance(op, Gather | Scatter) and op.bounds is Bounds.CHECKED:
            for axis, index in zip(op.axes, op.indices, strict=True):
                dim = op.x.shape[axis]
                inside = logic.logical_and(index >= -dim, index < dim)
                self.raises.check(inside, Violation("out of bounds", op.name, line))
        results = perform(op)
        if self.nan:
            for x in results if isinstance(results, tuple) else (results,):
                if dtypes.is_inexact(x.aval.dtype):
                    clean = logic.logical_not(reduction.any(elementwise.isnan(x)))
                    self.raises.check(clean, Violation("nan", op.name, line))
        return results


def checking[**P, R](f: Callable[P, R], *, nan: bool = True, bounds: bool = True) -> Callable[P, Outcome[R, Violation]]:
    """`f` with checks of everything it does: results for NaN, indices and dynamic slices for their bounds.

    What says itself what is out of bounds is right: `mode="clip"`, and a dynamic slice in lanes, which is clipped.

    What it gives is a tree, whose `result()` is a Result: the first violation has the operation and the line. Around a
    vmap both branches of a conditional that lanes decide for themselves are looked at, since both are computed:
    `vmap(checking(f))` looks at what each lane does. Inside a derivative the checks see what the program does, around
    it what the derivative does.

    >>> import effects as fx
    >>> from lowering import jit
    >>> jit(checking(lambda x: fx.log(x)))(fx.asarray(-1.0)).result().failure().operation
    'log'
    """
    check_callable("checking", f)
    nan, bounds = flag("checking", "nan", nan), flag("checking", "bounds", bounds)

    def checked(raises: Raise[Violation], /, *args: P.args, **kwargs: P.kwargs) -> R:
        with Checks(raises, nan, bounds):
            return f(*args, **kwargs)

    made: Callable[P, Outcome[R, Violation]] = catching(checked)
    return made
