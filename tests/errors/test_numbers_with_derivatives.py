"""What has a derivative is not made a number of Python behind the derivative's back: it would come out as zero.

What does not vary with it stays: truth, integer parts, text, and numbers of `stop_gradient`.
"""

from __future__ import annotations

import array
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects.errors import ConcretizationError, EffaxError
from tests.errors.expect import marked_line
from tests.errors.untyped import fx, grad, handlers as h, jacrev, jit, jvp, linearize, vjp, vmap

PERCENT = "%.3f"


def written(v: Any, out: Any) -> Any:
    out[0] = v[0] ** 2  # here
    return fx.sum(fx.asarray(out))


def filled(v: Any) -> Any:
    out = np.zeros(3)
    out.fill(v[0])
    return fx.sum(fx.asarray(out))


DERIVATIVES: dict[str, Callable[[Callable[[Any], Any]], object]] = {
    "grad": lambda f: grad(f)(fx.ones(3)),
    "jvp": lambda f: jvp(f, (fx.ones(3),), (fx.ones(3),)),
    "vjp": lambda f: vjp(f, fx.ones(3)),
    "linearize": lambda f: linearize(f, fx.ones(3)),
    "jacrev": lambda f: jacrev(f)(fx.ones(3)),
    "hessian": lambda f: h.hessian(f)(fx.ones(3)),
    "jet": lambda f: h.jet(f, (fx.ones(3),), ((fx.ones(3),),)),
}

NUMBERS: dict[str, Callable[[Any], Any]] = {
    "float": lambda v: fx.asarray(float(v[0]) ** 2),
    "complex": lambda v: fx.asarray(abs(complex(v[0]))),
    "math": lambda v: fx.asarray(math.exp(v[0])),
    "math of several": lambda v: fx.asarray(math.hypot(*v)),
    "numpy's number": lambda v: fx.asarray(np.float64(v[0])),
    "numpy's array": lambda v: fx.asarray(np.asarray(v[0])),
    "numpy's array of some": lambda v: fx.asarray(np.array([v[0], v[1]])).sum(),
    "item": lambda v: fx.asarray(v[0].item()),
    "item at a place": lambda v: fx.asarray(v.item(1)),
    "tolist": lambda v: fx.sum(fx.asarray(v.tolist())),
    "another array": lambda v: fx.asarray(array.array("d", v)[0]),
    "percent": lambda v: fx.asarray(float(PERCENT % v[0])),
    "written": lambda v: written(v, np.zeros(3)),
    "filled": filled,
    "from an iterable": lambda v: fx.sum(fx.asarray(np.fromiter(v, float))),
}


@pytest.mark.parametrize("under", DERIVATIVES)
@pytest.mark.parametrize("asked", NUMBERS)
def test_refused(asked: str, under: str) -> None:
    with pytest.raises(ConcretizationError) as caught:
        DERIVATIVES[under](NUMBERS[asked])
    message = str(caught.value)
    assert "would lose what J" in message and "its derivative" in message, message
    assert "stop_gradient(x)" in message, message
    instead = "fx.asarray(table).at[key]" if asked == "written" else "fx.stack"
    assert instead in message or "item" in asked or asked == "tolist", message
    assert caught.value.source is not None and caught.value.source.file == __file__


STATIC: dict[str, Callable[[Any], Any]] = {
    "fill_value of take": lambda x: fx.take(fx.ones(3), fx.asarray([7]), mode="fill", fill_value=x),
    "fill_value of get": lambda x: fx.ones(3).at[fx.asarray([7])].get(mode="fill", fill_value=x),
    "init": lambda x: fx.reduce_window(fx.ones(3), x, fx.add, 2),
    "range": lambda x: fx.histogram(fx.ones(3), range=(0.0, x))[1],
    "nan": lambda x: fx.nan_to_num(fx.asarray([np.nan]), nan=x),
    "correction": lambda x: fx.var(fx.asarray([1.0, 2.0, 5.0]), correction=x),
    "ddof": lambda x: fx.cov(fx.ones((2, 3)), ddof=x),
    "beta": lambda x: fx.kaiser(5, x),
}


@pytest.mark.parametrize("asked", STATIC)
def test_static_numbers_have_no_derivative(asked: str) -> None:
    f = STATIC[asked]
    with pytest.raises(EffaxError, match=f"{asked.split(' ', maxsplit=1)[0]} must be"):
        grad(lambda x: fx.sum(f(x)))(2.0)
    f(fx.asarray(2.0))


def test_what_does_not_vary_stays() -> None:
    texts: list[str] = []

    def f(x: Any) -> Any:
        texts.append(f"{x:.2f} {x}")
        texts.append(PERCENT % h.stop_gradient(x))
        return (x if x > 0 else -x) * int(x) + round(x) * 0 + float(h.stop_gradient(x)) * x + [1, 2, 3][int(x)]

    assert grad(f)(2.5) == 4.5
    assert texts == ["2.50 2.5", "2.500"]
    assert h.jet(f, (2.5,), ((1.0,),))[1][0] == 4.5


WITHIN: dict[str, Callable[[Callable[[Any], Any]], object]] = {
    **DERIVATIVES,
    "jit": lambda f: jit(f)(fx.ones(3)),
    "vmap": lambda f: vmap(f)(fx.ones((2, 3))),
    "cond": lambda f: h.cond(True, f, f, fx.ones(3)),
    "scan": lambda f: h.scan(lambda c, _: (f(c), None), fx.ones(3), None, 3),
    "while_loop": lambda f: h.while_loop(lambda c: True, f, fx.ones(3)),
    "eval_shape": lambda f: h.eval_shape(f, fx.ones(3)),
    "jit of grad": lambda f: jit(grad(f))(fx.ones(3)),
}


@pytest.mark.parametrize("within", WITHIN)
def test_writing_into_numpy_says_what_to_write(within: str) -> None:
    """NumPy raises an error of its own, whatever the array says: `setting an array element with a sequence`."""
    with pytest.raises(ConcretizationError, match=r"fx.asarray\(table\).at\[key\].set\(x\), or run") as caught:
        WITHIN[within](lambda v: written(v, np.zeros(3)))
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
    assert caught.value.source is not None and caught.value.source.line == marked_line(written)[1]


def test_own_errors_with_a_cause_stay() -> None:
    def f(x: Any) -> Any:
        try:
            return float(x)
        except ConcretizationError as error:
            raise ValueError("mine") from error

    for transformed in (jit(f), grad(f)):
        with pytest.raises(ValueError, match="mine"):
            transformed(1.0)
