"""`while_loop` and `fori_loop`: values, types, lanes that end at different times, and what derivatives exist."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
import handlers
from effects import Array, check_jaxpr
from handlers import fori_loop, grad, jacfwd, jvp, linearize, make_jaxpr, vmap
from lowering import jit
from tests.reference.agreement import close

while_loop: Any = handlers.while_loop  # trees of Python numbers become trees of arrays, which its type does not say


def powers(x: Any, n: Any) -> Array:
    """xⁿ by n steps."""
    power: Array = while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * x), (0, 1.0))[1]
    return power


def collatz(n: Any) -> Array:
    """How many steps lead to 1."""
    step: Callable[[Any], Any] = lambda c: (fx.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1)
    last: Any = while_loop(lambda c: c[0] != 1, step, (n, 0))
    return last[1]  # type: ignore[no-any-return]  # a tree


def test_values_and_trees() -> None:
    close(powers(1.5, 4), 1.5**4)
    close(jit(powers)(1.5, 4), 1.5**4)
    assert [int(collatz(n)) for n in (1, 2, 3, 7, 27)] == [0, 1, 7, 16, 111]
    result: Any = while_loop(
        lambda t: t["n"] < 3, lambda t: {"n": t["n"] + 1, "x": [t["x"][0] * 2.0]}, {"n": 0, "x": [fx.ones(2)]}
    )
    close(result, {"n": 3, "x": [np.asarray([8.0, 8.0])]})
    close(while_loop(lambda x: x < 0.0, lambda x: x * 2.0, 3.0), 3.0)
    assert while_loop(lambda c: False, lambda c: c, ()) == ()
    assert while_loop(lambda c: fx.any(c < 1), lambda c: c + 1, fx.zeros((2, 0))).shape == (2, 0)
    close(vmap(collatz)(fx.zeros(0, dtype=fx.int64)), np.zeros(0, np.int64))
    close(vmap(lambda x: while_loop(lambda c: c < x, lambda c: c + x, x))(fx.zeros(0)), np.zeros(0))
    close(while_loop(lambda c: c, lambda c: ~c, fx.asarray(True)), False)


def test_a_carry_of_numbers_takes_the_dtype_of_the_step() -> None:
    x = fx.asarray([1.0, 2.0], dtype=fx.float32)
    total = fori_loop(0, 3, lambda i, t: t + x[0] * i, 0.0)
    assert total.dtype is fx.float32
    assert not total.aval.weak_type
    assert fori_loop(0, 3, lambda i, t: t + i, fx.asarray(1.5, dtype=fx.float32)).dtype is fx.float32
    assert while_loop(lambda c: c < 3, lambda c: c + 1, 0).aval.weak_type


@pytest.mark.parametrize("mapped", [vmap(collatz), jit(vmap(collatz)), vmap(jit(collatz))])
def test_lanes_end_when_they_are_done(mapped: Callable[[Array], Array]) -> None:
    close(mapped(fx.asarray([1, 2, 3, 7, 27])), np.asarray([0, 1, 7, 16, 111]))


def test_what_lanes_share_stays_shared() -> None:
    """A carry that no lane changes, and constants, are not repeated for every lane."""
    table = fx.arange(4.0)
    f: Callable[[Array], Any] = lambda n: while_loop(
        lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] + fx.sum(table), c[2]), (0, 0.0, table)
    )
    program = make_jaxpr(vmap(f))(fx.asarray([1, 3]))
    check_jaxpr(program).unwrap()
    assert [tuple(v.aval.shape) for v in program.outputs] == [(2,), (2,), (2, 4)]
    (loop,) = [eqn.op for eqn in program.eqns if eqn.op.name == "while"]
    assert (4,) in [v.aval.shape for v in loop.operands]
    assert (2, 4) not in [v.aval.shape for v in loop.operands]
    close(vmap(f)(fx.asarray([1, 3]))[1], np.asarray([6.0, 18.0]))


def test_a_shared_condition_stays_one() -> None:
    f: Callable[[Array], Any] = lambda x: while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, 1.0))
    program = make_jaxpr(vmap(f))(fx.ones(2))
    (loop,) = [eqn.op for eqn in program.eqns if eqn.op.name == "while"]
    assert [v.aval.shape for v in loop.operands[-2:]] == [(), (2,)]


def test_nested_batches_of_different_depth() -> None:
    xs, ns = fx.asarray([1.5, 2.0]), fx.asarray([1, 2, 3])
    expected = np.asarray([[1.5**n for n in (1, 2, 3)], [2.0**n for n in (1, 2, 3)]])
    over = vmap(lambda x: vmap(lambda n: powers(x, n))(ns))
    close(over(xs), expected)
    close(vmap(vmap(powers, in_axes=(None, 0)), in_axes=(0, None))(xs, ns), expected)
    close(jit(over)(xs), expected)
    both = vmap(lambda x: vmap(lambda n: jvp(lambda v: powers(v, n), (x,), (1.0,))[1])(ns))
    close(both(xs), np.asarray([[n * x ** (n - 1) for n in (1, 2, 3)] for x in (1.5, 2.0)]))


def test_forward_mode() -> None:
    for f in (powers, jit(powers)):
        check_forward_mode(f)


def check_forward_mode(f: Callable[..., Any]) -> None:
    slope: Callable[[Any], Any] = lambda x: jvp(lambda v: f(v, 4), (x,), (1.0,))[1]
    close(slope(1.5), 4 * 1.5**3)
    close(jvp(slope, (1.5,), (1.0,))[1], 12 * 1.5**2)
    close(linearize(lambda x: f(x, 4), 1.5)[1](2.0), 8 * 1.5**3)
    close(jacfwd(lambda x: f(x, 3))(fx.asarray(2.0)), 12.0)
    close(jit(lambda t: linearize(lambda x: f(x, 4), 1.5)[1](t))(2.0), 8 * 1.5**3)


def test_what_is_known_is_computed_once() -> None:
    """The loop over primals does not wait for tangents: Python sees its values while a derivative is taken."""

    def f(x: Array) -> Array:
        y = powers(x, 3)
        return y * 2.0 if y > 0.0 else y

    close(linearize(f, fx.asarray(2.0))[1](fx.asarray(1.0)), 24.0)
    assert float(jvp(f, (fx.asarray(2.0),), (fx.asarray(1.0),))[1]) == 24.0


def test_reverse_mode_says_what_to_use() -> None:
    counted: Callable[..., Any] = lambda x, n: fori_loop(0, n, lambda i, c: c * x, x)
    for f in (grad(powers), grad(jit(powers)), jit(grad(powers)), grad(counted)):
        with pytest.raises(fx.MissingRule, match=r"while_loop has no reverse-mode derivative.* scan, or fori_loop"):
            jit(f)(2.0, 3)
    close(grad(lambda x: powers(2.0, 3) * x)(1.5), 8.0)


def test_counting_with_known_bounds_is_a_scan() -> None:
    body: Callable[[Array, Any], Any] = lambda i, x: x * x + i
    program = make_jaxpr(lambda x: fori_loop(1, 4, body, x))(2.0)
    assert [eqn.op.name for eqn in program.eqns] == ["scan"]
    program = make_jaxpr(lambda x, n: fori_loop(1, n, body, x))(2.0, 4)
    assert [eqn.op.name for eqn in program.eqns] == ["while"]
    expected = 2.0
    for i in range(1, 4):
        expected = expected * expected + i
    close(fori_loop(1, 4, body, 2.0), expected)
    close(fori_loop(1, 4, body, 2.0, unroll=True), expected)
    close(jit(lambda n: fori_loop(1, n, body, 2.0))(4), expected)
    close(fori_loop(4, 1, body, 2.0), 2.0)
    close(grad(lambda x: fori_loop(0, 3, lambda i, c: c * x, 1.0))(2.0), 12.0)
    close(fori_loop(fx.asarray(0, dtype=fx.int32), 3, lambda i, x: x + i, 0), 3)


def test_derivatives_when_bounds_are_batched() -> None:
    f: Callable[[Any, Any], Any] = lambda x, n: fori_loop(0, n, lambda i, c: c * x, 1.0)
    close(vmap(f, in_axes=(None, 0))(2.0, fx.asarray([0, 1, 3])), np.asarray([1.0, 2.0, 8.0]))
    slope = lambda x, n: jvp(lambda v: f(v, n), (x,), (1.0,))[1]
    close(vmap(slope, in_axes=(None, 0))(2.0, fx.asarray([0, 1, 3])), np.asarray([0.0, 1.0, 12.0]))
