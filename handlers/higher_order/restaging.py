"""Restaging: the one idea by which every forward handler goes through control flow.

The body of an operation is staged once more under a fresh copy of the handler, over the arrays that carriers are made
of; the operation is then performed again, one link outward, with the new body.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, Protocol

from effects.array import Array
from effects.avals import ShapedArray
from effects.concrete import Concrete
from effects.jaxpr import Jaxpr, eval_jaxpr
from handlers.forward import Forward
from handlers.stage import stage


class Restaged(NamedTuple):
    """A body over the parts of carriers.

    `jaxpr` takes the values that the handler's rules `captured`, the handler's state, and the parts; it gives the state
    and the parts of results of the forms `statics`.
    """

    jaxpr: Jaxpr
    captured: tuple[Array, ...]
    statics: tuple[Hashable, ...]
    counts: tuple[int, ...]


class Unpacked(NamedTuple):
    """Carriers taken apart: all their arrays in order, and for each carrier its static form and number of arrays."""

    parts: tuple[Array, ...]
    statics: tuple[Hashable, ...]
    counts: tuple[int, ...]

    @property
    def avals(self) -> tuple[ShapedArray, ...]:
        return tuple([part.aval for part in self.parts])


class Forms(Protocol):
    """What is known of carriers taken apart without having them: what a body is restaged for."""

    @property
    def avals(self) -> tuple[ShapedArray, ...]: ...
    @property
    def statics(self) -> tuple[Hashable, ...]: ...
    @property
    def counts(self) -> tuple[int, ...]: ...


def unpack_all[V: Array](handler: Forward[V, Any], values: Sequence[V]) -> Unpacked:
    """Take carriers apart."""
    unpacked = [handler.unpack(v) for v in values]
    return Unpacked(
        tuple([part for parts, _ in unpacked for part in parts]),
        tuple([static for _, static in unpacked]),
        tuple([len(parts) for parts, _ in unpacked]),
    )


def pack_all[V: Array](
    handler: Forward[V, Any], parts: Sequence[Array], statics: Sequence[Hashable], counts: Sequence[int]
) -> list[V]:
    """Put carriers together."""
    packed: list[V] = []
    position = 0
    for static, count in zip(statics, counts, strict=True):
        packed.append(handler.pack(parts[position : position + count], static))
        position += count
    return packed


def restage[V: Array](
    handler: Forward[V, Any], body: Jaxpr, inputs: Forms, wanted: tuple[Hashable, ...] | None = None
) -> Restaged:
    """`body` as a program over the parts of carriers, its results coerced to the forms `wanted` when given."""
    state_avals = tuple([value.aval for value in handler.state])
    if handler.key is None:
        return _restage(handler, body, inputs, wanted, state_avals)
    key = (type(handler), handler.key, inputs.statics, inputs.avals, wanted, state_avals)
    if key in body.derived:
        return body.cached(key, lambda: _restage(handler, body, inputs, wanted, state_avals))
    restaged = _restage(handler, body, inputs, wanted, state_avals)
    if all(type(value) is Concrete for value in restaged.captured):
        return body.cached(key, lambda: restaged)
    return restaged  # carriers of the present chain are of no use later


def _restage[V: Array](
    handler: Forward[V, Any],
    body: Jaxpr,
    inputs: Forms,
    wanted: tuple[Hashable, ...] | None,
    state_avals: tuple[ShapedArray, ...],
) -> Restaged:
    forms: list[Unpacked] = []

    def run(*flat: Array) -> list[Array]:
        with handler.fresh() as inner:
            inner.state = flat[: len(state_avals)]
            values = pack_all(inner, flat[len(state_avals) :], inputs.statics, inputs.counts)
            results = [inner.lift(value) for value in eval_jaxpr(body, values)]
        if wanted is not None:
            results = [inner.coerce(value, static) for value, static in zip(results, wanted, strict=True)]
        forms.append(unpack_all(inner, results))
        return [*inner.state, *forms[0].parts]

    jaxpr, captured = stage(run, (*state_avals, *inputs.avals), repr(handler))
    return Restaged(jaxpr.interned(), tuple(captured), forms[0].statics, forms[0].counts)


def perform_restaged[V: Array](
    handler: Forward[V, Any], results: tuple[Array, ...], statics: Sequence[Hashable], counts: Sequence[int]
) -> tuple[Array, ...]:
    """Results of a restaged operation as carriers; the handler's state is updated."""
    n = len(handler.state)
    handler.state = results[:n]
    return tuple(pack_all(handler, results[n:], statics, counts))
