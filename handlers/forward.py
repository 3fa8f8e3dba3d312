"""Forward handlers: they interpret every operation on one class of carriers, and control flow by one generic rule.

A forward handler says how its carriers come apart and go together (`unpack`, `pack`), where two of different static
form meet (`join`, `coerce`), and how to make a copy of itself for the inside of a program (`fresh`). That is all that
jitted calls, conditionals and loops need of it: `handlers.higher_order` restages their bodies over the parts.
"""

from __future__ import annotations

import importlib
from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Self

from typing_extensions import TypeVar

from effects.arrays.array import Array
from effects.errors import DTypeError, EffaxError, MissingRule, ShapeError
from effects.program.chain import INNERMOST, Handler, Performed, installed
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.program.operation import HigherOrder, Operation
from effects.runtime.cpython.source import current_location, user_location
from handlers.contracts import check_carried, check_constants, checked_unpack
from handlers.handler_keys import DefaultKey, uninstalled
from handlers.rule_table import RuleTable

FORWARD: Final = RuleTable[Callable[[Any, Any], tuple[Array, ...]]]("control flow")
"""Rules of any forward handler for each higher-order operation; the rows register them."""

V = TypeVar("V", bound=Array)
S = TypeVar("S", default=Hashable)


class Forward(Handler[V], Generic[V, S]):
    """A handler that needs no rules for control flow.

    `V` is its carrier and `S` the static form of a carrier: the hashable rest besides its arrays.
    """

    @abstractmethod
    def unpack(self, value: V, /) -> tuple[tuple[Array, ...], S]:
        """The arrays of a carrier, and its static form."""

    @abstractmethod
    def pack(self, parts: Sequence[Array], static: S, /) -> V:
        """The carrier of this handler with these arrays and this static form."""

    def join(self, a: S, b: S, /) -> S:
        """The least static form to which both can be coerced; required if forms can differ."""
        if a != b:
            raise MissingRule(
                f"{type(self).__name__}.join: carriers of the forms {a} and {b} meet here, in branches or in the steps "
                "of a loop; write join(self, a, b), the form that both can take, and coerce(self, value, static)"
            )
        return a

    def coerce(self, value: V, static: S, /) -> V:
        """`value` in the static form `static`, which is a join of its form with another."""
        return value

    augments: ClassVar[bool] = False
    """True if the first part of a carrier stands for the value as it would be without this handler.

    The condition of a loop is then evaluated on the first parts unchanged, without `predicate`. And custom derivative
    rules are applied to carriers of one part, whose derivative is that of the value.
    """

    loses: ClassVar[bool] = False
    """True if `interpret` may return arrays that are no carriers: constants, of which nothing more is known.

    Otherwise such a result is refused as a mistake.
    """

    def predicate(self, value: V, /) -> Array:
        """The array that decides control flow for a carrier.

        It is the only part, or the first part if the handler augments. Other handlers must define it.
        """
        parts = checked_unpack(self, value)[0]
        if len(parts) == 1 or self.augments or (parts and all([part is parts[0] for part in parts])):
            return parts[0]
        name = type(self).__name__
        raise MissingRule(
            f"{name}: a condition is a carrier of {len(parts)} arrays, and none of them is known to decide it; write "
            f"{name}.predicate(self, value), or augments = True if the first one stands for the value"
        )

    def inside(self, program: Jaxpr, operands: Sequence[Array], /) -> list[V]:
        """The carriers of a program's results under this handler; for interpreting operations that hold programs."""
        with installed(self):
            return [self.lift(result) for result in eval_jaxpr(program, operands)]

    def sees(self, op: Operation[Array], /) -> bool:
        """Return True to interpret an operation without carriers of this handler; called only if `sees_all`."""
        return True

    def swapped(self, parts: Sequence[Array], static: S, /) -> Sequence[Array]:
        """The parts of a carrier of stacked values as a stack of the parts of each, for a loop along axis 0; and back.

        By default they are unchanged, for parts whose leading axes are those of the value. A handler whose parts have
        an extra leading axis exchanges it with the next one, which is its own inverse.
        """
        return parts

    def fresh(self) -> Self:
        """A copy of this handler, with all its attributes, that is not installed yet."""
        return uninstalled(self)

    if TYPE_CHECKING:
        key: Hashable
    else:
        key = DefaultKey()
    """Distinguishes handlers of this class: programs restaged for equal keys are shared. None: never shared.

    The default is None for a handler that has attributes of its own, which its rules may read or write, or that sees
    all operations; else (), since nothing distinguishes two handlers.
    """

    crosses: ClassVar[bool] = True
    """True if values inside differ from those outside: handlers of effects further out are then opened again inside."""

    _reopened_links: Sequence[Handler[Array]] = ()

    def __enter__(self) -> Self:
        super().__enter__()
        if self.answered and self.crosses:
            self._reopened_links = importlib.import_module("handlers.requests.crossing").reopened(self)
            for link in self._reopened_links:
                link.__enter__()
        return self

    def complete(self) -> None:
        for link in reversed(self._reopened_links):
            link.complete()
            link.leave()

    def leave(self) -> None:
        for link in reversed(self._reopened_links):
            link.leave()
        super().leave()

    def handle(self, op: Operation[Array], /) -> Performed:
        if not op.owned_by(self) and not (self.sees_all and self.sees(op)):
            return self.outer.handle(op)
        if not self.alive:
            return self.handle_after_extent(op)
        outer = self.outer
        # All operations performed in place of `op` belong to the user's line of `op`, which is searched for once.
        previous_location = current_location.get()
        try:
            if previous_location is None and outer.lines:
                current_location.set(user_location(3))
            token = INNERMOST.set(outer)
            lifted = op.lifted(self, self.constant)
            results = self.interpret_higher_order(lifted) if isinstance(op, HigherOrder) else self.interpret(lifted)  # type: ignore[arg-type]  # map keeps the class
            INNERMOST.reset(token)  # after an error `perform` does it
            if results is None:
                self.refuse_none(op)
            if not (self.loses or self.sees_all):
                check_carried(self, op, results)
            return results
        except EffaxError as error:
            raise self._error_on_carriers(op, error) from error.__cause__
        except AttributeError:
            check_constants(self, op)
            raise
        finally:
            current_location.set(previous_location)

    def _error_on_carriers(self, op: Operation[Array], error: EffaxError) -> EffaxError:
        """The error of the type rule of `op` on the types of the carriers, rather than on those of their parts."""
        if isinstance(error, ShapeError | DTypeError):
            try:
                op.types()
            except EffaxError as carrier_error:
                return carrier_error
        return error

    def interpret_higher_order(self, op: HigherOrder[V], /) -> tuple[Array, ...]:
        """The results by the generic rule; overridden by handlers that need more than the restaged bodies."""
        return FORWARD[type(op)](self, op)
