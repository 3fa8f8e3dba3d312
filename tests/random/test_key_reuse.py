"""Keys that are used twice are found: at once, in jitted functions, branches and loops; those that are not are left."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import random
from effects.errors import KeyReuseError
from handlers import checkpoint, cond, fori_loop, grad, hessian, key_reuse, linearize, map, scan, vmap, while_loop
from lowering import jit

KEY: Final = random.key(7)


def _twice(key: random.Key) -> fx.Array:
    return random.normal(key) + random.uniform(key)


def _in_steps(key: random.Key) -> Any:
    return scan(lambda c, _: (c + random.normal(key), None), fx.asarray(0.0), length=3)[0]


def _handed_on(key: random.Key) -> Any:
    return scan(lambda c, _: ((c[0], c[1] + random.normal(c[0])), None), (key, fx.asarray(0.0)), length=3)[0][1]


def _after_a_branch(key: random.Key) -> Any:
    x = cond(fx.asarray(True), lambda k: random.normal(k), lambda k: fx.asarray(0.0), key)
    return x + random.uniform(key)


def _part(key: random.Key) -> fx.Array:
    keys = random.split(key)
    return random.normal(keys[0]) + random.normal(keys[0])


def _over(keys: random.Key) -> Any:
    return scan(lambda c, k: (c + random.normal(k), None), 0.0, keys)[0]


def _until(key: random.Key, scale: Any = 1.0) -> Any:
    def step(state: Any) -> Any:
        following, drawn = random.split(state[0])
        return following, state[1] + state[2] * random.normal(drawn) ** 2, state[2]

    return while_loop(lambda state: state[1] < 5.0, step, (key, 0.0, fx.asarray(scale)))[1]


def _walk(key: random.Key) -> Any:
    def step(state: tuple[random.Key, fx.Array], _: object) -> tuple[tuple[random.Key, fx.Array], None]:
        key, x = state
        key, drawn = random.split(key)
        return (key, x + random.normal(drawn)), None

    return scan(step, (key, fx.asarray(0.0)), length=3)[0][1]


def _stacked(key: random.Key) -> random.Key:
    def step(key: random.Key, _: object) -> tuple[random.Key, random.Key]:
        following, given = random.split(key)
        return following, given

    return scan(step, key, length=3)[1]


WRONG: Final[dict[str, Callable[[random.Key], Any]]] = {
    "twice": _twice,
    "split and used": lambda key: random.normal(key) + random.normal(random.split(key)[0]),
    "split twice": lambda key: (random.split(key), random.split(key, 3)),
    "the same number folded in": lambda key: (random.fold_in(key, 3), random.fold_in(key, 3)),
    "steps": _in_steps,
    "handed on": _handed_on,
    "while": lambda key: fori_loop(0, 4, lambda i, x: x + random.normal(key), 0.0),
    "branch": _after_a_branch,
    "calls": lambda key: jit(random.normal)(key) + jit(random.uniform)(key),
    "part": _part,
    "gamma": lambda key: random.gamma(key, 2.0) + random.normal(key),
    "two loops": lambda key: [_over(keys) for keys in [random.split(key, 3)] * 2],
    "a loop and an element": lambda key: [
        f(k) for k in [random.split(key, 3)] for f in (_over, lambda k: random.normal(k[0]))
    ],
    "an element and a loop": lambda key: [
        f(k) for k in [random.split(key, 3)] for f in (lambda k: random.normal(k[2]), _over)
    ],
    "two maps": lambda key: [map(random.normal, keys) for keys in [random.split(key, 3)] * 2],
    "a loop in a call": lambda key: [jit(_over)(keys) for keys in [random.split(key, 3)] * 2],
    "lanes and a loop": lambda key: [f(keys) for keys in [random.split(key, 3)] for f in (vmap(random.normal), _over)],
    "backwards": lambda key: [_over(keys) for k in [random.split(key, 3)] for keys in (k, k[::-1])],
    "an element twice": lambda key: vmap(random.normal)(random.split(key, 3)[fx.asarray([0, 0])]),
    "a walk and a draw": lambda key: [f(key) for f in (_walk, random.normal)],
    "a draw and a walk": lambda key: [f(key) for f in (random.normal, _walk)],
    "while and a draw": lambda key: [f(key) for f in (_until, random.normal)],
    "keys of a loop": lambda key: [_over(keys) for keys in [_stacked(key)] * 2],
    "once more than cloned": lambda key: [random.normal(k) for k in (random.clone(key), key, key)],
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_used_twice_is_found(name: str) -> None:
    for f in (WRONG[name], jit(WRONG[name])):
        with pytest.raises(KeyReuseError, match=r"is used .*test_key_reuse.py:\d+"), key_reuse():
            f(KEY)


def _through(p: Any, keys: random.Key) -> Any:
    return scan(checkpoint(lambda c, k: (fx.sin(c * random.normal(k)), None)), p, keys)[0]


RIGHT: Final[dict[str, Callable[[random.Key], Any]]] = {
    "split": lambda key: [random.normal(k) for k in random.split(key, 3)],
    "folded": lambda key: [random.normal(random.fold_in(key, i)) for i in range(3)],
    "walk": _walk,
    "clone": lambda key: random.normal(key) - random.normal(random.clone(key)),
    "clone before": lambda key: [random.normal(k) for k in (random.clone(key), key)],
    "lanes": lambda key: vmap(lambda k: random.normal(k))(random.split(key, 4)),
    "steps": lambda key: scan(lambda c, k: (c + random.normal(k), None), fx.asarray(0.0), random.split(key, 3))[0],
    "folded in steps": lambda key: fori_loop(0, 3, lambda i, x: x + random.normal(random.fold_in(key, i)), 0.0),
    "steps of parts": lambda key: [_over(keys) for k in [random.split(key, 5)] for keys in (k[:2], k[2:])],
    "while": _until,
    "while again": lambda key: linearize(lambda p: _until(key, p), 0.5)[1](1.0),
    "keys of a loop": lambda key: _over(_stacked(key)),
    "checkpoint": lambda key: grad(checkpoint(lambda p: fx.sin(p * random.normal(key))))(2.0),
    "checkpointed steps": lambda key: hessian(_through)(2.0, random.split(key, 3)),
    "steps without checkpoints": lambda key: grad(lambda p: p * _over(random.split(key, 3)))(2.0),
    "one of the steps": lambda key: scan(
        lambda c, i: (c + cond(i == 1, lambda: random.normal(key), lambda: 0.0), None), 0.0, fx.arange(3)
    )[0],
    "lanes of gamma": lambda key: vmap(lambda a: random.gamma(key, a))(fx.arange(1.0, 4.0)),
    "branches": lambda key: cond(fx.asarray(True), random.normal, random.uniform, key),
    "gradient": lambda key: grad(lambda a: random.gamma(key, a))(2.0),
    **{name: getattr(random, name) for name in ("normal", "gumbel", "maxwell")},
    "poisson": lambda key: random.poisson(key, fx.asarray([3.0, 40.0]), (2,)),
    "binomial": lambda key: random.binomial(key, 40, fx.asarray([0.1, 0.5])),
    "permutation": lambda key: random.permutation(key, 10),
    "choice": lambda key: random.choice(key, 5, (3,), replace=False),
    "randint": lambda key: random.randint(key, (3,), 0, 10),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_used_once_is_left_as_it_is(name: str) -> None:
    f = RIGHT[name]
    for run in (f, jit(f)):
        with key_reuse():
            result = run(KEY)
        for a, b in zip(fx.tree_leaves(result), fx.tree_leaves(f(KEY)), strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)


def test_both_lines_are_named() -> None:
    with pytest.raises(KeyReuseError) as caught, key_reuse():
        random.normal(KEY)
        random.uniform(KEY)
    lines = [int(n) for n in re.findall(r"test_key_reuse\.py:(\d+)", caught.value.message)]
    assert len(lines) == 2 and lines[1] == lines[0] + 1
    assert "the key 0x0000000000000007" in caught.value.message
    keys = random.split(KEY, 3)
    with pytest.raises(KeyReuseError) as caught, key_reuse():
        scan(lambda c, k: (c + random.normal(k), None), 0.0, keys)
        random.normal(keys[0])
    lines = [int(n) for n in re.findall(r"test_key_reuse\.py:(\d+)", caught.value.message)]
    assert len(lines) == 2 and lines[1] == lines[0] + 1
    with key_reuse():
        random.normal(KEY)  # another block knows nothing of it
