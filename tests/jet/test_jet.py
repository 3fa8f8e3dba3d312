"""Taylor mode against nested forward mode, to order 5, and under every other handler."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any, Final

import pytest

import effects as fx
from effects import Array, perform
from effects.program.custom import CustomOp
from effects.program.operation import operation
from handlers import checkpoint, cond, custom_jvp, grad, jet, jvp, make_jaxpr, scan, vmap, while_loop
from lowering import jit
from tests.jet.programs import PROGRAMS, TERMS, Function, X, nested, transposed
from tests.reference.agreement import close

ORDER: Final = len(TERMS)


def series_of(f: Function) -> Function:
    return lambda x, *terms: jet(f, (x,), (terms,))


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_as_nested_forward_mode(name: str) -> None:
    f = PROGRAMS[name]
    expected = transposed(*nested(f, (X,), (TERMS,)))
    close(jet(f, (X,), (TERMS,)), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", PROGRAMS)
def test_commutes_with_jit(name: str) -> None:
    f = PROGRAMS[name]
    expected = jet(f, (X,), (TERMS,))
    close(jet(jit(f), (X,), (TERMS,)), expected, rtol=1e-9, atol=1e-10)
    close(jit(series_of(f))(X, *TERMS), expected, rtol=1e-9, atol=1e-10)
    close(jit(series_of(jit(f)))(X, *TERMS), expected, rtol=1e-9, atol=1e-10)


SMOOTH: Final = ("sin", "tanh", "of each other", "cond", "choice", "loop", "power", "several", "prod", "jit")


@pytest.mark.parametrize("name", SMOOTH)
def test_commutes_with_vmap(name: str) -> None:
    f = PROGRAMS[name]
    xs, terms = fx.stack([X, X + 0.2]), [fx.stack([c, 2 * c]) for c in TERMS]
    lanes = vmap(series_of(f))(xs, *terms)
    close(jet(vmap(f), (xs,), (terms,)), lanes, rtol=1e-9, atol=1e-10)
    each = [jet(f, (xs[i],), ([c[i] for c in terms],)) for i in range(2)]
    close(lanes, fx.tree_map(lambda a, b: fx.stack([a, b]), *each), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", ("sin", "of each other", "cond", "power", "prod"))
def test_composes_with_derivatives(name: str) -> None:
    f = PROGRAMS[name]
    total = lambda x: fx.sum(f(x))
    of_gradient = jet(grad(total), (X,), (TERMS[:3],))
    close(of_gradient, transposed(*nested(grad(total), (X,), (TERMS[:3],))), rtol=1e-9, atol=1e-9)

    def second(x: Array) -> Array:
        return fx.sum(jet(f, (x,), (TERMS[:2],))[1][1])

    def second_by_jvp(x: Array) -> Array:
        return fx.sum(nested(f, (x,), (TERMS[:2],))[1][1])

    close(grad(second)(X), grad(second_by_jvp)(X), rtol=1e-9, atol=1e-9)
    close(jit(grad(second))(X), grad(second_by_jvp)(X), rtol=1e-9, atol=1e-9)


def test_jets_of_jets() -> None:
    def inner(x: Array) -> Any:
        return jet(lambda y: fx.sin(x * y), (x,), ([X, fx.zeros(3)],))[1][1]  # differs in the two handlers' x

    def by_jvp(x: Array) -> Any:
        return nested(lambda y: fx.sin(x * y), (x,), ([X, fx.zeros(3)],))[1][1]

    close(jet(inner, (X,), (TERMS[:3],)), transposed(*nested(by_jvp, (X,), (TERMS[:3],))), rtol=1e-9, atol=1e-9)


def test_several_arguments_and_trees() -> None:
    def f(p: dict[str, Array], y: Array, n: Array) -> tuple[Array, dict[str, Array]]:
        return fx.sin(p["w"]) * y + n, {"dot": p["w"] @ y, "n": n}

    y, yterms = fx.cos(X), [TERMS[1], TERMS[0], TERMS[2]]
    actual = jet(f, ({"w": X}, y, fx.asarray(2)), ({"w": TERMS[:3]}, yterms, [0, 0, 0]))
    expected = transposed(*nested(lambda w, y: f({"w": w}, y, fx.asarray(2)), (X, y), (TERMS[:3], yterms)))
    close(actual, expected, rtol=1e-9, atol=1e-9)
    assert actual[0][1]["n"].dtype is fx.int64


@pytest.mark.parametrize("x", [0.0, 1.5])
def test_polynomials_are_finite(x: float) -> None:
    direction = [1.0, *[0.0] * 6]
    value, found = jet(lambda x: 2 * x**3 - x**2 + 5, (x,), (direction,))
    close([value, *found], [2 * x**3 - x**2 + 5, 6 * x**2 - 2 * x, 12 * x - 2, 12.0, 0.0, 0.0, 0.0, 0.0])
    for exponent in (4, 5):
        _, powers = jet(lambda x: fx.pow(x, exponent), (x,), (direction,))  # noqa: B023  # used at once
        falling = [factorial(exponent) / factorial(exponent - k) if k <= exponent else 0.0 for k in range(1, 8)]
        close(powers, [c * x ** max(exponent - k, 0) for k, c in enumerate(falling, 1)])


def test_known_series_to_order_twenty() -> None:
    order = 20
    direction = [1.0, *[0.0] * (order - 1)]
    close(jet(fx.exp, (0.0,), (direction,))[1], [1.0] * order)
    close(jet(lambda x: 1 / (1 - x), (0.0,), (direction,))[1], [float(factorial(k)) for k in range(1, order + 1)])
    close(jet(fx.sin, (0.0,), (direction,))[1], [float((0, 1, 0, -1)[k % 4]) for k in range(1, order + 1)])
    tangent = jet(fx.tan, (0.0,), (direction,))[1]
    close(tangent[:9:2], [1.0, 2.0, 16.0, 272.0, 7936.0], rtol=1e-12)


def test_work_grows_as_a_power_of_the_order() -> None:
    def equations(f: Function, order: int) -> int:
        return len(make_jaxpr(series_of(f))(X, *[X] * order).eqns)

    for name in ("sin", "of each other", "power", "lgamma", "division"):
        assert equations(PROGRAMS[name], 16) < 9 * equations(PROGRAMS[name], 8), name


def test_what_does_not_vary_costs_nothing() -> None:
    jaxpr = make_jaxpr(lambda x, y: jet(lambda x: fx.sin(y) * x, (x,), ([1.0, 1.0],))[1])(1.0, 2.0)
    assert [eqn.op.name for eqn in jaxpr.eqns].count("sin") == 1
    assert not [eqn for eqn in jaxpr.eqns if eqn.op.name == "cos"]


def test_branches_that_vary_differently() -> None:
    def triple(x: Array) -> Array:
        return 3 * x

    def one(x: Array) -> Array:
        return fx.asarray(1.0)

    def f(x: Array) -> Array:
        return cond(x > 0, triple, one, x) + cond(x > 0, one, fx.square, x)

    for x in map(fx.asarray, (0.5, -0.5)):
        found = jet(f, (x,), ([1.0, 0.0],))
        close(found, (f(x), [3.0, 0.0] if x > 0 else [2 * x, 2.0]))
        close(jit(series_of(f))(x, 1.0, 0.0), found)


def test_goes_through_checkpoints() -> None:
    f = PROGRAMS["of each other"]
    close(jet(checkpoint(f), (X,), (TERMS,)), jet(f, (X,), (TERMS,)), rtol=1e-9)


@operation
class SinCos[V](CustomOp[V, tuple[Array, Array]]):
    """A user's operation: its jvp rule is all that its jets need."""

    x: V

    def evaluate(self: SinCos[Array]) -> tuple[Array, Array]:
        return fx.sin(self.x), fx.cos(self.x)

    def jvp(self: SinCos[Any]) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        sin, cos = perform(SinCos(self.x.primal))
        scaled = jit(fx.multiply)
        return (sin, cos), (scaled(cos, self.x.tangent), -scaled(sin, self.x.tangent))


def test_operations_of_users() -> None:
    found = jet(lambda x: perform(SinCos(x)), (X,), (TERMS,))
    close(found, jet(lambda x: (fx.sin(x), fx.cos(x)), (X,), (TERMS,)), rtol=1e-9)


def _newton(x: Array, steps: int = 6) -> Array:
    y = fx.ones_like(x)
    for _ in range(steps):
        y = y - (y * y - x) / (2 * y)
    return y


def test_an_iteration_has_the_derivatives_of_its_limit() -> None:
    terms: Sequence[Array] = TERMS[:4]
    close(jet(lambda x: _newton(x, 9), (X,), (terms,)), jet(fx.sqrt, (X,), (terms,)), rtol=1e-8, atol=1e-8)


def test_precisions() -> None:
    for dtype in (fx.float32, fx.bfloat16):
        value, rates = jet(fx.sin, (X.astype(dtype),), ([c.astype(dtype) for c in TERMS],))
        assert {v.dtype for v in (value, *rates)} == {dtype}
    values = jvp(fx.sin, (X,), (TERMS[0],))
    close(jet(fx.sin, (X,), ([TERMS[0]],)), (values[0], [values[1]]))


def test_rules_of_functions() -> None:
    @custom_jvp
    def scaled(x: Array, y: Array) -> Array:
        return fx.sin(x) * y

    @scaled.defjvp
    def rule(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
        (x, y), (dx, dy) = primals, tangents
        return scaled(x, y), 3 * fx.cos(x) * y * dx + scaled(x, dy)

    f = lambda x: scaled(x, fx.exp(x))
    expected = transposed(*nested(f, (X,), (TERMS[:4],)))
    for g in (f, jit(f), checkpoint(f), lambda x: cond(x[0] > 0, f, fx.sin, x)):
        close(jet(g, (X,), (TERMS[:4],)), expected, rtol=1e-9)
        close(jit(series_of(g))(X, *TERMS[:4]), expected, rtol=1e-9)


def test_loops() -> None:
    def scanned(x: Array) -> Any:
        return scan(lambda c, w: (c * fx.sin(w), c + x), fx.ones(3), fx.stack([x, x * x, fx.ones(3)]))

    def repeated(x: Array) -> Any:
        return while_loop(lambda c: fx.sum(c[1]) < 5, lambda c: (fx.sin(c[0]) * x, c[1] + 1.0), (X, fx.zeros(3)))

    for f in (scanned, repeated):
        expected = transposed(*nested(f, (X,), (TERMS[:3],)))
        close(jet(f, (X,), (TERMS[:3],)), expected, rtol=1e-9, atol=1e-10)
        close(jit(series_of(f))(X, *TERMS[:3]), expected, rtol=1e-9, atol=1e-10)
