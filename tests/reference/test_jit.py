"""Examples 1 to 6: what a compiled function computes, when it is traced, and what its program looks like."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

import effects as fx
from effects import Array, ArrayLike, CustomOp, Operand, ShapedArray, operation
from handlers import jvp, make_jaxpr, vmap
from lowering import jit, pjrt
from tests.reference.agreement import close


def f(x: ArrayLike) -> Array:
    return -(fx.sin(x) * 2.0) + x


def test_a_second_call_of_the_same_types_is_not_traced(capsys: pytest.CaptureFixture[str]) -> None:
    @jit
    def product(x: ArrayLike, y: ArrayLike) -> Array:
        print("tracing!")
        return fx.sin(x) * fx.cos(y)

    close(product(3.0, 4.0), -0.09224219304455371)
    assert capsys.readouterr().out == "tracing!\n"
    close(product(4.0, 5.0), -0.21467624978306993)
    assert capsys.readouterr().out == ""
    product(fx.ones(2), fx.ones(2))
    assert capsys.readouterr().out == "tracing!\n"
    product(fx.ones(2, dtype=fx.float32), fx.ones(2, dtype=fx.float32))
    assert capsys.readouterr().out == "tracing!\n"
    product(fx.zeros(2), fx.zeros(2))
    assert capsys.readouterr().out == ""


def test_arguments_that_look_like_a_call_are_no_call() -> None:
    @jit
    def f(x: Array | tuple[Array], options: dict[str, Array] | None = None) -> Array:
        return x[0] + 1 if isinstance(x, tuple) else x * 2 + (0 if options is None else 10)

    one = fx.asarray(1.0)
    for _ in range(2):
        assert [f(one), f((one,), {}), f(one, {}), f(x=one), f((one,), options={})] == [2.0, 2.0, 12.0, 2.0, 2.0]


def test_a_dict_by_position_is_not_arguments_by_name() -> None:
    @jit
    def f(*args: dict[str, Array], **kwargs: Array) -> Array:
        return args[0]["x"] * 10 if args else kwargs["x"]

    @jit
    def g(x: Array | dict[str, Array], y: Array | None = None) -> Array:
        return x["x"] if isinstance(x, dict) else x * 10

    one, two = fx.asarray(1.0), fx.asarray(2.0)
    for _ in range(2):
        assert [f({"x": one}), f(x=one), g({"x": one}), g(x=one)] == [10.0, 1.0, 1.0, 10.0]
        assert [g({"x": one, "y": two}), g(x=one, y=two)] == [1.0, 10.0]


def test_numbers_that_are_equal_keep_the_signs_of_their_zeros() -> None:
    numbers = [0.0, -0.0, 0j, complex(0.0, -0.0), complex(-0.0, 0.0), complex(-1.0, -0.0), complex(-1.0, 0.0)]
    same: Callable[[ArrayLike], Array] = jit(lambda x: x)
    for number in (-1.0, -1, *numbers, *numbers[::-1]):
        fx.multiply(1j, number)  # which makes complex numbers of real ones
        given = fx.asarray(number, dtype=fx.complex128)
        assert np.asarray(given).tobytes() == np.complex128(number).tobytes()
        assert np.asarray(same(number)).tobytes() == np.asarray(number).tobytes()


def test_jvp_and_vmap_of_jit_trace_once() -> None:
    traces = 0

    @jit
    def counted(x: ArrayLike) -> Array:
        nonlocal traces
        traces += 1
        return f(x)

    for _ in range(3):
        close(jvp(counted, (3.0,), (1.0,)), (2.7177599838802657, 2.979984993200891))
    assert traces == 1
    expected = np.asarray([0.0, -0.68294197, 0.18140515])
    for _ in range(3):
        close(vmap(counted)(fx.arange(3.0)), expected, rtol=1e-7)
    assert traces == 2, "a lane of an array is a float64, the number 3.0 a weak one"


def test_an_inner_jit_is_a_call_of_its_own_function() -> None:
    inner = jit(f)
    text = jit(lambda x: inner(x) * inner(x + 1.0)).lower(3.0).as_text()
    assert text.count("func.func") == 2
    assert text.count("func.func private") == 1
    assert text.count("call @") == 2
    assert text.count("stablehlo.sine") == 1
    twice = jit(jit(f))
    assert "call @" in twice.lower(3.0).as_text()
    close(twice(3.0), 2.7177599838802657)


def test_results_are_arrays_on_the_device() -> None:
    y = jit(lambda x: x * 2.0)(fx.asarray([[1.0, 2.0, 3.0]]))
    assert isinstance(y, fx.Concrete)
    assert pjrt.is_buffer(y.stored)
    assert (y.shape, y.dtype, y.ndim, y.size) == ((1, 3), fx.float64, 2, 3)
    close(y + y, np.asarray([[4.0, 8.0, 12.0]]))
    np.testing.assert_array_equal(np.asarray(y), [[2.0, 4.0, 6.0]])
    assert repr(y) == "Array([[2., 4., 6.]], float64)"
    z = jit(lambda x: x + 1.0)(y)
    close(z, np.asarray([[3.0, 5.0, 7.0]]))


def test_a_call_prints_as_a_nested_indented_program() -> None:
    @jit
    def inner(x: Array) -> Array:
        return -fx.sin(x)

    @jit
    def outer(x: Array) -> Array:
        return fx.cos(x) + inner(x)

    assert str(make_jaxpr(outer)(fx.ones(3))) == (
        "{ lambda a:float64[3] .\n"
        "  let b:float64[3] = call[label='outer']\n"
        "        { lambda a:float64[3] .\n"
        "          let b:float64[3] = cos a\n"
        "              c:float64[3] = call[label='inner']\n"
        "                { lambda a:float64[3] .\n"
        "                  let b:float64[3] = sin a\n"
        "                      c:float64[3] = neg b\n"
        "                  in ( c ) } a\n"
        "              d:float64[3] = add b c\n"
        "          in ( d ) } a\n"
        "  in ( b ) }"
    )


class Named(NamedTuple):
    n: complex


type Factor = complex | tuple[complex, ...] | frozenset[complex] | slice


def number(n: Factor) -> complex:
    return n if isinstance(n, int | float | complex) else n.stop if isinstance(n, slice) else next(iter(n))


@operation
class Scaled(CustomOp):
    n: Factor
    x: Operand

    def types(self: Scaled) -> ShapedArray:
        return scaled(fx.zeros(self.x.aval.shape, self.x.aval.dtype), self.n).aval

    def evaluate(self) -> Array:
        return scaled(self.x, self.n)


def scaled(x: Array, n: Factor) -> Array:
    return fx.multiply(x, number(n))


def performed(x: Array, n: Factor) -> Array:
    return jit(lambda x: fx.perform(Scaled(n, x)))(x)


@pytest.mark.parametrize("compiled", [jit(scaled, static_argnums=1), jit(scaled, static_argnames="n"), performed])
def test_equal_static_values_that_are_not_the_same_have_programs_of_their_own(
    compiled: Callable[[Array, Factor], Array],
) -> None:
    x = fx.asarray([1, 2])
    forms: list[Callable[[complex], Factor]] = [lambda n: n, lambda n: (n,), Named, lambda n: frozenset([n]), slice]
    for form in forms:
        for n in (2, 2.0, True, 1, 1.0, 0.0, -0.0, float("nan")):
            result, expected = compiled(x, form(n)), scaled(x, form(n))
            assert result.aval is expected.aval
            assert repr(result) == repr(expected)
