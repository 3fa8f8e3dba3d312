"""Operands that do not fit: every family of operations, through the public functions, and what is no array at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects.errors import ArgumentError, DTypeError, EffaxError, OutOfBoundsError, ShapeError
from tests.errors.expect import refusal
from tests.errors.untyped import fx, grad, jit, vmap

x3, x4, m23 = fx.asarray([1.0, 2.0, 3.0]), fx.ones(4), fx.ones((2, 3))
i3, i4, b3, c3 = fx.arange(3), fx.arange(4), fx.asarray([True, False, True]), fx.asarray([1j, 2j, 3j])

ARITHMETIC = (
    *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "pow", "maximum", "minimum", "atan2"),
    *("hypot", "logaddexp", "copysign", "nextafter", "equal", "not_equal", "less", "less_equal", "greater"),
    "greater_equal",
)
LOGICAL = ("logical_and", "logical_or", "logical_xor")
BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift")


class OfAnotherLibrary:
    """What arrays of jax, torch and pandas have in common."""

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray[tuple[int], Any]:
        return np.ones(3)


def test_an_array_of_another_library() -> None:
    """tests/arguments gives every function values that are no arrays at all."""
    foreign, words = OfAnotherLibrary(), "an array of another library; convert it with asarray"
    refusal(ArgumentError, "sin: x ", words, of=lambda: fx.sin(foreign))
    refusal(ArgumentError, "add: y ", words, of=lambda: x3 + foreign)
    refusal(ArgumentError, "sum: x ", words, of=lambda: fx.sum(foreign))


BINARY = [*[(f, x3, x4) for f in (*ARITHMETIC, *LOGICAL)], *[(f, i3, i4) for f in BITWISE]]


@pytest.mark.parametrize(("name", "x", "y"), BINARY, ids=[case[0] for case in BINARY])
def test_shapes_that_do_not_broadcast(name: str, x: Any, y: Any) -> None:
    function = getattr(fx, name)
    refusal(ShapeError, f"{name}: cannot broadcast", "3", "4", "axis -1", of=lambda: function(x, y))
    refusal(ShapeError, f"{name}: cannot broadcast", of=lambda: jit(lambda a, b: function(a, b))(x, y))


DTYPES: list[tuple[type[EffaxError], str, Callable[[], object]]] = [
    (DTypeError, "bitwise_and takes an integer or bool, got float64[3]", lambda: x3 & x3),
    (DTypeError, "bitwise_left_shift", lambda: x3 << x3),
    (DTypeError, "bitwise_invert", lambda: ~x3),
    (DTypeError, "remainder takes a real number", lambda: c3 % c3),
    (DTypeError, "floor_divide", lambda: c3 // c3),
    (DTypeError, "atan2 takes real floating point", lambda: fx.atan2(c3, c3)),
    (DTypeError, "subtract takes a number, got bool[3]", lambda: b3 - b3),
    (DTypeError, "negative takes a number", lambda: -b3),
    (DTypeError, "erf takes real floating point", lambda: fx.erf(c3)),
    (DTypeError, "lgamma: x must be real, got complex", lambda: fx.lgamma(c3)),
    (DTypeError, "ceil takes real floating point", lambda: fx.ceil(c3)),
    (DTypeError, "quantile: complex numbers have no quantiles but the median", lambda: fx.quantile(c3, 0.5)),
    (
        DTypeError,
        "float8_e4m3fn and float8_e5m2 have no common dtype",
        lambda: x3.astype(fx.float8_e5m2) + x3.astype(fx.float8_e4m3fn),
    ),
    (DTypeError, "'foo' is not a dtype", lambda: x3.astype("foo")),
    (DTypeError, "astype: None is not a dtype", lambda: x3.astype(None)),
    (DTypeError, "object", lambda: fx.astype(x3, object)),
    (DTypeError, "sum: 'foo' is not a dtype", lambda: fx.sum(x3, dtype="foo")),
    (DTypeError, "3 is not a dtype", lambda: fx.zeros(3, dtype=3)),
    (ArgumentError, "add: y = 300 does not fit int8", lambda: i3.astype(fx.int8) + 300),
    (DTypeError, "cannot hold update", lambda: fx.dynamic_update_slice(i3, x3, (0,))),
]


@pytest.mark.parametrize(("kind", "words", "bad"), DTYPES, ids=[case[1] for case in DTYPES])
def test_dtypes(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)


SHAPES: list[tuple[type[EffaxError], str, Callable[[], object]]] = [
    (ArgumentError, "matmul: x2 must be an array", lambda: m23 @ "a"),
    (ShapeError, "tensordot contraction mismatch", lambda: fx.tensordot(m23, x4, axes=1)),
    (ShapeError, "vecdot contraction mismatch", lambda: fx.vecdot(x3, x4)),
    (ShapeError, "index 'j' is 3 and 2", lambda: fx.einsum("ij,jk->ik", m23, m23)),
    (ShapeError, "output index 'z' does not occur", lambda: fx.einsum("ij,jk->iz", m23, m23.T)),
    (ShapeError, "1 term for 2 operands", lambda: fx.einsum("ij", m23, m23.T)),
    (ArgumentError, "einsum: spec must be a specification", lambda: fx.einsum(3, m23, m23.T)),
    (ArgumentError, "reshape: an entry of shape must be an int, got 'a'", lambda: fx.reshape(m23, ("a",))),
    (ArgumentError, "reshape: an entry of shape must be an int, got 1.5", lambda: fx.reshape(m23, (1.5, 4))),
    (ShapeError, "not a permutation", lambda: fx.permute_dims(m23, (0,))),
    (OutOfBoundsError, "permute_dims: axis 5 is out of bounds", lambda: fx.permute_dims(m23, (0, 5))),
    (ShapeError, "mT needs rank >= 2", lambda: x3.mT),
    (ArgumentError, "concat: arrays[1] must be an array", lambda: fx.concat([m23, "a"])),
    (ArgumentError, "concat: arrays must be a sequence", lambda: fx.concat(5)),
    (OutOfBoundsError, "concat: axis 3 is out of bounds", lambda: fx.concat([m23], axis=3)),
    (OutOfBoundsError, "stack: axis 9 is out of bounds", lambda: fx.stack([m23, m23], axis=9)),
    (ShapeError, "broadcast_to: cannot broadcast [2, 3] to [3, 3]", lambda: fx.broadcast_to(m23, (3, 3))),
    (ShapeError, "broadcast_arrays: cannot broadcast", lambda: fx.broadcast_arrays(x3, x4)),
    (OutOfBoundsError, "flip: axis 5 is out of bounds", lambda: fx.flip(m23, axis=5)),
    (OutOfBoundsError, "roll: axis 5 is out of bounds", lambda: fx.roll(m23, 1, axis=5)),
    (ArgumentError, "roll: shift must be an int, got 1.5", lambda: fx.roll(m23, 1.5, axis=0)),
    (ShapeError, "pad: pad_width", lambda: fx.pad(m23, ((1, 1), (1, 1), (1, 1)))),
    (ShapeError, "pad: pad_width must not be negative", lambda: fx.pad(m23, -1)),
    (
        ShapeError,
        "pad: constant_values Array([1., 2., 3.], float64) does not fit",
        lambda: fx.pad(m23, 1, constant_values=x3),
    ),
    (ArgumentError, "sum: axis must be an int, got 'a'", lambda: fx.sum(m23, axis="a")),
    (ArgumentError, "sum: axis must be an int, got 1.0", lambda: fx.sum(m23, axis=1.0)),
    (ShapeError, "max: shape [0] has no elements", lambda: fx.max(fx.zeros(0))),
    (OutOfBoundsError, "argmax: axis 3 is out of bounds", lambda: fx.argmax(m23, axis=3)),
    (OutOfBoundsError, "var: axis 4 is out of bounds", lambda: fx.var(m23, axis=4)),
    (OutOfBoundsError, "any: axis -3 is out of bounds", lambda: fx.any(m23, axis=-3)),
    (ShapeError, "where: cannot broadcast", lambda: fx.where(b3, x4, x3)),
    (ArgumentError, "where: y must be an array", lambda: fx.where(b3, x3, "a")),
    (ShapeError, "clip: cannot broadcast", lambda: fx.clip(x3, x4, None)),
    (ArgumentError, "an array of integers or a mask, got 'a' of type str", lambda: x3["a"]),
    (ArgumentError, "an array of integers or a mask, got 1.0", lambda: x3[1.0]),
    (OutOfBoundsError, "a mask of shape [3] does not fit shape [4] at axis 0", lambda: x4[b3]),
    (OutOfBoundsError, "index 3 is out of bounds for axis 0 of size 3", lambda: x3[[0, 3]]),
    (ArgumentError, "start, stop and step", lambda: x3[1.5:]),
    (ShapeError, "dynamic_slice: size 5 is larger than axis 0", lambda: fx.dynamic_slice(x3, (0,), (5,))),
    (ArgumentError, "dynamic_slice: an entry of starts must be an int", lambda: fx.dynamic_slice(x3, (0.5,), (1,))),
    (ShapeError, "zeros: dimension -1 is negative", lambda: fx.zeros(-1)),
    (ArgumentError, "zeros: a dimension of shape must be an int, got 'a'", lambda: fx.zeros("a")),
    (ArgumentError, "ones: a dimension of shape must be an int, got None", lambda: fx.ones(None)),
    (ArgumentError, "ones: a dimension of shape must be an int, got None", lambda: fx.ones((3, None))),
    (ArgumentError, "full: fill_value must be an array", lambda: fx.full((2,), None)),
    (ShapeError, "full: cannot broadcast [3] to [2]", lambda: fx.full((2,), x3)),
    (ArgumentError, "arange: start must be a real number", lambda: fx.arange(None)),
    (ArgumentError, "step not 0", lambda: fx.arange(0, 3, 0)),
    (ArgumentError, "linspace: num must not be negative", lambda: fx.linspace(0, 1, -3)),
    (ArgumentError, "asarray: obj must be an array or a number, got 'abc'", lambda: fx.asarray("abc")),
    (ArgumentError, "does not fit int64", lambda: fx.asarray(2**80)),
    (ShapeError, "asarray: obj is ragged, and so no array", lambda: fx.asarray([x3, x4])),
    (ShapeError, "split: axis 0 of shape [3] has size 3", lambda: fx.split(x3, 2)),
]


@pytest.mark.parametrize(("kind", "words", "bad"), SHAPES, ids=[case[1] for case in SHAPES])
def test_shapes_and_axes(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)


def test_a_batched_operation_is_shown_as_the_program_sees_it() -> None:
    refusal(ShapeError, "add: cannot broadcast [3] with [4]", of=lambda: vmap(lambda x: x + x4)(m23))
    refusal(ShapeError, "[3] with [4]", of=lambda: jit(vmap(vmap(grad(lambda x: fx.sum(x + x4)))))(fx.ones((2, 2, 3))))
