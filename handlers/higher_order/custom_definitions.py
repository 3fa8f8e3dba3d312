"""Definitions that wrap a definition: under a handler, or with its closed-over values as operands.

`Under` is a function with its rules inside a forward handler, over the arrays of its carriers. `Closed` is one whose
first operands stand for values that the function closes over: while it runs, a handler (`Substitution`) replaces these
values by the operands.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from typing import Any, final

from effects.arrays.array import Array
from effects.functions.reductions import reduction
from effects.operations.custom_rules import Definition, Sparse
from effects.program.jaxpr import Jaxpr
from effects.runtime.caches import weakly_held
from effects.types.avals import ShapedArray
from handlers.forward import Forward
from handlers.higher_order.restaging import Unpacked, pack_all, unpack_all
from handlers.higher_order.substitution import Substitution
from handlers.jvp.rules import Jvp
from handlers.stage import stage
from handlers.vmap.rules import Batched, Vmap, materialized


class Stageable(Definition):
    """A definition that is staged by running its function."""

    def staged(self, avals: Sequence[ShapedArray], /) -> tuple[Jaxpr, list[Array], Definition]:
        body, captured = stage(lambda *args: self.call(args), avals, self.name)
        return body.shared(), captured, closed(self.finished(), captured)


@final
class Under(Stageable):
    """`inner` inside a handler like `template`, over the arrays its carriers are made of.

    A tangent has the form of its primal, which is right for carriers of one array that stands for the value. The
    derivative of others, such as bounds or logarithms, differs from that of the value: under their handlers the
    function has no derivative rules. Under Vmap all results are batched, because a rule may return batched results
    where the function does not; under Jvp all have tangents.
    """

    def __init__(
        self,
        template: Forward[Any, Any],
        inner: Definition,
        statics: Sequence[Hashable],
        counts: Sequence[int],
        forms: tuple[Hashable, ...] | None = None,
    ) -> None:
        self.template = template.fresh()  # the handler itself may keep carriers alive
        self.inner = inner
        self.keeper = inner.keeper
        self.statics = tuple(statics)
        self.counts = tuple(counts)
        self.forms = forms
        self.out = Unpacked((), (), ())
        """Forms of the results of the last run."""
        self.name = inner.name
        stands = template.augments or isinstance(template, Vmap)
        self.rules = inner.rules if stands and all([n == 1 for n in counts]) else inner.rules & {"batch"}
        self.linear = inner.linear
        ends = list(itertools.accumulate(counts, initial=0))
        parts = [range(*between) for between in itertools.pairwise(ends)]
        self.closed_over = frozenset([part for i in inner.closed_over for part in parts[i]])
        self.states = {part: name for i, name in inner.states.items() for part in parts[i]}
        if inner.out_avals is not None:
            self.out_avals = tuple([self._whole(aval) for aval in inner.out_avals])

    @property
    def n_states_out(self) -> int:
        return self.inner.n_states_out

    @property
    def key(self) -> Hashable:
        template = self.template
        kind = id(template) if template.key is None else (weakly_held(type(template)), template.key)
        return kind, self.inner, self.statics, self.counts, self.forms

    def _whole(self, aval: ShapedArray) -> ShapedArray:
        """The type of a result, which under Vmap has the lanes in front."""
        return aval.with_shape((self.template.size, *aval.shape)) if isinstance(self.template, Vmap) else aval

    def call(self, operands: Sequence[Array], /) -> list[Array]:
        with self.template.fresh() as inner:
            results = self.inner.call(self._carriers(inner, operands))
        return self._parts(inner, results, (None,) * len(results))[0]

    def jvp(self, primals: Sequence[Array], tangents: Sequence[Array | None], /) -> tuple[list[Array], Sparse]:
        with self.template.fresh() as inner:
            values = self._carriers(inner, primals)
            carriers = [None if t is None else inner.pack((t,), s) for t, s in zip(tangents, self.statics, strict=True)]
            results, rates = self.inner.jvp(values, carriers)
        return self._parts(inner, results, rates)

    def vjp(self, primals: Sequence[Array], varying: Sequence[bool], /) -> tuple[list[Array], list[Array], Definition]:
        with self.template.fresh() as inner:
            results, residuals, derivative = self.inner.vjp(self._carriers(inner, primals), varying)
        values, _ = self._parts(inner, results, (None,) * len(results))
        unpacked = unpack_all(inner, [inner.lift(r) for r in residuals])
        rates_forms = [s for s, varies in zip(self.statics, varying, strict=True) if varies]
        counts = (*unpacked.counts, *(1,) * len(rates_forms))
        # The state has no tangent.
        moved = self.out.statics[len(results) - len(derivative.out_avals or ()) :]
        return (
            values,
            list(unpacked.parts),
            Under(self.template, derivative, (*unpacked.statics, *rates_forms), counts, moved),
        )

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array], /) -> tuple[list[Array], list[bool]]:
        flags: list[bool] = []
        parts: list[Array] = []
        position = 0
        for count in self.counts:
            parts_of_value = slice(position, position + count)
            flags.append(any(batched[parts_of_value]))
            lanes = Vmap(size)
            parts += [
                materialized(Batched(lanes, part, flag), size) if flags[-1] else part
                for part, flag in zip(operands[parts_of_value], batched[parts_of_value], strict=True)
            ]
            position += count
        with self.template.fresh() as inner:
            results, out_flags = self.inner.batch(size, flags, self._carriers(inner, parts))
        arrays, _ = self._parts(inner, results, (None,) * len(results))
        return arrays, [flag for flag, count in zip(out_flags, self.out.counts, strict=True) for _ in range(count)]

    def transpose(self, operands: Sequence[Array | None], cotangents: Sequence[Array | None], /) -> Sparse:
        forms = self.forms or (True if isinstance(self.template, Vmap) else None,) * len(cotangents)
        with self.template.fresh() as inner:
            values = [None if x is None else inner.pack((x,), s) for x, s in zip(operands, self.statics, strict=True)]
            carriers = [
                None if ct is None else inner.lift(ct) if s is None else inner.pack((ct,), s)
                for ct, s in zip(cotangents, forms, strict=True)
            ]
            results = self.inner.transpose(values, carriers)
        return [
            None if ct is None else _cotangent(inner, inner.lift(ct), s)
            for ct, s in zip(results, self.statics, strict=True)
        ]

    def finished(self) -> Under:
        return Under(self.template, self.inner.finished(), self.statics, self.counts, self.out.statics)

    def _carriers(self, inner: Forward[Any, Any], operands: Sequence[Array]) -> list[Array]:
        return pack_all(inner, operands, self.statics, self.counts)

    def _parts(
        self, inner: Forward[Any, Any], results: Sequence[Array], rates: Sequence[Array | None]
    ) -> tuple[list[Array], Sparse]:
        """Results and their tangents as arrays, in forms that both have."""
        values = [inner.lift(value) for value in results]
        tangents = [None if rate is None else inner.lift(rate) for rate in rates]
        forms = self.forms or [_form(inner, v, t) for v, t in zip(values, tangents, strict=True)]
        out = unpack_all(inner, [inner.coerce(v, s) for v, s in zip(values, forms, strict=True)])
        moved = [
            None if t is None else inner.unpack(inner.coerce(t, s))[0][0] for t, s in zip(tangents, forms, strict=True)
        ]
        self.out = out
        if all([t is None for t in moved]):
            return list(out.parts), [None] * len(out.parts)
        return list(out.parts), moved


@final
class Tangents(Stageable):
    """The tangents alone of `pushed`, a function under Jvp whose results are primals and tangents in turn."""

    def __init__(self, pushed: Under) -> None:
        self.pushed = pushed
        self.keeper = pushed.keeper
        self.name = pushed.name
        self.rules = pushed.rules & {"batch"}
        self.closed_over = pushed.closed_over

    @property
    def key(self) -> Hashable:
        return self.pushed

    def call(self, operands: Sequence[Array], /) -> list[Array]:
        return self.pushed.call(operands)[1::2]

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array], /) -> tuple[list[Array], list[bool]]:
        results, flags = self.pushed.batch(size, batched, operands)
        return results[1::2], flags[1::2]

    def finished(self) -> Tangents:
        return Tangents(self.pushed.finished())


def _form(handler: Forward[Any, Any], value: Any, tangent: Any) -> Hashable:
    if isinstance(handler, Vmap | Jvp):
        return True
    static: Hashable = handler.unpack(value)[1]
    return static if tangent is None else handler.join(static, handler.unpack(tangent)[1])


def _cotangent(handler: Forward[Any, Any], cotangent: Any, static: Hashable) -> Array:
    """The cotangent, as an array, of an operand of this form; one that all lanes share gets the sum over the lanes."""
    if isinstance(handler, Vmap):
        if static is True:
            return materialized(cotangent, handler.size)
        return reduction.sum(materialized(cotangent, handler.size), axis=0)
    return handler.unpack(cotangent)[0][0]


@final
class Closed(Stageable):
    """`inner` with the values that it closes over as its first operands."""

    def __init__(self, inner: Definition, values: Sequence[Array]) -> None:
        self.inner = inner
        self.keeper = inner.keeper
        self.values = tuple(values)
        self.name = inner.name
        self.rules = inner.rules
        n = len(self.values)
        self.linear = (*(False,) * n, *inner.linear)
        self.closed_over = frozenset(range(n)).union([n + i for i in inner.closed_over])
        self.states = {n + i: name for i, name in inner.states.items()}
        self.out_avals = inner.out_avals

    @property
    def n_states_out(self) -> int:
        return self.inner.n_states_out

    @property
    def key(self) -> Hashable:
        return self.inner, tuple([id(value) for value in self.values])

    def call(self, operands: Sequence[Array], /) -> list[Array]:
        lifted, rest = self._lifted(operands)
        with lifted:
            results = self.inner.call(rest)
        return [lifted.replace(value) for value in results]

    def jvp(self, primals: Sequence[Array], tangents: Sequence[Array | None], /) -> tuple[list[Array], Sparse]:
        lifted, rest = self._lifted(primals)
        with lifted:
            results, rates = self.inner.jvp(rest, tangents[len(self.values) :])
        values = [lifted.replace(value) for value in results]
        return values, [None if rate is None else lifted.replace(rate) for rate in rates]

    def vjp(self, primals: Sequence[Array], varying: Sequence[bool], /) -> tuple[list[Array], list[Array], Definition]:
        n = len(self.values)
        lifted, rest = self._lifted(primals)
        with lifted:
            results, residuals, derivative = self.inner.vjp(rest, varying[n:])
        values = [lifted.replace(value) for value in results]
        residual_values = [*primals[:n], *[lifted.replace(r) for r in residuals]]
        return values, residual_values, Closed(derivative, self.values)

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array], /) -> tuple[list[Array], list[bool]]:
        n = len(self.values)
        lifted, rest = self._lifted(operands)
        with lifted:
            results, flags = self.inner.batch(size, batched[n:], rest)
        return [lifted.replace(value) for value in results], flags

    def transpose(self, operands: Sequence[Array | None], cotangents: Sequence[Array | None], /) -> Sparse:
        n = len(self.values)
        known = [v if x is None else x for v, x in zip(self.values, operands, strict=False)]
        lifted = Substitution(self.values, known)
        with lifted:
            results = self.inner.transpose(operands[n:], cotangents)
        return [*(None,) * n, *[None if ct is None else lifted.replace(ct) for ct in results]]

    def finished(self) -> Closed:
        return Closed(self.inner.finished(), self.values)

    def _lifted(self, operands: Sequence[Array]) -> tuple[Substitution, Sequence[Array]]:
        n = len(self.values)
        return Substitution(self.values, operands[:n]), operands[n:]


def closed(definition: Definition, values: Sequence[Array]) -> Definition:
    """`definition` with these closed-over values as its first operands."""
    return Closed(definition, values) if values else definition
