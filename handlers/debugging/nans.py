"""`debug_nans`: a block, or a whole run, that ends where the first NaN comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from effects.arguments import flag
from effects.arrays.array import Array
from effects.errors import NotFiniteError
from effects.functions.elementwise import unary
from effects.program.chain import Performed, WithoutCarriers, perform
from effects.program.operation import HigherOrder, Operation
from effects.runtime.cpython.source import current_location, user_location
from handlers.effect_handlers.checking import Violation, any_of, checking, of_floats, tests_of, violation


@final
class debug_nans(WithoutCarriers):  # it is written as the block that it opens
    """A block in which NaN is an error at its origin: NotFiniteError, with the operation and your line.

    `with debug_nans(): main()` checks a whole run; new threads are not checked. With `inf`, infinities are errors, too.
    A compiled program is checked after it has run. If it returned NaN, it runs again with `checking`, so that the error
    has the line inside it, the step of a loop, and whether a derivative rule was responsible. Programs that call Python
    are not run again. A NaN that is not among a program's results is not found; `checking` finds it.

    The only costs are that every result is awaited and read, and that donated arrays are kept.

    >>> import effects as fx
    >>> from lowering import jit
    >>> f = jit(lambda x: fx.sqrt(x) + 1.0)
    >>> with debug_nans():
    ...     f(fx.asarray(-1.0))
    Traceback (most recent call last):
        ...
    effects.errors.NotFiniteError: sqrt gives nan, at ...
    """

    sees_all = True
    lines = True

    def __init__(self, *, inf: bool = False) -> None:
        self._inf: Final = flag("debug_nans", "inf", inf)

    def interpret(self, op: Operation[Array], /) -> Performed:
        location = current_location.get() or user_location(2)
        performed = perform(op)
        problem = self._problem(op, performed if isinstance(performed, tuple) else (performed,))
        if problem:
            origin = self._origin_in_program(op) if isinstance(op, HigherOrder) and not op.effects else None
            if problem == "inf" and origin is None and bool(any_of(unary.isinf, _known(op.operands))):
                return performed  # the operands were infinite
            at = f", at {origin.line}" if origin else ""
            raise NotFiniteError(f"{(origin or violation(problem, op, location))._replace(line='')}{at} (debug_nans)")
        return performed

    def _problem(self, op: Operation[Array], results: Sequence[Array]) -> str:
        tests = tests_of(op, _known(op.operands), True, self._inf)
        known = _known(results)
        return next((problem for problem, test in tests.items() if known and bool(test(known))), "")

    def _origin_in_program(self, op: HigherOrder[Array]) -> Violation | None:
        """The operation of a program that made the NaN; None where it was not in the program, as with operands that are
        NaN.
        """

        def run(*operands: Array) -> Performed:
            values = iter(operands)
            return perform(op.map(lambda _: next(values)))

        outcome = checking(run, inf=self._inf, bounds=False)(*op.operands)
        return outcome.result().failure() if int(outcome.status.code) else None


def _known(xs: Sequence[Array]) -> list[Array]:
    return [known for x in of_floats(xs) if (known := x.known()) is not None]
