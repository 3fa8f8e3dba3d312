"""Restaging: the one idea by which every forward handler goes through control flow.

The body of an operation is staged once more under a fresh copy of the handler, over the arrays that carriers are made
of; the operation is then performed again, one link outward, with the new body.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, Protocol, cast

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.program.chain import current
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Jaxpr, Var, eval_jaxpr
from effects.runtime.caches import weakly_held
from effects.types.avals import ShapedArray
from handlers.contracts import check_handler, checked_pack, checked_unpack
from handlers.forward import Forward
from handlers.handler_keys import check_unchanged, key_and_attributes
from handlers.stage import stage


class Restaged(NamedTuple):
    """A body over the parts of carriers.

    `jaxpr` takes the values that the handler's rules `captured`, then the parts; it gives the parts of results of the
    forms `statics`.
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
    """Forms and types of carriers taken apart, without their values: the key for which a body is restaged."""

    @property
    def avals(self) -> tuple[ShapedArray, ...]: ...
    @property
    def statics(self) -> tuple[Hashable, ...]: ...
    @property
    def counts(self) -> tuple[int, ...]: ...


def unpack_all[V: Array](handler: Forward[V, Any], values: Sequence[V]) -> Unpacked:
    """Take carriers apart."""
    check_handler(handler)
    unpacked = [checked_unpack(handler, v) for v in values]
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
        packed.append(checked_pack(handler, parts[position : position + count], static))
        position += count
    return packed


def restage[V: Array](
    handler: Forward[V, Any], body: Jaxpr, inputs: Forms, out_forms: tuple[Hashable, ...] | None = None
) -> Restaged:
    """`body` as a program over the parts of carriers, its results coerced to the forms `out_forms` when given."""
    forms: list[Unpacked] = []

    def parts(inner: Forward[V, Any], results: list[V]) -> tuple[Array, ...]:
        if out_forms is not None:
            results = [inner.coerce(value, static) for value, static in zip(results, out_forms, strict=True)]
        forms.append(unpack_all(inner, results))
        return forms[0].parts

    def restaged() -> Restaged:
        jaxpr, captured = _staged(handler, body, inputs, parts)
        return Restaged(jaxpr, captured, forms[0].statics, forms[0].counts)

    return _cached(handler, body, ("parts", inputs.statics, inputs.avals, out_forms), restaged)


def restage_predicate[V: Array](handler: Forward[V, Any], condition: Jaxpr, inputs: Forms) -> Restaged:
    """`condition` as a program from the parts of carriers to the array that decides where control flow goes."""
    if handler.augments:
        return Restaged(_of_first_parts(condition, inputs), (), (), ())

    def restaged() -> Restaged:
        jaxpr, captured = _staged(handler, condition, inputs, lambda inner, results: (inner.predicate(results[0]),))
        return Restaged(dead_code_eliminated(jaxpr), captured, (), ())

    return _cached(handler, condition, ("predicate", inputs.statics, inputs.avals), restaged)


def _of_first_parts(program: Jaxpr, inputs: Forms) -> Jaxpr:
    """`program` unchanged but for its inputs: the parts of carriers, of which it reads the first of each."""
    variables = [Var(aval) for aval in inputs.avals]
    position = 0
    for var, count in zip(program.inputs, inputs.counts, strict=True):
        variables[position] = var
        position += count
    return Jaxpr(tuple(variables), program.eqns, program.outputs)


def _staged[V: Array](
    handler: Forward[V, Any],
    body: Jaxpr,
    inputs: Forms,
    results_of: Callable[[Forward[V, Any], list[V]], Sequence[Array]],
) -> tuple[Jaxpr, tuple[Array, ...]]:
    """`body` under a fresh copy of the handler, from the parts of carriers, and the captured values."""

    def run(*flat: Array) -> Sequence[Array]:
        inner = handler.fresh()
        before = key_and_attributes(inner)
        with inner:
            values = pack_all(inner, flat, inputs.statics, inputs.counts)
            results = [inner.lift(value) for value in eval_jaxpr(body, values)]
        leaves = results_of(inner, results)
        check_unchanged(inner, before)
        return leaves

    jaxpr, captured = stage(run, inputs.avals, repr(handler))
    return jaxpr, tuple(captured)


def _cached[V: Array](
    handler: Forward[V, Any], body: Jaxpr, form: Hashable, restaged: Callable[[], Restaged]
) -> Restaged:
    """`restaged()`, shared by handlers of the same key when it captures no carrier of the present chain."""
    if handler.key is None:
        return restaged()
    key = (weakly_held(type(handler)), handler.key, form, *current().axes.items())  # rules ask for the sizes of axes
    cached = body.recall(key)
    if cached is not None:
        return cast(Restaged, cached)
    result = restaged()
    if all(type(value) is Concrete for value in result.captured):
        return body.cached(key, lambda: result)
    return result
