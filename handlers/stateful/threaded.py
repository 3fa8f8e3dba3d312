"""Functions with rules of their own that perform effects: the state of the handler is among operands and results.

The effects of such a function are those of what runs: of the function itself without derivatives, of the forward or the
jvp rule under one. A backward rule runs when the derivative is taken apart, and its requests are answered there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, final

from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.operations.custom_rules import Definition, Sparse
from effects.requests.forms import Form
from handlers.higher_order.custom_definitions import Stageable

if TYPE_CHECKING:
    from handlers.requests.link import EffectLink

type Sends = tuple[tuple[str, int], ...]
"""What is sent, by name, and of how many arrays."""


@final
class Threaded(Stageable):
    """`inner` inside the handler of an effect: from state and operands to state, what is sent, and results.

    Without `always`, a run that performs nothing of the effect gives the results only.
    """

    def __init__(self, template: EffectLink, inner: Definition, form: Form, n_state: int, always: bool | None) -> None:
        self.template = template.copied(template.handler.state)
        self.inner = inner
        self.form = form
        self.n_state = n_state
        self.always = always
        self.out: tuple[Form, int, Sends] | None = None
        self.name = inner.name
        self.rules = inner.rules & {"jvp", "vjp"}

    @property
    def key(self) -> Hashable:
        handler = self.template.handler
        return self.template.label, type(handler), handler.key, self.inner, self.form, self.n_state, self.always

    def _run[T](self, operands: Sequence[Array], do: Callable[[Sequence[Array]], T]) -> tuple[list[Array], T, bool]:
        """State and what is sent; what `do` gives under the handler; whether the state was looked at."""
        with self.template.copied(self.form.build(operands[: self.n_state])) as inner:
            given = do(operands[self.n_state :])
        if not (inner.touched if self.always is None else self.always):
            self.out = None
            return [], given, False
        state, form = inner.handler.state_taken_apart()
        sent = inner.handler.sent
        self.out = form, len(state), tuple([(name, len(values)) for name, values in sent.items()])
        return [*state, *[v for values in sent.values() for v in values]], given, inner.touched

    def call(self, operands: Sequence[Array], /) -> list[Array]:
        first, results, _ = self._run(operands, self.inner.call)
        return [*first, *results]

    def jvp(self, primals: Sequence[Array], tangents: Sequence[Array | None], /) -> tuple[list[Array], Sparse]:
        n = self.n_state
        first, (results, rates), touched = self._run(primals, lambda rest: self.inner.jvp(rest, tangents[n:]))
        self._refuse(touched, [t is not None for t in tangents[:n]])
        kept = list(tangents[:n]) if first else []
        return [*first, *results], [*kept, *[None] * (len(first) - len(kept)), *rates]

    def vjp(self, primals: Sequence[Array], varying: Sequence[bool], /) -> tuple[list[Array], list[Array], Definition]:
        n = self.n_state
        first, given, touched = self._run(primals, lambda rest: self.inner.vjp(rest, varying[n:]))
        results, residuals, derivative = given
        self._refuse(touched or bool(first), varying[:n])
        dropped = sum(varying[:n])
        return [*first, *results], residuals, Without(derivative, len(residuals), dropped) if dropped else derivative

    def _refuse(self, touched: bool, varying: Sequence[bool]) -> None:
        if touched and any(varying):
            raise ArgumentError(
                f"{self.name}: it looks at the state of {self.template!r}, which is being differentiated, and its "
                "derivative rule says nothing about it; make what it reads an argument"
            )

    def settled(self) -> Threaded:
        return Threaded(self.template, self.inner.settled(), self.form, self.n_state, self.out is not None)


@final
class Without(Stageable):
    """A linear function with operands more, on which it does not depend: the tangents of a state not looked at."""

    rules = frozenset({"transpose"})

    def __init__(self, inner: Definition, n_residuals: int, dropped: int) -> None:
        self.inner, self.at, self.end = inner, n_residuals, n_residuals + dropped
        self.name, self.out_avals = inner.name, inner.out_avals
        self.linear = (*inner.linear[:n_residuals], *[True] * dropped, *inner.linear[n_residuals:])

    def call(self, operands: Sequence[Array], /) -> list[Array]:
        return self.inner.call([*operands[: self.at], *operands[self.end :]])

    def transpose(self, operands: Sequence[Array | None], cotangents: Sequence[Array | None], /) -> Sparse:
        found = self.inner.transpose([*operands[: self.at], *operands[self.end :]], cotangents)
        return [*found[: self.at], *[None] * (self.end - self.at), *found[self.at :]]
