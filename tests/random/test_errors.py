"""Keys that are none, and parameters that are none: what is said about them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

import numpy as np
import pytest

import effects as fx
from effects import random
from effects.errors import ArgumentError, DTypeError, EffaxError, OutOfBoundsError, ShapeError
from handlers import grad, vmap
from lowering import jit
from tests.arguments.signatures import CALLS, Call

KEY: Final = random.key(0)


TAKING_KEYS: Final = [c for c in CALLS if c.name.startswith("random.") and any([a.name == "key" for a in c.arguments])]


@pytest.mark.parametrize("call", TAKING_KEYS, ids=str)
def test_what_is_no_key_is_refused(call: Call) -> None:
    name = call.f.__name__
    with pytest.raises(ArgumentError, match=rf"{name}: key must be a key, got 0 of type int; write random.key\(0\)"):
        call({"key": 0})
    with pytest.raises(ArgumentError, match=r"key must be a key.*random.wrap_key_data\(words\) takes"):
        call({"key": fx.asarray([0, 1], dtype=fx.uint32)})
    if call.f not in (random.clone, random.key_data):
        with pytest.raises(ShapeError, match=rf"{name}: key must be one key, got keys of shape \[3\]; .*vmap"):
            call({"key": random.split(KEY, 3)})


def _drawn(k: random.Key) -> fx.Array:
    return random.normal(k)


CASES: Final[list[tuple[type[EffaxError], str, Callable[[], object]]]] = [
    (ArgumentError, "Key does not make keys: write key", lambda: random.Key(fx.asarray(0))),  # type: ignore[call-arg]  # wrong
    (ArgumentError, "seed must be at least -2", lambda: random.key(2**64)),
    (ArgumentError, "seed must be an int", lambda: random.key(0.5)),  # type: ignore[arg-type]  # wrong
    (ArgumentError, "data must be at least 0", lambda: random.fold_in(KEY, -1)),
    (ArgumentError, "one key cannot be iterated over or unpacked; split", lambda: list(KEY)),
    (ArgumentError, "keys are neither true nor false", lambda: bool(KEY)),
    (ArgumentError, "a Key is immutable: data cannot be set", lambda: setattr(KEY, "data", fx.asarray(1))),
    (ArgumentError, "one key has no length; split", lambda: len(KEY)),
    (DTypeError, "wrap_key_data: words must be uint32", lambda: random.wrap_key_data(fx.asarray([0, 1]))),
    (ShapeError, "wrap_key_data: the last axis of words", lambda: random.wrap_key_data(fx.zeros(3, fx.uint32))),
    (DTypeError, "bits: dtype must be of unsigned integers, got int32", lambda: random.bits(KEY, (), "int32")),
    (DTypeError, "uniform: dtype must be of real floating point", lambda: random.uniform(KEY, (), "int32")),
    (DTypeError, "normal: dtype must be of real floating point", lambda: random.normal(KEY, (), "int32")),
    (DTypeError, "gumbel: dtype must be of real floating point", lambda: random.gumbel(KEY, (), fx.complex64)),
    (
        ShapeError,
        r"uniform: minval of shape \[3\] does not broadcast to shape \[2\]",
        lambda: random.uniform(KEY, (2,), minval=fx.zeros(3)),
    ),
    (ShapeError, r"bernoulli: p of shape \[3\] does not", lambda: random.bernoulli(KEY, fx.zeros(3), (2,))),
    (ShapeError, r"shape must end with \[3\]", lambda: random.categorical(KEY, fx.zeros((3, 2)), shape=(3, 4))),
    (ShapeError, "must have a position", lambda: random.categorical(KEY, fx.zeros((3, 0)))),
    (ArgumentError, "4 draws without", lambda: random.categorical(KEY, fx.zeros(3), shape=(4,), replace=False)),
    (ArgumentError, "randint: minval and maxval must be a range", lambda: random.randint(KEY, (), 3, 3)),
    (ArgumentError, "must be a range of int8", lambda: random.randint(KEY, (), 0, 129, fx.int8)),
    (DTypeError, "randint: dtype must be of integers", lambda: random.randint(KEY, (), 0, 3, "float32")),
    (DTypeError, "randint: maxval must be of integers", lambda: random.randint(KEY, (), 0, fx.asarray(3.5))),
    (DTypeError, "no integer dtype has both", lambda: random.randint(KEY, (1,), fx.arange(1), fx.zeros(1, fx.uint64))),
    (DTypeError, "rademacher: dtype must be able to hold -1", lambda: random.rademacher(KEY, (), fx.uint8)),
    (ArgumentError, "choice: 5 draws without replacement of a", lambda: random.choice(KEY, 4, (5,), replace=False)),
    (ArgumentError, "choice: 2 draws of a with 0", lambda: random.choice(KEY, 0, (2,))),
    (ShapeError, r"beta: shapes do not broadcast: a \[3\], b \[2\]", lambda: random.beta(KEY, fx.ones(3), fx.ones(2))),
    (
        ShapeError,
        r"truncated_normal: shapes do not broadcast: lower \[2\], upper \[3\]",
        lambda: random.truncated_normal(KEY, fx.zeros(2), fx.ones(3)),
    ),
    (
        ShapeError,
        r"triangular: shapes do not broadcast: left \[2\], mode \[3\]",
        lambda: random.triangular(KEY, fx.zeros(2), fx.ones(3), 2.0),
    ),
    (ShapeError, r"binomial: .*: n \[3\], p \[2\]", lambda: random.binomial(KEY, fx.ones(3), fx.ones(2) / 2)),
    (ArgumentError, r"geometric: p must be .*, got float64\[\] with 1\.5", lambda: random.geometric(KEY, 1.5)),
    (
        ArgumentError,
        "multinomial: p must sum to 1 along its last axis, got the sum 0.75; write",
        lambda: random.multinomial(KEY, 3, fx.asarray([0.25, 0.5])),
    ),
    (
        ArgumentError,
        "multinomial: p must not be negative, got -0.5 among",
        lambda: random.multinomial(KEY, 3, fx.asarray([-0.5, 1.5])),
    ),
    (ShapeError, "choice: p must have one", lambda: random.choice(KEY, 4, p=fx.ones(3) / 3)),
    (ArgumentError, r"choice: p must sum to 1, got the sum 4.0; .*/ sum", lambda: random.choice(KEY, 4, p=fx.ones(4))),
    (ArgumentError, "the sum 0.0; they are all 0", lambda: random.choice(KEY, 2, p=fx.zeros(2))),
    (
        ArgumentError,
        "choice: p must not be negative, got -0.5 among its probabilities",
        lambda: random.choice(KEY, 2, p=fx.asarray([-0.5, 1.5])),
    ),
    (OutOfBoundsError, "choice: axis 7 is out of bounds", lambda: random.choice(KEY, 3, (2,), axis=7)),
    (OutOfBoundsError, "permutation: axis 1 is out of bounds", lambda: random.permutation(KEY, fx.asarray(3), axis=1)),
    (DTypeError, "grad: argument k of .* is a random key, and keys have no derivative", lambda: grad(_drawn)(KEY)),
    *[
        (ArgumentError, "a Key is not a number", partial(f, cast(Any, KEY)))
        for f in (float, int, complex, abs, operator.neg, lambda k: k + 1, lambda k: 2 * k, lambda k: k < 1)
    ],
    (
        ArgumentError,
        "2 draws without replacement, but p is positive at 1",
        lambda: random.choice(KEY, 2, (2,), replace=False, p=fx.asarray([1.0, 0.0])),
    ),
    (ArgumentError, "Key; keys are no numbers: tree_map", lambda: fx.stack(cast(Any, [KEY, KEY]))),
    (DTypeError, "permutation: x must be an int or an array", lambda: random.permutation(KEY, fx.asarray(2.5))),
]


@pytest.mark.parametrize(("kind", "match", "f"), CASES, ids=[match for _, match, _ in CASES])
def test_messages(kind: type[EffaxError], match: str, f: Callable[[], object]) -> None:
    with pytest.raises(kind, match=match):
        f()


def test_keys_are_no_numbers() -> None:
    anything: Any = KEY
    for f in (fx.sin, fx.asarray, partial(fx.add, 1)):
        with pytest.raises(EffaxError):
            f(anything)
    with pytest.raises(EffaxError, match="hash"):
        hash(KEY)


def test_a_key_with_other_bits_is_refused() -> None:
    with pytest.raises(ArgumentError, match="in place of its bits"):
        random.uniform(fx.tree_map(lambda x: x.astype(fx.float32), KEY))
    with pytest.raises(ShapeError, match="key must be one key"):
        vmap(lambda x: random.uniform(random.split(KEY, 2)) * x)(fx.ones(3))


def test_parameters_outside_of_their_domain_give_nan() -> None:
    def none() -> list[fx.Array]:
        return [random.uniform(KEY, (3,), None, 2.0, 1.0), random.truncated_normal(KEY, 1.0, 1.0, (3,))]

    for x in (*none(), *jit(none)()):
        assert np.isnan(x).all()
    assert np.isnan(random.truncated_normal(KEY, 2.0, -2.0))
    for number in (random.rayleigh(KEY, -1.0), random.pareto(KEY, -1.0), random.lognormal(KEY, -1.0)):
        assert np.isnan(number)
    assert np.isnan(random.weibull_min(KEY, 1.0, -1.0)) and np.isnan(random.weibull_min(KEY, -1.0, 1.0))
    trials = jit(lambda p: random.geometric(KEY, p))(fx.asarray([0.0, -0.5, 1.5, np.nan, 1.0]))
    assert np.asarray(trials).tolist() == [0, 0, 0, 0, 1]
    assert not np.isnan(random.truncated_normal(KEY, -np.inf, np.inf, (100,))).any()
    assert not np.asarray(jit(lambda p: random.bernoulli(KEY, p))(fx.asarray([-1.0, np.nan]))).any()
    assert np.asarray(random.bernoulli(KEY, fx.asarray([1.0, 2.0]))).all()


def test_known_probabilities_that_integers_and_bools_cannot_answer_for() -> None:
    for p in (2.0, 0.0, -0.5, np.nan):
        with pytest.raises(ArgumentError, match="geometric: p must be greater than 0 and at most 1"):
            random.geometric(KEY, p, (2,))
    with pytest.raises(ArgumentError, match=r"bernoulli: p, .* has NaN"):
        random.bernoulli(KEY, np.nan)
    with pytest.raises(ArgumentError, match=r"categorical: logits, .* has NaN"):
        random.categorical(KEY, fx.asarray([np.nan, 0.0]))


def test_a_key_is_no_array_of_numpy() -> None:
    for of in (np.asarray, np.array, np.sum):
        with pytest.raises(ArgumentError, match="key_data"):
            of(KEY)
