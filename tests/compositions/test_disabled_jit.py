"""`disable_jit`: programs as the Python that they are, with the values and derivatives of the staged ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
import handlers
from effects import Array
from effects.errors import ArgumentError, DeletedArrayError
from effects.program.chain import ROOT, chain
from handlers import associative_scan, checkpoint, fori_loop, grad, jacfwd, make_jaxpr, switch, vmap
from lowering import disable_jit, jit
from tests.reference.agreement import close

cond: Any = handlers.cond
scan: Any = handlers.scan
while_loop: Any = handlers.while_loop

X: Final = np.asarray([0.5, 1.5, 2.5])

# Of a scalar, each looking at the values it has where it runs as Python.
PROGRAMS: Final[dict[str, Callable[[Any, Callable[[Any], object]], Any]]] = {
    "jit": lambda x, see: jit(lambda x: (see(x), fx.sin(x) * x)[1])(x),
    "nested jit": lambda x, see: jit(lambda x: jit(lambda x: (see(x), fx.sin(x) * x)[1])(x) * 2.0)(x),
    "static": lambda x, see: jit(lambda x, n: (see(x), x**n)[1], static_argnums=1)(x, 2),
    "checkpoint": lambda x, see: checkpoint(lambda x: (see(x), fx.sin(x) * x)[1])(x),
    "cond": lambda x, see: cond(True, lambda x: (see(x), fx.sin(x))[1], lambda x: x, x),
    "cond, no": lambda x, see: cond(0, lambda x: x, lambda x: (see(x), fx.sin(x))[1], x),
    "switch": lambda x, see: switch(7, [lambda x: x, lambda x: (see(x), x * x)[1]], x),
    "scan": lambda x, see: scan(lambda c, y: ((see(c), c * x + y)[1], c), x, fx.arange(3.0)),
    "scan back": lambda x, see: scan(lambda c, y: ((see(c), c * x + y)[1], [c, y]), x, fx.arange(3.0), reverse=True),
    "scan of nothing": lambda x, see: (see(x), scan(lambda c, y: (c * x + y, c), x, fx.zeros(0)))[1],
    "while": lambda x, see: while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, (see(c[1]), c[1] * x)[1]), (0, x)),
    "fori": lambda x, see: fori_loop(1, 4, lambda i, c: (see(c), c * x + i)[1], x),
    "fori of nothing": lambda x, see: (see(x), fori_loop(4, 1, lambda i, c: c * x + i, x))[1],
    "map": lambda x, see: handlers.map(lambda y: (see(y), y * x)[1], fx.arange(3.0)),
    "associative": lambda x, see: associative_scan(lambda a, b: (see(a[0]), a * b)[1], x * fx.arange(1.0, 4.0)),
}
programs = pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)


def nothing(value: object) -> object:
    """Looks at nothing."""
    return value


def looking(seen: list[float]) -> Callable[[Any], object]:
    """Looks at a number."""
    return lambda value: seen.append(float(value))


@programs
def test_values(f: Callable[[Any, Callable[[Any], object]], Any]) -> None:
    expected = f(1.5, nothing)
    seen: list[float] = []
    with disable_jit():
        result = f(1.5, looking(seen))
    close(result, expected)
    assert seen
    assert chain() == (ROOT,)


@programs
def test_derivatives_and_lanes(f: Callable[[Any, Callable[[Any], object]], Any]) -> None:
    def total(x: Any, see: Callable[[Any], object] = nothing) -> Array:
        floats = [leaf for leaf in fx.tree_leaves(f(x, see)) if fx.isdtype(leaf.dtype, "real floating")]
        return fx.sum(fx.concat([fx.reshape(leaf, -1) for leaf in floats]))

    slope = jacfwd(total)(1.5)
    slopes = vmap(jacfwd(total))(fx.asarray(X))
    seen: list[float] = []
    with disable_jit():
        for derivative in (grad(total), jacfwd(total), grad(jit(total)), jit(grad(total))):
            close(derivative(1.5), slope)
        close(grad(lambda x: total(x, lambda v: looking(seen)(handlers.stop_gradient(v))))(1.5), slope)
        close(vmap(jacfwd(total))(fx.asarray(X)), slopes)
        close(grad(lambda xs: fx.sum(vmap(total)(xs)))(fx.asarray(X)), slopes)
    assert seen


def test_what_is_not_known_is_staged() -> None:
    xs = fx.asarray(X)
    with disable_jit():
        close(vmap(lambda x: cond(x > 1.0, lambda: x, lambda: -x))(xs), np.asarray([-0.5, 1.5, 2.5]))
        close(vmap(lambda x: while_loop(lambda c: c < x, lambda c: c + 1.0, 0.0))(xs), np.ceil(X))
        assert "cond" in str(make_jaxpr(lambda p: cond(p, lambda: 1.0, lambda: 2.0))(True))
        assert "call" not in str(make_jaxpr(jit(lambda x: x + 1.0))(1.0))


def test_a_while_loop_has_reverse_mode_then() -> None:
    root: Any = lambda a: while_loop(lambda x: abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2, a)
    with disable_jit():
        close(grad(root)(2.0), 0.5 / np.sqrt(2.0), rtol=1e-8)


def test_extents() -> None:
    seen: list[float] = []
    see = looking(seen)
    f: Any = jit(lambda x: (see(1.0), x)[1])
    with disable_jit():
        f(1.0)
        f(1.0)
        assert len(seen) == 2
        with disable_jit(False):
            f(1.0)
            f(1.0)
            assert len(seen) == 3
        f(1.0)
        assert len(seen) == 4
    f(1.0)
    assert len(seen) == 4
    a = fx.ones(2)
    with disable_jit():
        close(jit(lambda a: a + 1.0, donate_argnums=0)(a), np.full(2, 2.0))
    close(a, np.ones(2))
    with pytest.raises(ArgumentError, match="disable_jit: disable must be True or False"):
        disable_jit("no")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ZeroDivisionError), disable_jit():
        jit(lambda: 1 // 0)()
    assert chain() == (ROOT,)


def test_jit_with_arguments_is_a_decorator() -> None:
    @jit(static_argnums=0, donate_argnames="x")
    def power(n: int, x: Array) -> Array:
        return x**n

    close(power(3, fx.asarray([2.0])), np.asarray([8.0]))
    x = fx.asarray([2.0])
    close(power(2, x=x), np.asarray([4.0]))
    with pytest.raises(DeletedArrayError, match="was donated"):
        x + 1.0
    with pytest.warns(RuntimeWarning, match="power: arguments are donated, and keep their memory"):
        close(vmap(grad(power, argnums=1), in_axes=(None, 0))(2, fx.asarray([3.0])), np.asarray([6.0]))
