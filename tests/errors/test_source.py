"""The line that an error points at: the user's own, also through transformations, NumPy, and programs run again."""

from __future__ import annotations

import functools
import pickle
import threading
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from effects.arrays.array import Array
from effects.errors import EffaxError, MissingRule, ShapeError
from effects.program.chain import perform
from effects.program.custom import CustomOp
from effects.program.operation import operation
from effects.types.avals import ShapedArray, Typed
from tests.errors.expect import marked_line, refusal
from tests.errors.untyped import cond, fx, grad, jit, jvp, linearize, make_jaxpr, scan, vmap, while_loop

x3, x4 = fx.ones(3), fx.ones(4)


def bad(x: Any) -> object:
    y = fx.sin(x)
    z = y + x4  # here
    return fx.sum(z)


THROUGH: dict[str, Callable[[], object]] = {
    "eager": lambda: bad(x3),
    "jit": lambda: jit(bad)(x3),
    "vmap": lambda: vmap(bad)(fx.ones((2, 3))),
    "grad": lambda: grad(bad)(x3),
    "jvp": lambda: jvp(bad, (x3,), (x3,)),
    "linearize": lambda: linearize(bad, x3),
    "cond": lambda: cond(True, bad, bad, x3),
    "all": lambda: jit(vmap(grad(jit(lambda x: cond(x[0] > 0, bad, lambda y: y[0], x)))))(fx.ones((2, 3))),
    "partial": lambda: jit(functools.partial(bad))(x3),
    "map": lambda: list(map(bad, [x3])),
    "a tree": lambda: fx.tree_map(bad, {"a": x3}),
}


@pytest.mark.parametrize("through", THROUGH)
def test_the_line_of_the_operation(through: str) -> None:
    with pytest.raises(ShapeError) as caught:
        THROUGH[through]()
    assert caught.value.source is not None
    assert (caught.value.source.file, caught.value.source.line) == marked_line(bad)
    assert str(caught.value).endswith(f"{__file__}:{caught.value.source.line} (bad)")
    assert caught.value.message.startswith("add: cannot broadcast [3] with [4]")


def test_a_line_of_a_statement_over_several_lines() -> None:
    def spread() -> object:
        return fx.where(
            True,
            fx.add(  # here
                x3, x4
            ),
            x3,
        )

    refusal(ShapeError, "add", of=spread)


def test_numpy_and_the_standard_library_are_not_the_user() -> None:
    refusal(EffaxError, "numpy.min_scalar_type", of=lambda: jit(lambda x: np.min_scalar_type(x))(x3))
    refusal(ShapeError, "add", of=lambda: functools.reduce(fx.add, [x3, x4]))


def test_a_body_that_is_transformed_later_points_at_its_own_line() -> None:
    @operation
    class Opaque[V](CustomOp[V]):
        x: V

        def types(self: Opaque[Typed]) -> ShapedArray:
            return self.x.aval

        def evaluate(self: Opaque[Array]) -> Array:
            return self.x * 2

    @jit  # type: ignore[untyped-decorator]  # jit without its type
    def f(x: Any) -> Any:
        y = fx.sin(x)
        return perform(Opaque(y))  # here

    assert f(x3).shape == (3,)
    with pytest.raises(MissingRule, match=r"jvp\(self\)") as caught:
        jvp(f, (x3,), (x3,))
    assert caught.value.source is not None
    assert caught.value.source.line == marked_line(f.__wrapped__)[1]


def test_equal_programs_of_different_lines_keep_their_own() -> None:
    def first(x: Any) -> Any:
        return while_loop(lambda c: c < 10, lambda c: c * 2, x)  # here

    def second(x: Any) -> Any:
        return while_loop(lambda c: c < 10, lambda c: c * 2, x)  # here

    for f in (first, second):
        carrying = lambda c, v, f=f: (f(c), v)
        for inside in (
            lambda x, step=carrying: scan(step, x, x3)[0],
            lambda x, f=f: cond(x > 0, f, fx.sin, x),
            lambda x, f=f: cond(x < 0, fx.sin, f, x),
        ):
            for g in (inside, jit(inside)):
                with pytest.raises(MissingRule, match="while_loop") as caught:
                    grad(g)(1.0)
                assert f":{marked_line(f)[1]} ({f.__name__})" in str(caught.value)


def test_without_a_line() -> None:
    found: list[EffaxError] = []
    hook, threading.excepthook = threading.excepthook, lambda caught: found.append(cast("EffaxError", caught.exc_value))
    try:
        thread = threading.Thread(target=fx.sin, args=("a",))
        thread.start()
        thread.join()
    finally:
        threading.excepthook = hook
    assert found[0].source is None and str(found[0]) == found[0].message


def test_errors_travel_between_processes() -> None:
    with pytest.raises(ShapeError) as caught:
        fx.add(x3, x4)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is ShapeError and str(again) == str(caught.value) and again.message == caught.value.message


def test_programs_know_their_lines() -> None:
    def f(x: Any) -> Any:
        return fx.sin(x)  # here

    (eqn,) = make_jaxpr(f)(x3).eqns
    assert (eqn.source.file, eqn.source.line) == marked_line(f)
