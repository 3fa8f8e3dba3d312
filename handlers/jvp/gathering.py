"""Derivatives of reading and writing at positions.

An extreme has the mean of the tangents of the elements that attain it. A product of several factors of one element is
differentiated one factor after the other, which is exact at zeros, to every order.
"""

from __future__ import annotations

import math
from typing import Final

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, rounded_once
from effects.operations.elementwise import Binary, BinaryKind, Compare, CompareKind, Select
from effects.operations.gathering import Bounds, Gather, Scatter, ScatterKind
from effects.program.chain import perform
from effects.types import shapes
from handlers.jvp.rules import RULES, Dual, Pair, value_of

_K = ScatterKind


def reading(op: Scatter[Array] | Scatter[Dual], x: Array, indices: tuple[Array, ...]) -> Array:
    """Elements of `x` where `op` writes; 0 where it writes nothing."""
    bounds = Bounds.DROP if op.bounds is Bounds.CHECKED else op.bounds
    return perform(Gather(op.axes, op.batch, op.at, bounds, 0, x, indices, op.unique, op.ordered))


def writing(op: Scatter[Dual], kind: ScatterKind, x: Array, update: Array, indices: tuple[Array, ...]) -> Array:
    """`update` written where `op` writes, combined by `kind`."""
    return perform(Scatter(kind, op.axes, op.batch, op.at, op.bounds, x, update, indices, op.unique, op.ordered))


@RULES.rule(Gather)
def jvp_gather(op: Gather[Dual]) -> Pair:
    indices = tuple([i.primal for i in op.indices])
    t = op.x.tangent
    out = value_of(op.map(lambda dual: dual.primal))
    if t is None:
        return out, None
    return out, perform(Gather(op.axes, op.batch, op.at, op.bounds, 0, t, indices, op.unique, op.ordered))


@RULES.rule(Scatter)
def jvp_scatter(op: Scatter[Dual]) -> Pair:
    x, u = op.x.primal, op.update.primal
    indices = tuple([i.primal for i in op.indices])
    out = value_of(op.map(lambda dual: dual.primal))
    if op.x.tangent is None and op.update.tangent is None:
        return out, None
    if op.kind is _K.MUL and op.update.tangent is None:
        return out, writing(op, _K.MUL, op.x.tangent, u, indices)  # type: ignore[arg-type]  # one of them is there
    tx = fx.zeros_like(x) if op.x.tangent is None else op.x.tangent
    tu = fx.zeros_like(u) if op.update.tangent is None else op.update.tangent
    if op.kind is _K.SET or op.kind is _K.ADD:
        return out, writing(op, op.kind, tx, tu, indices)
    if op.kind is _K.MUL:
        tangent = _product if is_unique(op, indices) else _factor_by_factor
        return out, rounded_once(lambda x, u, tx, tu: tangent(op, x, u, tx, tu, indices), x, u, tx, tu)
    return out, rounded_once(
        lambda x, u, tx, tu, out: _extreme_tangent(op, x, u, tx, tu, out, indices), x, u, tx, tu, out
    )


def is_unique(op: Scatter[Dual] | Scatter[Array], indices: tuple[Array, ...]) -> bool:
    """Return True if no element can be written twice: it is promised, or there is one position only."""
    positions = shapes.broadcast_all([i.aval.shape for i in indices])
    return op.unique or math.prod(positions[op.batch :]) <= 1


def _product(op: Scatter[Dual], x: Array, u: Array, tx: Array, tu: Array, indices: tuple[Array, ...]) -> Array:
    """ẋu + xu̇, where no element has two factors."""
    return writing(op, _K.ADD, writing(op, _K.MUL, tx, u, indices), reading(op, x, indices) * tu, indices)


def _factor_by_factor(op: Scatter[Dual], x: Array, u: Array, tx: Array, tu: Array, indices: tuple[Array, ...]) -> Array:
    """(x, ẋ)·(u, u̇) = (xu, ẋu + xu̇), one position after another."""
    from handlers.transformations.loops.scan import scan  # noqa: PLC0415  # the loops use this handler

    batch, at = op.batch, op.at
    positions = shapes.broadcast_all([i.aval.shape for i in indices])
    full = (*x.aval.shape[:batch], *positions[batch:])
    count = math.prod(positions[batch:])
    flat = [fx.reshape(fx.broadcast_to(i, full), (*full[:batch], count)) for i in indices]
    begin = batch + at
    end = begin + len(positions) - batch

    def steps(v: Array) -> Array:
        shape = v.aval.shape
        return fx.moveaxis(fx.reshape(v, (*shape[:begin], count, *shape[end:])), begin, 0)

    def step(carry: tuple[Array, Array], factor: tuple[Array, Array, list[Array]]) -> tuple[tuple[Array, Array], None]:
        a, da = carry
        b, db, where = factor
        place = tuple(where)
        bounds = Bounds.DROP if op.bounds is Bounds.CHECKED else op.bounds

        def read(v: Array) -> Array:
            return perform(Gather(op.axes, batch, at, bounds, 0, v, place, True))

        def write(v: Array, value: Array) -> Array:
            return perform(Scatter(_K.SET, op.axes, batch, at, bounds, v, value, place, True))

        old, slope = read(a), read(da)
        return (write(a, old * b), write(da, slope * b + old * db)), None

    by_position = [fx.moveaxis(i, batch, 0) for i in flat]
    (_, tangent), _ = scan(step, (x, tx), (steps(u), steps(tu), by_position))
    return tangent


_MISSED: Final = {_K.MAX: CompareKind.LT, _K.MIN: CompareKind.GT}


def _extreme_tangent(
    op: Scatter[Dual], x: Array, u: Array, tx: Array, tu: Array, out: Array, indices: tuple[Array, ...]
) -> Array:
    missed = _MISSED[op.kind]
    zero, one = constant_like(0, x), constant_like(1, x)
    x_missed = perform(Compare(missed, x, out))  # nowhere, if the extreme is NaN
    u_missed = perform(Compare(missed, u, reading(op, out, indices)))

    def joined(of_x: Array, of_u: Array) -> Array:
        a, b = perform(Select(x_missed, zero, of_x)), perform(Select(u_missed, zero, of_u))
        return writing(op, _K.ADD, a, b, indices)

    total, count = joined(tx, tu), joined(one, one)
    alone = perform(Compare(CompareKind.EQ, count, one))
    known = perform(Binary(BinaryKind.OR, perform(Compare(CompareKind.EQ, out, out)), alone))
    return perform(Binary(BinaryKind.DIV, total, perform(Select(known, count, constant_like(math.nan, out)))))
