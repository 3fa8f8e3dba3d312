"""What loops refuse: the error, its words, and the user's line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
import handlers
from effects import ArgumentError, Array, DTypeError, LeakedValueError, ShapeError, TreeError
from effects.errors import OutOfBoundsError
from handlers import grad, vmap
from lowering import jit
from tests.errors.expect import refusal

X = fx.asarray([1.0, 2.0, 3.0])
_untyped: Any = handlers  # the type checker refuses most of what follows, too
scan, map, fori_loop, while_loop = _untyped.scan, _untyped.map, _untyped.fori_loop, _untyped.while_loop
switch, associative_scan = _untyped.switch, _untyped.associative_scan


def keep(c: Any, x: Any) -> Any:
    return c, x


def test_a_carry_that_changes_its_type() -> None:
    def wider(c: Any, x: Any) -> Any:
        return {"a": c["a"], "b": fx.stack([c["b"], c["b"]])}, None

    def widen() -> object:
        return scan(wider, {"a": 1.0, "b": X}, X)  # here

    words = (
        "{'a': float64[], 'b': float64[3]}",
        "{'a': float64[], 'b': float64[2,3]}",
        "init['b'] is float64[3] before",
    )
    refusal(ShapeError, "scan", "f (wider)", *words, of=widen)
    refusal(
        DTypeError,
        "init_val is float64[] before and int64[] after",
        "astype",
        of=lambda: while_loop(lambda c: c > 0.0, lambda c: fx.astype(c, fx.int64), fx.asarray(1.0)),
    )
    refusal(
        DTypeError,
        "float32[3] before and float64[3] after",
        of=lambda: scan(lambda c, x: (c + X, x), fx.ones(3, dtype=fx.float32), X),
    )
    refusal(
        ShapeError, "init_val[0] is float64[3] before", of=lambda: fori_loop(0, 3, lambda i, c: (fx.sum(c[0]),), (X,))
    )
    refusal(
        ShapeError,
        "init_val[0] is float64[3] before",
        of=lambda: jit(lambda n: fori_loop(0, n, lambda i, c: (fx.sum(c[0]),), (X,)))(3),
    )


def test_a_carry_that_changes_its_structure() -> None:
    refusal(
        TreeError,
        "while_loop",
        "body_fun",
        "(float64[], float64[3])",
        "[1] is missing",
        of=lambda: while_loop(lambda c: True, lambda c: (c[0],), (1.0, X)),
    )
    refusal(
        TreeError,
        "scan",
        "at ['b']",
        of=lambda: scan(lambda c, x: ({"a": 1.0, "b": [x, x]}, x), {"a": 1.0, "b": (2.0, 2.0)}, X),
    )
    refusal(
        TreeError,
        "fori_loop",
        "body_fun",
        "{'a': float64[]}",
        "float64[]",
        of=lambda: fori_loop(0, 2, lambda i, c: c["a"], {"a": 1.0}),
    )


def test_predicates() -> None:
    refusal(
        DTypeError,
        "cond_fun (<lambda>)",
        "bool scalar",
        "float64[3]",
        of=lambda: while_loop(lambda c: c, lambda c: c, X),
    )
    refusal(
        DTypeError, "bool scalar", "bool[3]", "any or all", of=lambda: while_loop(lambda c: c < 2.0, lambda c: c, X)
    )
    refusal(DTypeError, "bool scalar", "int64[]", of=lambda: while_loop(lambda c: c, lambda c: c, 3))
    refusal(
        DTypeError, "bool scalar", "(bool[], bool[])", of=lambda: while_loop(lambda c: (True, c), lambda c: c, True)
    )


def test_lengths() -> None:
    refusal(ArgumentError, "length must not be negative, got -1", of=lambda: scan(keep, 0.0, None, length=-1))
    refusal(ArgumentError, "must be given as length", of=lambda: scan(keep, 0.0))
    refusal(ShapeError, "xs['a'] has 3, xs['b'] has 2", of=lambda: scan(keep, 0.0, {"a": X, "b": X[:2]}))
    refusal(ShapeError, "length is 4, xs has 3", of=lambda: scan(keep, 0.0, X, length=4))
    refusal(OutOfBoundsError, "xs[1] is a scalar, float64[]", of=lambda: scan(keep, 0.0, (X, 1.0)))
    refusal(ShapeError, "map", "xs[0] has 3, xs[1] has 2", of=lambda: map(lambda x: x[0], (X, X[:2])))


def test_what_a_step_returns() -> None:
    refusal(TreeError, "f (<lambda>) must return (carry, y)", "float64", of=lambda: scan(lambda c, x: c, X[0], X))
    refusal(TreeError, "must return (carry, y)", of=lambda: scan(lambda c, x: (c, x, x), 0.0, X))
    refusal(ArgumentError, "the result[1] of", "'no'", of=lambda: scan(lambda c, x: (c, "no"), 0.0, X))


def test_what_is_no_function_and_no_array() -> None:
    not_callable: Any = 3
    refusal(
        ArgumentError, "while_loop takes a function as cond_fun, got 3", of=lambda: while_loop(not_callable, abs, 1.0)
    )
    refusal(
        ArgumentError,
        "while_loop takes a function as body_fun, got 3",
        of=lambda: while_loop(lambda c: True, not_callable, 1.0),
    )
    refusal(ArgumentError, "map takes a function, got 3", of=lambda: map(3, X))
    refusal(ArgumentError, "init['a']", "'x'", of=lambda: scan(keep, {"a": "x"}, X))
    refusal(ArgumentError, "xs[1]", "'x'", of=lambda: scan(keep, 0.0, (X, "x")))
    refusal(ArgumentError, "init_val[0]", "'x'", of=lambda: while_loop(lambda c: True, lambda c: c, ("x",)))


def test_unrolling_and_batches() -> None:
    refusal(ArgumentError, "unroll", "known", of=lambda: jit(lambda n: fori_loop(0, n, lambda i, c: c, 0, unroll=0))(3))
    refusal(
        ArgumentError,
        "unroll needs bounds that are known",
        of=lambda: jit(lambda n: fori_loop(0, n, lambda i, c: c, 0, unroll=2))(3),
    )
    refusal(ArgumentError, "batch_size must be positive, got 0", of=lambda: map(fx.sin, X, batch_size=0))


def test_bounds() -> None:
    refusal(
        DTypeError, "lower must be an integer scalar, got float64[]", of=lambda: fori_loop(0.0, 3, lambda i, c: c, 0)
    )
    refusal(
        DTypeError,
        "upper must be an integer scalar, got int64[2]",
        of=lambda: fori_loop(0, np.arange(2), lambda i, c: c, 0),
    )


def test_choices() -> None:
    branches = [fx.sin, fx.cos]
    refusal(ArgumentError, "branches is empty", of=lambda: switch(0, [], 1.0))
    refusal(ArgumentError, "branches must be a sequence", of=lambda: switch(0, fx.sin, 1.0))
    refusal(ArgumentError, "function as branches[1], got 3", of=lambda: switch(0, [fx.sin, 3], 1.0))
    refusal(DTypeError, "index must be an integer scalar, got bool[]", "cond", of=lambda: switch(True, branches, 1.0))
    refusal(DTypeError, "index must be an integer scalar, got float64[3]", of=lambda: switch(X, branches, 1.0))
    refusal(
        TreeError,
        "branches[0]",
        "branches[2]",
        "(float64[], float64[])",
        of=lambda: switch(0, [*branches, lambda x: (x, x)], 1.0),
    )
    refusal(
        ShapeError,
        "branches[0] (sin)",
        "float64[]",
        "branches[1] (<lambda>)",
        "float64[3]",
        of=lambda: switch(0, [fx.sin, lambda x: x * X], 1.0),
    )


def test_associative_scans() -> None:
    refusal(
        OutOfBoundsError,
        "axis 1 is out of bounds for elems[0], float64[3]",
        of=lambda: associative_scan(fx.add, (X,), axis=1),
    )
    refusal(
        ShapeError,
        "elems['a'] has 3, elems['b'] has 2",
        of=lambda: associative_scan(lambda a, b: a, {"a": X, "b": X[:2]}),
    )
    refusal(TreeError, "fn (<lambda>) must return what it takes", of=lambda: associative_scan(lambda a, b: (a, b), X))
    refusal(
        ShapeError,
        "for elems it takes float64[1] and gives float64[]",
        of=lambda: associative_scan(lambda a, b: fx.sum(a), X),
    )
    refusal(ArgumentError, "has no arrays", of=lambda: associative_scan(fx.add, ()))


def test_values_that_leak() -> None:
    kept: list[Array] = []

    def leak(c: Any, x: Any) -> Any:
        kept.append(x)
        return c, x

    scan(leak, 0.0, X)

    def use() -> object:
        return scan(lambda c, x: (c + kept[0], x), 0.0, X)  # here

    refusal(LeakedValueError, "argument x of leak", of=use)
    refusal(LeakedValueError, "argument x of leak", of=lambda: while_loop(lambda c: c < kept[0], lambda c: c, 0.0))
    refusal(LeakedValueError, "argument x of leak", of=lambda: fx.sin(kept[0]))


@pytest.mark.parametrize("handle", [lambda f: f, jit, vmap, lambda f: grad(lambda x: fx.sum(f(x)))])
def test_the_same_under_handlers(handle: Callable[[Any], Any]) -> None:
    f = handle(lambda x: scan(lambda c, y: (fx.stack([c, c]), None), x, None, length=2)[0])
    with pytest.raises(ShapeError, match=r"a step must keep the type of the carry"):
        f(X)


def test_a_step_that_raises() -> None:
    def wrong(c: Any, x: Any) -> Any:
        raise ValueError("mine")

    with pytest.raises(ValueError, match=r"^mine$"):
        scan(wrong, 0.0, X)
    with pytest.raises(ShapeError, match=r"test_errors.py"):
        scan(lambda c, x: (c, x + fx.ones(2)), 0.0, fx.ones((2, 3)))
