"""Programs with open sizes: for every size what the function gives for it, or a refusal that says why there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

import effects as fx
from handlers import cond, grad, scan, value_and_grad, vjp, vmap
from lowering import Program, Size, SizedArray, export, jit, load_program
from lowering.programs.sizes import NoPolynomial, Polynomial, fitting, samples
from tests.processes import printed
from tests.programs.cases import bits
from tests.programs.test_faults import with_head

N: Final = Size("n", 2, 200)
M: Final = Size("m", 3, 50)
W: Final = fx.sin(fx.arange(12.0)).reshape(4, 3)
TABLE: Final = fx.cos(fx.arange(600.0)).reshape(200, 3)


def loss(w: Any, x: Any) -> Any:
    return fx.mean(fx.tanh(x @ w) ** 2)


def recurrent(xs: Any) -> Any:
    return scan(lambda c, x: (fx.tanh(c + x @ W), c), fx.zeros((xs.shape[1], 3)), xs)


def sharpness(x: Any) -> Any:
    return fx.sum(fx.softmax(x, axis=-1) ** 2) + fx.sum(x / (fx.mean(x * x) + 0.1))


def standardised(x: Any) -> Any:
    """A derivative of it computes many things twice, which XLA puts together in its own way."""
    centred = x - fx.mean(x, axis=-1, keepdims=True)
    return fx.sum(fx.sin(centred / fx.sqrt(fx.mean(centred**2, axis=-1, keepdims=True) + 1e-5)))


class Case(NamedTuple):
    """A function of one array, and the shape of that."""

    f: Callable[[Any], Any]
    shape: tuple[int | Size, ...]


CASES: Final[dict[str, Case]] = {
    "network": Case(lambda x: jit(fx.tanh)(x @ W), (N, 4)),
    "softmax": Case(lambda x: fx.exp(x - fx.max(x, axis=0)) / fx.sum(fx.exp(x), axis=0), (N, 4)),
    "moments": Case(lambda x: (fx.mean(x, axis=0), fx.std(x, axis=0), fx.var(x, axis=0, correction=1)), (N, 4)),
    "gradient": Case(lambda x: value_and_grad(loss)(W, x), (N, 4)),
    "pieces": Case(lambda x: fx.concatenate([x[::-1], x[1:], x[:-1], x[::1]]), (N, 4)),
    "shapes": Case(lambda x: (x.reshape(-1), x.reshape(4, -1).T, x[:, None], fx.zeros(x.shape)), (N, 4)),
    "complex": Case(
        lambda x: ((x + 1j) * (x.shape[0] - 2j), x * fx.asarray([1j, 2, 3, -4j]), x * complex(fx.inf, 1)), (N, 4)
    ),
    "size": Case(lambda x: x * x.shape[0] + 2 * x.size, (N, 4)),
    "positions": Case(lambda x: x * fx.arange(x.shape[0])[:, None] + fx.eye(x.shape[0])[:, :1], (N, 4)),
    "sorted": Case(lambda x: (fx.sort(x, axis=0), fx.argmax(x, axis=0)), (N, 4)),
    "lookup": Case(lambda x: x[fx.asarray([0, 2, 1])], (4, N)),
    "lookup along it": Case(lambda x: (x[fx.asarray([0, 1])], x[-1], x.at[0].set(1.0)), (N, 4)),
    "steps of many": Case(recurrent, (5, N, 4)),
    "many steps": Case(recurrent, (N, 6, 4)),
    "padded": Case(lambda x: fx.pad(x, ((1, x.shape[0]), (0, 0))), (N, 4)),
    "lanes": Case(vmap(lambda x: fx.outer(x, x)), (N, 4)),
    "branches": Case(lambda x: cond(x[0, 0] > 0, fx.sin, lambda x: x * 2, x), (N, 4)),
    "noise": Case(lambda x: x + fx.random.normal(fx.random.key(0), x.shape), (N, 4)),
    "square": Case(lambda x: x @ x.T, (N, N)),
    "two": Case(lambda x: (x @ x.T, x.reshape(-1), fx.mean(x)), (N, M)),
    "powers": Case(lambda x: (fx.mean(x @ x.T), x * x.shape[0] ** 3, fx.outer(x[:, 0], x[:, 0]).reshape(-1)), (N, 4)),
    "of two": Case(lambda x: (fx.trace(x @ x.T), x.shape[0] ** 2 * x.shape[1], (x.T @ x).reshape(-1)), (N, M)),
    "one or more": Case(
        lambda x: (x - fx.mean(x, axis=0), x[-1], fx.tile(x, (2, 1)), x / fx.sum(x)), (Size("n", 1, 40), 4)
    ),
    "none or more": Case(lambda x: (fx.tanh(x @ W), fx.sum(x, axis=0)), (Size("n", 0, 40), 4)),
    "a table of the range's length": Case(lambda x: grad(lambda x: fx.sum(fx.sin(x + TABLE[: x.shape[0]])))(x), (N, 3)),
    "filled up": Case(
        lambda x: (fx.pad(x, ((0, 200 - x.shape[0]), (0, 0))) @ W, x + TABLE[200 - x.shape[0] :, :1]), (N, 4)
    ),
    "products": Case(lambda x: x.reshape(x.shape[0] * x.shape[1], 4) @ W, (N, M, 4)),
    "gradients": Case(lambda x: (grad(sharpness)(x), grad(standardised)(x)), (N, 4)),
    "attention": Case(lambda x: fx.softmax(x @ fx.matrix_transpose(x), axis=-1) @ x, (N, M, 4)),
}


def saved(program: Program, path: Path) -> Program:
    program.save(path / "f.program")
    return load_program(path / "f.program")


def shapes(shape: Sequence[int | Size]) -> list[tuple[int, ...]]:
    """Shapes of several sizes: the ends of their ranges, small ones, large ones."""
    rng = np.random.default_rng(0)
    sizes = dict.fromkeys([n for n in shape if isinstance(n, Size)])
    some = [{n: n.least for n in sizes}, {n: n.greatest for n in sizes}]
    some += [{n: int(rng.integers(n.least, n.greatest)) for n in sizes}]
    return [tuple([each[n] if isinstance(n, Size) else n for n in shape]) for each in some]


@pytest.mark.parametrize("name", CASES)
def test_every_size_gives_what_the_function_gives(name: str, tmp_path: Path) -> None:
    f, shape = CASES[name]
    for dtype in (fx.float64, fx.float32) if name == "gradients" else (fx.float64,):
        program = saved(export(jit(f), SizedArray(shape, dtype)), tmp_path)
        for known in shapes(shape):
            x = fx.asarray(np.random.default_rng(1).normal(size=known), dtype=dtype)
            expected: Any = jit(f)(x)
            assert bits(program(x)) == bits(expected), known


def test_functions_that_XLA_has_itself(tmp_path: Path) -> None:
    """A general program has StableHLO's formulas of them, a known one has them again."""

    def f(x: Any) -> Any:
        small = fx.tanh(x)
        return fx.special.erf(x), fx.special.erfinv(small), fx.asin(small), fx.sinh(x), fx.nextafter(x, small)

    program = saved(export(jit(f), SizedArray((N,), fx.float32)), tmp_path)
    x = fx.linspace(-3, 3, 50, dtype=fx.float32)
    assert bits(program(x)) == bits(jit(f)(x))


def test_derivatives(tmp_path: Path) -> None:
    def f(w: Any, x: Any) -> Any:
        return fx.tanh(x @ w)

    program = saved(export(jit(f), W, SizedArray((N, 4), fx.float64), derivatives=1), tmp_path)
    for n in (2, 7, 200):
        x = fx.asarray(np.random.default_rng(n).normal(size=(n, 4)))
        y, pullback = vjp(program, W, x)
        there, of_f = vjp(f, W, x)
        np.testing.assert_allclose(y, there, rtol=1e-14)
        for a, b in zip(pullback(y), of_f(there), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_what_it_says_of_itself(tmp_path: Path) -> None:
    f = jit(lambda x, y: {"all": fx.concatenate([x, y]).reshape(-1), "first": x[1:]})
    program = saved(export(f, SizedArray((N, 4), "float32"), y=SizedArray((M, 4), "float32")), tmp_path)
    assert repr(program) == (
        "<Program <lambda>(x: float32[n,4], y: float32[m,4]) -> (result['all']: float32[4*n + 4*m], "
        "result['first']: float32[-1 + n,4]), n from 2 to 200, m from 3 to 50>"
    )
    assert program.types == {"x": SizedArray((N, 4), fx.float32), "y": SizedArray((M, 4), fx.float32)}
    assert str(program.results["result['all']"]) == "float32[4*n + 4*m]"
    assert program.sizes == (N, M)


def test_it_runs_in_a_process_without_the_function(tmp_path: Path) -> None:
    @jit
    def f(x: Any) -> Any:
        return fx.sum(x * fx.arange(x.shape[0]))

    export(f, SizedArray((N,), fx.float64)).save(tmp_path / "f.program")
    script = """
        import sys, effects as fx
        from lowering import load_program
        program = load_program(sys.argv[1])
        print(*[program(fx.arange(float(n))).item() for n in (2, 3, 150)])
    """
    sums = [float(word) for word in printed(script, tmp_path / "f.program").split()]
    assert sums == [f(fx.arange(float(n))).item() for n in (2, 3, 150)]


def f(x: Any, y: Any = 0.0) -> Any:
    return (x @ W).T + y


def changed(key: str, value: Any, told: Any) -> None:
    told["head"]["open"][key] = value


def test_an_altered_head_is_refused(tmp_path: Path) -> None:
    export(f, SizedArray((N, 4), fx.float64)).save(tmp_path / "f.program")
    data = (tmp_path / "f.program").read_bytes()
    told = json.loads(data.split(b"\n")[2])["head"]["open"]
    for key, other in {
        "sizes": [["n", 1, 5], ["m", 1, 5]],
        "places": [[0, 7]],
        "arguments": told["arguments"][:0],
        "results": [[[[[["q"], 1]]], [[[[], 3]]]]],
    }.items():
        change: Any = partial(changed, key, other)
        (tmp_path / "g.program").write_bytes(with_head(change)(data))
        with pytest.raises(fx.FileError, match="its head is not that of a program"):
            load_program(tmp_path / "g.program")


def test_a_size_of_what_is_not_read(tmp_path: Path) -> None:
    f = jit(lambda x, y: y * x.shape[1])
    program = saved(export(f, SizedArray((3, N), fx.float64), 2.0, derivatives=1), tmp_path)
    x = fx.ones((3, 77))
    assert program(x, 2.0) == 154.0
    of_x, of_y = grad(program, argnums=(0, 1))(x, 2.0)
    assert of_y == 77.0 and not fx.any(of_x) and of_x.shape == (3, 77)


def test_large_numbers_are_rounded_as_those_of_the_function_are() -> None:
    """The mean divides by 3 * n, which float32 does not have exactly."""
    program = export(lambda x: fx.mean(x), SizedArray((Size("n", 2, 10**8), 3), fx.float32))
    assert program(fx.ones((1000, 3), dtype=fx.float32)) == 1.0


def test_polynomials() -> None:
    sizes = [N, M]
    one, three = [samples(sizes, (fx.ones((61, 7)),), degree) for degree in (1, 3)]
    for points in (one, three):
        assert all([N.least <= p["n"] <= N.greatest and M.least <= p["m"] <= M.greatest for p in points.each])
        assert {61, 7, 1}.isdisjoint([n for p in points.each[: len(points.powers)] for n in p.values()])
        fit = fitting(sizes, points)
        for f in (lambda n, m: 3, lambda n, m: n, lambda n, m: 2 * n * m - m + 4, lambda n, m: 0):
            assert fit([f(p["n"], p["m"]) for p in points.each], None).at({"n": 10, "m": 20}) == f(10, 20)
    fit = fitting(sizes, three)
    for f in (lambda n, m: n * n * m - 3 * m**3, lambda n, m: (n + m) ** 2):
        assert fit([f(p["n"], p["m"]) for p in three.each], None).at({"n": 10, "m": 20}) == f(10, 20)
    ns = np.array([p["n"] for p in three.each])
    for numbers in (ns // 2, ns * (ns + 1) // 2, ns**4):
        with pytest.raises(NoPolynomial):
            fit(numbers.tolist(), None)
    with pytest.raises(NoPolynomial):
        fitting(sizes, one)([p["n"] ** 2 for p in one.each], None)
    assert repr(Polynomial(((("n", "m"), 1), (("m",), -3), ((), 4)))) == "n*m - 3*m + 4"
    assert Polynomial(()).constant == 0


SHORT: Final = tuple([(Size("n", least, greatest),) for least, greatest in ((1, 9), (1, 17), (5, 13), (0, 6))])
PAIR: Final = (Size("n", 2, 1000), Size("m", 3, 1001))


@pytest.mark.parametrize("shape", [*SHORT, PAIR], ids=str)
def test_remainders_and_orders_of_sizes_are_seen(shape: tuple[Size, ...]) -> None:
    of_one: list[Callable[[Any], Any]] = [
        lambda x: x[: x.shape[0] // 2 * 2],
        lambda x: x * (x.shape[0] % 2),
        lambda x: fx.pad(x, (0, x.shape[0] % 2)),
    ]
    of_two: list[Callable[[Any], Any]] = [
        fx.trace,
        lambda x: fx.sum(x) / min(x.shape),
        lambda x: fx.ones(max(x.shape)) * fx.sum(x),
    ]
    for g in of_one if len(shape) == 1 else of_two:
        with pytest.raises(fx.ArgumentError, match="is not one program for all sizes"):
            export(g, SizedArray(shape, fx.float64))
