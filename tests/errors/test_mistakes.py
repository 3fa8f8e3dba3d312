"""Mistakes of somebody new, through transformations and loops: the message has the user's names, and what to write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest

from effects.errors import EffaxError
from tests.errors.untyped import cond, fx, grad, handlers, jacfwd, jacrev, jit, scan

integrate, optimize = fx.integrate, fx.optimize

W: Final = fx.zeros(3)
X: Final = fx.ones((8, 3))


@dataclass
class Params:
    w: Any


def _kept() -> object:
    kept: list[Any] = []

    def step(c: Any, x: Any) -> Any:
        kept.append(c)
        return c + fx.sum(x), None

    scan(step, 0.0, X)
    return kept[0] + 1


def _in_loop(**bounds: Any) -> object:
    return jit(lambda n: handlers.fori_loop(0, bounds.get("upper", n), lambda i, s: s + [1.0, 2.0][i], 0.0))(2)


def _of_carry() -> object:
    return handlers.fori_loop(0, 3, lambda i, s: {"a": s["a"] * int(s["a"])}, {"a": 1.0})


MISTAKES: Final[dict[str, tuple[Callable[[], object], tuple[str, ...]]]] = {
    "a list by the number of a step": (lambda: _in_loop(upper=2), ("it is argument i of", "fx.asarray(table)[key]")),
    "a list by the number of a step, unbounded": (_in_loop, ("it is argument i of",)),
    "a number of the carry": (_of_carry, ("argument s['a'] of <lambda>",)),
    "a carry that is kept": (_kept, ("(argument c of step, which was being staged)",)),
    "a step that gives one": (
        lambda: scan(lambda c, x: c, 0.0, X),
        ("must return (carry, y), got an array, float64[]",),
    ),
    "a branch without a result": (lambda: cond(True, lambda: 1.0, lambda: None), ("expected one array, got None",)),
    "a format": (lambda: jit(lambda x: f"{x.sum():.2f}")(W), ("debug_print('{:.2f}', x)",)),
    "a loss of two": (lambda: grad(lambda w: (w.sum(), w))(W), ("gives (float64[], float64[3])", "has_aux=True")),
    "a loss without a return": (lambda: jacrev(lambda w: None)(W), ("jacrev: <lambda> gives no array; return one",)),
    "another without a return": (lambda: jacfwd(lambda w: None)(W), ("jacfwd: <lambda> gives no array",)),
    "slopes in a list": (
        lambda: integrate.odeint(lambda y, t: [y[1], -y[0]], fx.zeros(2), [0.0, 1.0]),
        ("must be a tree like y0, differs at the top: expected one array, got list", "; write stack(…) for one array"),
    ),
    "a state in a list": (
        lambda: integrate.solve_ivp(lambda t, y: fx.stack([y[1], -y[0]]), (0.0, 1.0), [1.0, 0.0]),
        ("expected a list, got an array, float64[2]; write asarray(…) of a list that is meant as one",),
    ),
    "words among parameters": (
        lambda: grad(lambda p: p["w"].sum())({"w": W, "name": "net"}),
        ("argument p['name']", "got 'net' of type str", "keep what is no number out of the tree"),
    ),
    "a number for a matrix": (lambda: X @ 2, ("matmul needs rank >= 1", "a product with a number is written *")),
    "an array performed": (lambda: fx.perform(W), ("perform takes an operation, got an object of class Array",)),
    "nothing to print": (lambda: handlers.debug_print(W), ("fmt must be a format", "write debug_print('{}', x)")),
    "no key": (lambda: jit(lambda k: fx.random.normal(k, (3,)))(0), ("key must be a key, got an array, int64[];",)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str) -> None:
    program, words = MISTAKES[mistake]
    with pytest.raises(EffaxError) as caught:
        program()
    assert all([word in caught.value.message for word in words]), caught.value.message
    assert caught.value.source is not None and caught.value.source.file == __file__


def motion(state: Any, time: Any) -> Any:
    return state * float(fx.sum(time))


def of_one(state: Any) -> Any:
    return state * float(fx.sum(state))


event = integrate.Event(lambda time, state: motion(time, state))
CALLED: Final[dict[str, tuple[Callable[[], object], str]]] = {
    "odeint": (lambda: integrate.odeint(motion, W, [0.0, 1.0]), "argument time of motion,"),
    "odeint of a parameter": (
        lambda: integrate.odeint(lambda y, t, rate: y * float(rate), W, [0.0, 1.0], 2.0),
        "rate of",
    ),
    "solve_ivp": (lambda: integrate.solve_ivp(motion, [0.0, 1.0], W), "in motion, which"),
    "an event": (lambda: integrate.solve_ivp(lambda t, y: y, [0.0, 1.0], W, events=[event]), "in <lambda>, which"),
    "quad": (lambda: integrate.quad(of_one, 0.0, 1.0), "argument state of of_one,"),
    "minimize": (lambda: optimize.minimize(lambda p: fx.sum(of_one(p)), W), "in <lambda>, which"),
    "root": (lambda: optimize.root(of_one, W), "in of_one, which"),
    "least_squares": (lambda: optimize.least_squares(of_one, W), "in of_one, which"),
    "line_search": (lambda: optimize.line_search(lambda p: fx.sum(of_one(p)), W, W), "in <lambda>, which"),
    "map": (lambda: handlers.map(of_one, W), "argument state of of_one,"),
    "apply_along_axis": (lambda: handlers.apply_along_axis(of_one, 0, X), "computed in of_one"),
    "vectorize": (lambda: handlers.vectorize(of_one)(W), "of of_one, a batch"),
    "cg": (lambda: handlers.cg(of_one, W), "in of_one, which"),
    "check_grads": (lambda: handlers.check_grads(of_one, (W,)), "would lose what Jvp(of_one) knows"),
}


@pytest.mark.parametrize("called", CALLED)
def test_messages_have_the_names_of_the_users_functions(called: str) -> None:
    program, words = CALLED[called]
    with pytest.raises(EffaxError) as caught:
        program()
    assert words in caught.value.message, caught.value.message


def test_results_have_no_static_arguments() -> None:
    with pytest.raises(EffaxError, match=r"write @effects.register above class Params\n"):
        jit(lambda w: Params(w))(W)
