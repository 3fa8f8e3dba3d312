"""`check_grads` passes right derivatives, in every mode, order and dtype, and names those that are wrong."""

from __future__ import annotations

import re

import pytest

import effects as fx
from effects import ArgumentError, Array, BrokenLawError, DTypeError
from handlers import check_grads, custom_jvp, custom_vjp
from lowering import jit
from tests.errors.expect import refusal

X = fx.asarray([0.3, -0.7])


def test_right_derivatives_pass() -> None:
    tree = {"w": fx.asarray([[0.2, -0.4], [0.1, 0.7], [0.5, 0.3]]), "b": X}
    check_grads(lambda p, y: (fx.tanh(p["w"] @ y), fx.sum(p["b"] ** 3), fx.argmax(y)), (tree, X), order=3)
    check_grads(jit(fx.exp), (X.astype(fx.float32),), order=2)
    check_grads(fx.sin, (0.5,), modes=["rev"], rtol=1e-9, atol=1e-9)


@custom_jvp(lambda primals, tangents: (fx.sin(primals[0]), tangents[0] * fx.sin(primals[0])))
def wrong_forwards(x: Array) -> Array:
    return fx.sin(x)


@custom_vjp(lambda x: (fx.sin(x), x), lambda x, ct: (1.001 * ct * fx.cos(x),))
def wrong_backwards(x: Array) -> Array:
    return fx.sin(x)


@custom_jvp(lambda primals, tangents: (fx.cos(primals[0]), tangents[0] * fx.sin(primals[0])))
def right_once(x: Array) -> Array:
    return fx.cos(x)


@custom_jvp(lambda primals, tangents: (fx.sin(primals[0]), tangents[0] * right_once(primals[0])))
def wrong_twice(x: Array) -> Array:
    return fx.sin(x)


def test_wrong_derivatives_are_named() -> None:
    refusal(BrokenLawError, "jvp of wrong_forwards gives", of=lambda: check_grads(wrong_forwards, (X,)))
    refusal(BrokenLawError, "vjp of wrong_forwards", of=lambda: check_grads(wrong_forwards, (X,), modes=["rev"]))
    refusal(BrokenLawError, "vjp of wrong_backwards", of=lambda: check_grads(wrong_backwards, (X,), modes=["rev"]))
    near = custom_jvp(lambda p, t: (fx.sin(p[0]), t[0] * fx.cos(p[0]) * 1.001))(lambda x: fx.sin(x))
    with pytest.raises(
        BrokenLawError, match=r"they differ by at most [\d.e-]+, which rtol=([\d.e-]+) allows"
    ) as caught:
        check_grads(near, (X,))
    (needed,) = re.findall(r"rtol=([\d.e-]+)", str(caught.value))
    check_grads(near, (X,), rtol=float(needed))
    check_grads(wrong_twice, (X,))
    words = ("jvp of the derivative of wrong_twice", "differences of values")
    refusal(BrokenLawError, *words, of=lambda: check_grads(wrong_twice, (X,), order=2))


def test_arguments() -> None:
    refusal(DTypeError, "check_grads: args[0] must be of floats, got int64[]", of=lambda: check_grads(fx.sin, (1,)))
    refusal(ArgumentError, "order must be from 1 to 6, got 0", of=lambda: check_grads(fx.sin, (X,), order=0))
    refusal(ArgumentError, "args has no arrays", of=lambda: check_grads(fx.sin, ()))
    words = "an entry of modes must be 'fwd' or 'rev', got 'reverse'"
    refusal(ArgumentError, words, of=lambda: check_grads(fx.sin, (X,), modes=["reverse"]))  # type: ignore[list-item]  # the mistake


@pytest.mark.parametrize("where", [0.0, 1e6])
def test_functions_of_any_size_of_arguments(where: float) -> None:
    check_grads(lambda x: 3.0 * x + 1.0, (where + X,), order=2)
