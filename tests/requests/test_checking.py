"""Where NaN and infinities come from: the operation, its line, the step of a loop, the way there or back."""

from __future__ import annotations

from typing import Any

import pytest

import effects as fx
from effects.errors import NotFiniteError
from handlers import Violation, checking, cond, debug_nans, debug_print, fori_loop, grad, jvp, scan, vmap, while_loop
from lowering import jit

X = fx.asarray([1.0, 0.0, 2.0])
ROWS = fx.asarray([1.0, 4.0, 0.0, 9.0])


def roots(x: Any) -> Any:
    return fx.sum(fx.sqrt(x))


def trap(x: Any) -> Any:
    return fx.sum(fx.where(x > 0, fx.sqrt(x), 0.0))


def logs(x: Any) -> Any:
    return scan(lambda c, _: (fx.log(c), c), x, length=6)[0]


def summed(rows: Any) -> Any:
    return scan(lambda c, row: (c * 1.5 + fx.sqrt(row), None), fx.asarray(1.0), rows)[0]


def nested(x: Any) -> Any:
    def outer(c: Any, _: Any) -> Any:
        return scan(lambda d, _: (d - 1.0 + 0.0 * fx.sqrt(d), None), c, length=3)[0], None

    return scan(outer, x, length=4)[0]


def repeated(x: Any) -> Any:
    return while_loop(lambda c: c[0] < 8, lambda c: (c[0] + 1, fx.sqrt(c[1] - 1.0) + 0.0 * c[1]), (0, x))[1]


def counted(x: Any) -> Any:
    return fori_loop(0, 5, lambda i, c: fx.sqrt(c - 1.0), x)


def in_a_branch(x: Any) -> Any:
    return cond(x[0] > 0, lambda: roots(-x), lambda: roots(x))


def printed(x: Any) -> Any:
    debug_print("{}", x)
    return fx.log(x)


# The program, its argument, (what, operation, differentiated, on the way back, steps): worked out by hand.
CASES: Any = {
    "forward": (roots, -X, ("nan", "sqrt", "", False, [])),
    "infinite": (lambda x: 1.0 / x, X, ("inf", "div", "", False, [])),
    "derivative": (grad(roots), X, ("inf", "rsqrt", "sqrt", False, [])),
    "product with zero on the way back": (grad(trap), X, ("inf", "rsqrt", "sqrt", False, [])),
    "directional": (lambda x: jvp(roots, (x,), (x,))[1], X, ("inf", "rsqrt", "sqrt", False, [])),
    "of a jitted function": (grad(jit(roots)), X, ("inf", "rsqrt", "sqrt", False, [])),
    "loop": (logs, fx.asarray(20.0), ("nan", "log", "", False, [4])),
    "loop in lanes": (vmap(logs), fx.asarray([20.0, 60.0]), ("nan", "log", "", False, [4])),
    "derivative of a loop": (grad(summed), ROWS, ("inf", "rsqrt", "sqrt", False, [2])),
    "nested loops": (nested, fx.asarray(6.5), ("nan", "sqrt", "", False, [2, 1])),
    "while_loop": (repeated, fx.asarray(3.5), ("nan", "sqrt", "", False, [2])),
    "fori_loop": (counted, fx.asarray(3.5), ("nan", "sqrt", "", False, [2])),
    "branch": (in_a_branch, X, ("nan", "sqrt", "", False, [])),
}


def _told(violation: Violation) -> tuple[Any, ...]:
    steps = [int(step) for step in violation.steps]
    return violation.what, violation.operation, violation.differentiated, violation.backward, steps


@pytest.mark.parametrize("name", CASES)
def test_a_violation_says_where_it_comes_from(name: str) -> None:
    f, x, expected = CASES[name]
    columns: list[Any] = [checking(f, inf=True), jit(checking(f, inf=True)), checking(jit(f), inf=True)]
    for checked in columns:
        violation = checked(x).result().failure()
        assert _told(violation) == expected and __file__ in violation.line, (name, checked)


def test_the_way_back_is_told_from_the_way_there() -> None:
    columns: list[Any] = [checking(grad(trap)), jit(checking(grad(trap))), checking(jit(grad(trap)))]
    for checked in columns:
        violation = checked(X).result().failure()
        assert _told(violation) == ("nan", "mul", "sqrt", True, []) and "(trap)" in violation.line
        assert str(violation).startswith("mul gives nan, in the derivative of sqrt on the way back\n  at ")
    assert str(checking(nested)(fx.asarray(6.5)).result().failure()).startswith("sqrt gives nan, in step 2, 1\n")


def test_infinities_are_looked_for_when_asked() -> None:
    masked = lambda x: fx.max(fx.where(x > 0, x, -fx.inf))
    assert float(checking(masked)(X).result().unwrap()) == 2.0
    assert checking(lambda x: 1.0 / x, nan=False, inf=True)(X).result().failure().what == "inf"
    assert summed(ROWS).tolist() == checking(summed)(ROWS).result().unwrap().tolist()


def test_a_block_in_which_nan_is_an_error() -> None:
    f: Any = jit(grad(trap))
    runs: list[tuple[Any, str]] = [
        (lambda: roots(-X), r"^sqrt gives nan \(debug_nans\)"),
        (lambda: grad(trap)(X), r"^mul gives nan, in the derivative of sqrt on the way back \(debug_nans\)"),
        (lambda: f(X), rf"^mul gives nan, in the derivative of sqrt on the way back, at {__file__}:\d+ \(trap\)"),
        (lambda: jit(logs)(20.0), r"log gives nan, in step 4, at"),
        (lambda: jit(printed)(fx.asarray(-1.0)), "gives nan"),
    ]
    for run, message in runs:
        with pytest.raises(NotFiniteError, match=message) as caught, debug_nans():
            run()
        assert isinstance(caught.value, FloatingPointError)
    with debug_nans():
        assert f(X[:1]).tolist() == [0.5] and (1.0 / X)[1].tolist() == fx.inf
    with pytest.raises(NotFiniteError, match="divide gives inf"), debug_nans(inf=True):
        1.0 / X
    assert jit(logs)(20.0).aval.shape == ()  # whose NaN is none of its concern any more
