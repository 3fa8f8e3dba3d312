"""Measures of effects beside keys and states that are handed on by hand, and of a handler of operations."""

from __future__ import annotations

from collections.abc import Iterator

import effects as fx
from benchmarks.harness import Measure, Sample, per_call, timed
from effects import Array, Operation, Performed, State, perform, random
from effects.operations import BinaryKind, UnaryKind
from handlers import OperationHandler, make_jaxpr, scan, with_random, with_state
from lowering import block_until_ready, jit

DRAWS = 100
STEPS = 1_000
KEY, X = random.key(0), fx.asarray(0.5)


def drawn_by_hand(x: Array) -> Array:
    key = KEY
    for _ in range(DRAWS):
        key, own = random.split(key)
        x = x + random.normal(own)
    return x


def drawn(rng: fx.Random, x: Array) -> Array:
    for _ in range(DRAWS):
        x = x + rng.normal()
    return x


def many_by_hand(x: Array) -> Array:
    def step(carry: tuple[random.Key, Array], _: None) -> tuple[tuple[random.Key, Array], None]:
        key, own = random.split(carry[0])
        return (key, carry[1] + random.normal(own)), None

    return scan(step, (KEY, x), length=STEPS)[0][1]


def many(rng: fx.Random, x: Array) -> Array:
    return scan(lambda x, _: (x + rng.normal(), None), x, length=STEPS)[0]


def summed_by_hand(x: Array) -> tuple[Array, Array]:
    return scan(lambda c, _: ((c[0], c[1] + c[0]), None), (x, fx.asarray(0.0)), length=STEPS)[0]


def summed(cell: State[Array], x: Array) -> Array:
    def step(x: Array, _: None) -> tuple[Array, None]:
        cell.modify(lambda total: total + x)
        return x, None

    return scan(step, x, length=STEPS)[0]


class Sines(OperationHandler):
    """Has to do with none of the operations below."""

    handles = UnaryKind.SIN

    def interpret(self, op: Operation[Array], /) -> Performed:
        return perform(op)


class Products(OperationHandler):
    """Performs each of them again."""

    handles = BinaryKind.MUL

    def interpret(self, op: Operation[Array], /) -> Performed:
        return perform(op)


def powers(x: Array) -> Array:
    for _ in range(100):
        x = x * x
    return x


def under(handler: type[OperationHandler] | None) -> Sample:
    """Seconds per operation, eagerly."""

    def sample() -> float:
        if handler is None:
            return timed(lambda: powers(X)) / 100
        with handler():
            return timed(lambda: powers(X)) / 100

    return sample


def measures() -> Iterator[Measure]:
    """The rows of this group: effax with effects, beside the same by hand."""
    tracing = {
        "effax": lambda: timed(lambda: make_jaxpr(with_random(drawn, KEY))(X)) / DRAWS,
        "by hand": lambda: timed(lambda: make_jaxpr(drawn_by_hand)(X)) / DRAWS,
    }
    yield Measure(f"trace {DRAWS} draws, per draw", tracing, {"by hand": 1 / 1.2})
    compiled, by_hand = jit(with_random(many, KEY)), jit(many_by_hand)
    draws = {
        "effax": per_call(lambda: compiled(X), block_until_ready),
        "by hand": per_call(lambda: by_hand(X), block_until_ready),
    }
    yield Measure(f"{STEPS:,} compiled draws", draws, {"by hand": 1 / 1.1})
    with_effect, carried = jit(with_state(summed, fx.asarray(0.0))), jit(summed_by_hand)
    states = {
        "effax": per_call(lambda: with_effect(X), block_until_ready),
        "by hand": per_call(lambda: carried(X), block_until_ready),
    }
    yield Measure(f"{STEPS:,} compiled steps with a state", states, {"by hand": 1 / 1.1})
    yield Measure("eager product", {"effax": under(None)})
    yield Measure("eager product inside of a handler of other operations", {"effax": under(Sines)})
    yield Measure("eager product that a handler performs again", {"effax": under(Products)})
