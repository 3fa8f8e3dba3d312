"""Functions with rules of their own inside a handler with a state, which is among their operands and results.

The state changes as the function changes it, whichever of its rules runs: rules get the state too, and their changes of
it are dropped. A backward rule runs when the derivative is transposed: inside of the handler again if it has no state,
else outside of it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, final

from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.errors import MissingRule
from effects.operations.custom_rules import Definition, Sparse
from effects.requests.forms import Form
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.higher_order.custom_definitions import Stageable

if TYPE_CHECKING:
    from handlers.stateful.link import StatefulLink

type Sends = tuple[tuple[str, int], ...]
"""Names of the sent values, and the number of arrays of each."""


@final
class Threaded(Stageable):
    """`inner` inside a handler with a state: from state and operands to state, what is sent, and results.

    `always` says whether state and what is sent are among the results; None: only where a run looked at the state.
    """

    def __init__(
        self,
        template: StatefulLink[Any],
        inner: Definition,
        form: Form,
        types: Sequence[ShapedArray],
        always: bool | None,
    ) -> None:
        self.template = template.copied(form.build(types))
        self.scope = template.scope
        self.inner = inner
        self.form = form
        self.types = types
        self.n_state = n_state = len(types)
        self.always = always
        self.out: tuple[Form, int, Sends] | None = None
        self.name = inner.name
        self.out_avals = inner.out_avals
        self.rules = inner.rules
        if n_state and "transpose" in inner.rules:
            self.rules |= {"jvp"}
        self.keeper = inner.keeper
        self.linear = (*(False,) * n_state, *inner.linear)
        self.closed_over = frozenset([n_state + i for i in inner.closed_over])
        self.states = {
            **dict.fromkeys(range(n_state), repr(template)),
            **{n_state + i: name for i, name in inner.states.items()},
        }

    @property
    def key(self) -> Hashable:
        return self.scope, self.inner, self.always

    @property
    def n_states_out(self) -> int:
        own = 0 if self.out is None else self.out[1] + sum([count for _, count in self.out[2]])
        return own + self.inner.n_states_out

    def _run[T](self, operands: Sequence[Array], do: Callable[[Sequence[Array]], T]) -> tuple[list[Array], T, bool]:
        """State and sent values, the result of `do` under the handler, and True if the handler handled anything."""
        result, inner = self._under(operands, do)
        touched = inner.touched
        if not (touched if self.always is None else self.always):
            self.out = None
            if touched and self.n_state:
                raise MissingRule(
                    f"{self.name}: a rule of it does what {self.template!r} handles, and the function does not, so "
                    f"that the state of {self.template!r} would miss it; let the function do it, too"
                )
            return [], result, False
        state, form = inner.handler.state_taken_apart()
        sent = inner.handler.sent
        self.out = form, len(state), tuple([(name, len(values)) for name, values in sent.items()])
        return [*state, *[v for values in sent.values() for v in values]], result, touched

    def _under[T](self, operands: Sequence[Array], do: Callable[[Sequence[Array]], T]) -> tuple[T, StatefulLink[Any]]:
        with self.template.copied(self.form.build(operands[: self.n_state])) as inner:
            result = do(operands[self.n_state :])
        return result, inner

    def _run_rule[T](self, operands: Sequence[Array], do: Callable[[Sequence[Array]], T]) -> tuple[list[Array], T]:
        """The result of a derivative rule, after as many zeros as the function has states and sent values."""
        if self.out is None:
            first, result, _ = self._run(operands, do)
            return first, result
        result, _ = self._under(operands, do)
        return [scalar(0, dtypes.int32)] * (self.out[1] + sum([count for _, count in self.out[2]])), result

    def call(self, operands: Sequence[Array], /) -> list[Array]:
        first, results, _ = self._run(operands, self.inner.call)
        return [*first, *results]

    def jvp(self, primals: Sequence[Array], tangents: Sequence[Array | None], /) -> tuple[list[Array], Sparse]:
        if not self.inner.rules & {"jvp", "vjp"}:
            raise self._says_nothing("its transposition rule")
        first, (results, rates) = self._run_rule(primals, lambda rest: self.inner.jvp(rest, tangents[self.n_state :]))
        return [*first, *results], [*[None] * len(first), *rates]

    def vjp(self, primals: Sequence[Array], varying: Sequence[bool], /) -> tuple[list[Array], list[Array], Definition]:
        first, result = self._run_rule(primals, lambda rest: self.inner.vjp(rest, varying[self.n_state :]))
        results, residuals, derivative = result
        if not self.n_state:  # with a state the rule runs outside, when the state has its last value
            derivative = Threaded(self.template, derivative, self.form, (), False)
        return [*first, *results], residuals, derivative

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array], /) -> tuple[list[Array], list[bool]]:
        flags = batched[self.n_state :]
        first, result, touched = self._run(operands, lambda rest: self.inner.batch(size, flags, rest))
        if touched and first:
            raise self._says_nothing("its batching rule")
        return [*first, *result[0]], [*batched[: len(first)], *result[1]]

    def transpose(self, operands: Sequence[Array | None], cotangents: Sequence[Array | None], /) -> Sparse:
        if self.n_state:
            raise self._says_nothing("its transposition rule")
        transposed, inner = self._under((), lambda _: self.inner.transpose(operands, cotangents))
        if inner.handler.sent:
            raise self._says_nothing("its backward rule")
        return transposed

    def _says_nothing(self, rule: str) -> MissingRule:
        return MissingRule(
            f"{self.name}: {rule} does not cover the state of {self.template!r}, which is inside of the "
            f"transformation; {self.template.remedy}, or leave the rule out"
        )

    def finished(self) -> Threaded:
        copied = copy.copy(self)
        copied.inner, copied.always = self.inner.finished(), self.out is not None
        return copied
