"""What callbacks are given and what they give back: trees, dtypes, lanes; in which order, in which thread."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array, ShapedArray
from handlers import cond, debug_callback, debug_print, grad, io_callback, jvp, make_jaxpr, pure_callback, scan, vmap
from lowering import jit
from tests.laws.identity import boxed

DTYPES = [
    np.dtype(d) for d in ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128")
]
PLACES: dict[str, Callable[[Any], Any]] = {"eager": lambda f: f, "jit": jit}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return PLACES[request.param]


@pytest.mark.parametrize("dtype", [*DTYPES, fx.bfloat16.dtype, fx.float8_e4m3fn.dtype], ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3, 4)], ids=str)
def test_every_dtype_and_shape(place: Callable[[Any], Any], dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    given: list[np.ndarray[Any, Any]] = []

    def flipped(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        given.append(x)
        return x[..., ::-1] if x.shape else x

    host = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    x = fx.asarray(host)
    out = place(lambda x: pure_callback(flipped, x, x))(x)
    assert given[0].dtype == dtype and given[0].shape == shape and not given[0].flags.writeable
    np.testing.assert_array_equal(given[0], host)
    np.testing.assert_array_equal(np.asarray(out), host[..., ::-1] if shape else host)
    assert out.dtype is x.dtype


def test_kept_arguments_stay_what_they_were(place: Callable[[Any], Any]) -> None:
    kept: list[np.ndarray[Any, Any]] = []

    def f(x: Array) -> Array:
        debug_callback(kept.append, x)

        def step(c: Array, _: None) -> tuple[Array, None]:
            debug_callback(kept.append, c)
            return c + 1, None

        out: Array = scan(step, x * 2, None, length=2)[0]
        return out

    run = place(f)
    for number in (1.0, 2.0):
        run(fx.full((1000,), number))
    assert [k[0] for k in kept] == [1, 2, 3, 2, 4, 5]


def test_trees_keywords_and_other_values(place: Callable[[Any], Any]) -> None:
    def f(tree: Any, label: str, scale: float) -> Any:
        assert label == "w" and isinstance(tree["a"], np.ndarray)
        return {"sum": tree["a"] + tree["b"][0], "n": 3}, [scale]

    types = {"sum": ShapedArray((2,), fx.float32), "n": ShapedArray((), fx.int32)}, [ShapedArray((), fx.float32)]
    a = fx.ones(2, dtype=fx.float32)
    out = place(lambda a: pure_callback(f, types, {"a": a, "b": (a, a)}, "w", scale=2 * a[0]))(a)
    assert out[0]["sum"].tolist() == [2, 2] and out[0]["n"].dtype is fx.int32 and out[1][0].tolist() == 2


def test_numbers_arrays_and_numpy_scalars_are_results(place: Callable[[Any], Any]) -> None:
    scalar = ShapedArray((), fx.float32)
    for value in (True, 2, 2.5, np.float32(2.5), np.array(2.5, np.float32), fx.asarray(2.5, dtype=fx.float32)):
        assert place(lambda value=value: pure_callback(lambda: value, scalar))().tolist() == float(value)


def test_result_is_a_copy(place: Callable[[Any], Any]) -> None:
    buffer = np.zeros(64)
    out = place(lambda: io_callback(lambda: buffer, ShapedArray((64,), fx.float64)))()
    buffer += 1
    assert np.asarray(out).sum() == 0


def test_no_results(place: Callable[[Any], Any]) -> None:
    seen: list[Any] = []
    assert place(lambda x: io_callback(seen.append, None, x))(fx.ones(2)) is None
    assert len(seen) == 1


def test_io_without_results_passes_through_derivatives() -> None:
    seen: list[Any] = []

    def f(x: Array) -> Array:
        io_callback(seen.append, None, x)
        return x * x

    x = fx.asarray(3.0)
    assert jit(grad(f))(x).tolist() == 6 and jvp(f, (x,), (x,))[1].tolist() == 18
    assert [float(v) for v in seen] == [3, 3]


@pytest.mark.parametrize("method", ["sequential", "expand_dims", "broadcast_all"])
def test_vmap_methods(place: Callable[[Any], Any], method: Any) -> None:
    shapes: list[tuple[tuple[int, ...], ...]] = []

    def f(x: Any, y: Any) -> Any:
        shapes.append((x.shape, y.shape))
        return x * y

    def lane(x: Array, y: Array) -> Array:
        out: Array = pure_callback(f, x, x, y, vmap_method=method)
        return out

    x, y = fx.asarray([[1.0, 2.0], [3.0, 4.0]]), fx.asarray([10.0, 100.0])
    out = place(vmap(lane, in_axes=(0, None)))(x, y)
    assert out.tolist() == [[10, 200], [30, 400]]
    assert (
        shapes
        == {
            "sequential": [((2,), (2,))] * 2,
            "expand_dims": [((2, 2), (1, 2))],
            "broadcast_all": [((2, 2), (2, 2))],
        }[method]
    )
    scalars = place(vmap(vmap(lane, in_axes=(0, None)), in_axes=(0, 0)))(x, y)
    assert scalars.tolist() == [[10, 20], [300, 400]]


def test_lanes_may_be_told_apart_by_what_the_world_answers(place: Callable[[Any], Any]) -> None:
    numbers = iter(range(10))

    def draw() -> Array:
        return io_callback(lambda: next(numbers), ShapedArray((), fx.int64))

    assert place(vmap(lambda x: x + draw()))(fx.zeros(3)).tolist() == [0, 1, 2]


def test_order_of_ordered_ones() -> None:
    seen: list[str] = []

    def note(what: str, x: Any) -> None:
        debug_callback(lambda v: seen.append(f"{what}{float(v):g}"), x, ordered=True)

    def branch(what: str, u: Array) -> Array:
        note(what, u)
        return u

    def step(c: Array, v: Array) -> tuple[Array, None]:
        note("s", v)
        jit(lambda u: note("j", u))(v)
        return cond(v > 0, partial(branch, "+"), partial(branch, "0"), c), None

    @jit
    def f(x: Array) -> Array:
        for i in range(4):
            note("f", i * x)
        out: Array = scan(step, x, fx.arange(2.0))[0]
        note("end", x * 0)
        return out

    one = fx.asarray(1.0)
    f(one)
    f(one)
    once = ["f0", "f1", "f2", "f3", "s0", "j0", "01", "s1", "j1", "+1", "end0"]
    assert seen == once * 2
    seen.clear()
    jit(grad(f))(one)
    assert seen == once


def test_debug_print(place: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Array) -> Array:
        debug_print("{} and {:.2f}; {{{name!s}}} {}", x, x[0], "text", name=2 * x, ordered=True)
        return x

    place(f)(fx.asarray([1.0, 2.0]))
    assert capsys.readouterr().out == "[1. 2.] and 1.00; {[2. 4.]} text\n"
    place(lambda x: debug_print("{:{width}}|", x, width=5))(2.0)
    assert capsys.readouterr().out == "  2.0|\n"
    place(lambda x: debug_print("{:.1f} {:5d}|", x, fx.asarray([7])))(fx.ones((1, 1)))
    assert capsys.readouterr().out == "1.0     7|\n"
    place(vmap(f))(fx.ones((2, 1)))
    assert capsys.readouterr().out == "[1.] and 1.00; {[2.]} text\n" * 2


def test_callback_may_use_the_library(place: Callable[[Any], Any]) -> None:
    @jit
    def inner(x: Array) -> Array:
        return fx.sum(fx.sin(x))

    def f(x: np.ndarray[Any, Any]) -> Array:
        return grad(inner)(fx.asarray(x))

    x = fx.arange(3.0)
    np.testing.assert_allclose(np.asarray(place(lambda x: pure_callback(f, x, x))(x)), np.cos(np.arange(3.0)))
    np.testing.assert_allclose(np.asarray(place(vmap(lambda x: pure_callback(f, x, x)))(x)), np.cos(np.arange(3.0)))


def test_threads() -> None:
    seen: list[float] = []

    @jit
    def f(x: Array) -> Array:
        debug_callback(lambda v: seen.append(float(v)), x)
        return x + 1

    threads = [threading.Thread(target=f, args=(fx.asarray(float(i)),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(8))


def test_equal_functions_are_one_program() -> None:
    def program() -> fx.Jaxpr:
        return make_jaxpr(lambda x: pure_callback(np.sort, x, x))(fx.ones(3)).interned()

    first = program()
    assert program() is first
    printed = [make_jaxpr(partial(debug_print, fmt))(1.0).interned() for fmt in ("{}", "{}", "{} ")]
    assert printed[0] is printed[1] is not printed[2]


def test_functions_that_cannot_be_hashed(place: Callable[[Any], Any]) -> None:
    class Adder:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, x: Any, more: Any) -> Any:
            return x + more[0]

    assert place(lambda x: pure_callback(Adder(), x, x, np.array([1.0])))(fx.zeros(1)).tolist() == [1]
    assert place(lambda x: pure_callback(lambda x, d: x + len(d), x, x, {1}))(fx.zeros(1)).tolist() == [1]


def test_users_handler_passes_on_what_does_not_concern_it() -> None:
    seen: list[float] = []

    def f(x: Array, y: Array) -> Array:
        debug_callback(lambda v: seen.append(float(v)), y)
        return x * 2

    def run(x: Array) -> Array:
        return f(x, fx.asarray(5.0))

    assert boxed(run)(fx.asarray(1.0)).tolist() == boxed(jit(run))(fx.asarray(1.0)).tolist() == 2
    assert seen == [5, 5]


def test_program_does_not_keep_its_arguments() -> None:
    class Payload:
        pass

    payload = Payload()
    alive = weakref.ref(payload)
    debug_callback(lambda x, p: None, 1.0, payload)
    del payload
    gc.collect()
    assert alive() is None


def test_printed_program() -> None:
    program = make_jaxpr(lambda x: pure_callback(np.sort, x, x))(fx.ones(3))
    assert "pure_callback[function=sort" in str(program)
