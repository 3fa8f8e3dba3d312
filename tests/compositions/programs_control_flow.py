"""Programs of loops and choices that are closed under the transformations, each beside its value by NumPy.

One idea each, smooth where they are evaluated: recurrences, steps of differential equations, choices of the best,
linear algebra in loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import effects as fx
from effects import Array
from handlers import associative_scan, cond, fori_loop, grad, map, scan, switch, vmap
from lowering import jit
from tests.compositions.beside import Beside, beside
from tests.compositions.closure import Host
from tests.compositions.programs import numbers, scalar

type Binary = Callable[[Array, Array], Array]


def logistic_map(x: Array, r: Array) -> Array:
    return scan(lambda c, _: (r * c * (1.5 - c), None), x, length=3)[0]


def logistic_map_by_numpy(x: Host, r: Host) -> Any:
    for _ in range(3):
        x = r * x * (1.5 - x)
    return x


def leapfrog(state: dict[str, Array], k: Array) -> dict[str, Array]:
    def step(i: Array, s: dict[str, Array]) -> dict[str, Array]:
        half = s["p"] - 0.05 * k * fx.sin(s["q"])
        q = s["q"] + 0.1 * half
        return {"q": q, "p": half - 0.05 * k * fx.sin(q)}

    return fori_loop(0, 3, step, state)


def leapfrog_by_numpy(state: dict[str, Host], k: Host) -> Any:
    q, p = state["q"], state["p"]
    for _ in range(3):
        p = p - 0.05 * k * np.sin(q)
        q = q + 0.1 * p
        p = p - 0.05 * k * np.sin(q)
    return {"q": q, "p": p}


def runge_kutta(y: Array, steps: Array) -> tuple[Array, Array]:
    def f(y: Array) -> Array:
        return fx.stack([y[1], y[0] * (1.0 - y[1])])

    def step(y: Array, h: Array) -> tuple[Array, Array]:
        k1 = f(y)
        k2 = f(y + 0.5 * h * k1)
        new = y + h * (0.25 * k1 + 0.75 * f(y + h * (2.0 / 3.0) * k2))
        return new, new[0]

    return scan(step, y, steps)


def runge_kutta_by_numpy(y: Host, steps: Host) -> Any:
    def f(y: Host) -> Host:
        return np.stack([y[1], y[0] * (1 - y[1])])

    out = []
    for h in steps:
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        y = y + h * (k1 + 3 * f(y + h * 2 / 3 * k2)) / 4
        out.append(y[0])
    return y, np.stack(out)


def lstm(p: dict[str, Array], xs: Array) -> tuple[tuple[Array, Array], Array]:
    def step(carry: tuple[Array, Array], x: Array) -> tuple[tuple[Array, Array], Array]:
        h, c = carry
        gates = fx.reshape(p["w"] @ fx.concat([h, x]) + p["b"], (4, 1))
        c = fx.logistic(gates[0]) * c + fx.logistic(gates[1]) * fx.tanh(gates[2])
        h = fx.logistic(gates[3]) * fx.tanh(c)
        return (h, c), h

    return scan(step, (fx.zeros(1), fx.zeros(1)), xs)


def lstm_by_numpy(p: dict[str, Host], xs: Host) -> Any:
    h = c = np.zeros(1)
    out = []
    for x in xs:
        gates = (p["w"] @ np.concatenate([h, x]) + p["b"]).reshape(4, 1)
        forget, enter, leave = 1 / (1 + np.exp(-gates[[0, 1, 3]]))
        c = forget * c + enter * np.tanh(gates[2])
        h = leave * np.tanh(c)
        out.append(h)
    return (h, c), np.stack(out)


def beam(x: Array, choices: Array) -> tuple[Array, Array]:
    """The two best sums of choices; which they continue is an integer result."""

    def step(scores: Array, row: Array) -> tuple[Array, Array]:
        candidates = fx.reshape(scores[:, None] * 1.1 + fx.sin(row), (4,))
        first = fx.argmax(candidates)
        second = fx.argmax(fx.where(fx.arange(4) == first, -fx.inf, candidates))
        best = [fx.dynamic_index_in_dim(candidates, i, keepdims=False) for i in (first, second)]
        return fx.stack(best), fx.stack([first, second]) // 2

    return scan(step, x, choices)


def beam_by_numpy(x: Host, choices: Host) -> Any:
    parents = []
    for row in choices:
        candidates = (x[:, None] * 1.1 + np.sin(row)).reshape(4)
        best = np.argsort(-candidates)[:2]
        x = candidates[best]
        parents.append(best // 2)
    return x, np.stack(parents)


def viterbi(scores: Array, moves: Array) -> tuple[Array, Array]:
    """The best path forwards by maxima, then read backwards."""

    def forwards(best: Array, row: Array) -> tuple[Array, Array]:
        through = best[:, None] + moves
        return fx.max(through, axis=0) + row, fx.argmax(through, axis=0)

    last, came_from = scan(forwards, scores[0], scores[1:])

    def backwards(state: Array, row: Array) -> tuple[Array, Array]:
        before = fx.dynamic_index_in_dim(row, state, keepdims=False)
        return before, before

    return fx.max(last), scan(backwards, fx.argmax(last), came_from, reverse=True)[1]


def viterbi_by_numpy(scores: Host, moves: Host) -> Any:
    paths = [(i, j, k) for i in range(2) for j in range(2) for k in range(2)]
    totals = [sum(scores[t, p[t]] for t in range(3)) + moves[p[0], p[1]] + moves[p[1], p[2]] for p in paths]
    return np.max(totals), np.asarray(paths[int(np.argmax(totals))][:2])


def discounted(rewards: dict[str, Array], rate: Array) -> tuple[dict[str, Array], dict[str, Array]]:
    def step(total: dict[str, Array], r: dict[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
        new = {"a": r["a"] + rate * total["a"], "b": r["b"] * total["a"]}
        return new, {"a": new["a"], "b": new["b"][0]}

    return scan(step, {"a": rate * 0.0, "b": fx.ones(2)}, rewards, reverse=True, unroll=2)


def discounted_by_numpy(rewards: dict[str, Host], rate: Host) -> Any:
    a: Any = 0.0
    b = np.ones(2)
    out = []
    for r, s in list(zip(rewards["a"], rewards["b"], strict=True))[::-1]:
        a, b = r + rate * a, s * a
        out.append((a, b[0]))
    first, second = np.transpose(out[::-1])
    return {"a": a, "b": b}, {"a": first, "b": second}


def no_steps(x: Array, ys: Array) -> tuple[Array, Array, Array]:
    last, nothing = scan(lambda c, y: (c * fx.sum(y), c + y), fx.sin(x), fx.zeros((0, 2)) * ys)
    return last, nothing, fori_loop(2, 1, lambda i, c: c * x, x * x)


def no_steps_by_numpy(x: Host, ys: Host) -> Any:
    return np.sin(x), np.zeros((0, 2)), x * x


def switch_in_loop(x: Array, y: Array) -> Array:
    branches = [fx.sin, lambda c: c * x, lambda c: c + y * x]
    return fori_loop(1, 5, lambda i, c: switch(i % 3, branches, c * y), x)


def switch_in_loop_by_numpy(x: Host, y: Host) -> Any:
    c = x
    for i in range(1, 5):
        c = c * y
        c = (np.sin(c), c * x, c + y * x)[i % 3]
    return c


def linear_recurrence(a: Array, b: Array) -> tuple[Array, Array]:
    """Affine maps composed in a tree of logarithmic depth."""
    return associative_scan(lambda f, g: (f[0] * g[0], g[0] * f[1] + g[1]), (a, fx.sin(b)), reverse=True)


def linear_recurrence_by_numpy(a: Host, b: Host) -> Any:
    first, second = [a[-1]], [np.sin(b[-1])]
    for x, y in list(zip(a, b, strict=True))[-2::-1]:
        first.append(first[-1] * x)
        second.append(x * second[-1] + np.sin(y))
    return np.stack(first[::-1]), np.stack(second[::-1])


def mapped_in_batches(xs: Array, w: Array) -> Array:
    result: Array = map(lambda x: fx.exp(-x) @ w * x[0], xs, batch_size=2)
    return result


def mapped_in_batches_by_numpy(xs: Host, w: Host) -> Any:
    return np.stack([np.exp(-x) @ w * x[0] for x in xs])


def descent(x: Array, target: Array) -> tuple[Array, Array]:
    """A gradient inside of a loop."""

    def loss(x: Array) -> Array:
        return (fx.sin(x) - target) ** 2

    return scan(lambda x, rate: (x - rate * grad(loss)(x), loss(x)), x, fx.asarray([0.3, 0.1]))


def descent_by_numpy(x: Host, target: Host) -> Any:
    out = []
    for rate in (0.3, 0.1):
        out.append((np.sin(x) - target) ** 2)
        x = x - rate * 2 * (np.sin(x) - target) * np.cos(x)
    return x, np.stack(out)


def power_iteration(a: Array) -> tuple[Array, Array]:
    def step(i: Array, v: Array) -> Array:
        w = a @ v
        return w / fx.sqrt(fx.sum(w * w))

    v = fori_loop(0, 3, step, fx.asarray([1.0, 0.5]))
    return v @ (a @ v), v


def power_iteration_by_numpy(a: Host) -> Any:
    v = np.asarray([1.0, 0.5])
    for _ in range(3):
        v = a @ v / np.linalg.norm(a @ v)
    return v @ a @ v, v


def elimination(a: Array, b: Array) -> Array:
    """Gauss and Jordan: rows are read and written where the loop is."""
    table = fx.concat([a + 2.0 * fx.eye(2), b[:, None]], axis=1)

    def step(i: Array, table: Array) -> Array:
        row = fx.dynamic_index_in_dim(table, i, keepdims=False)
        row = row / fx.dynamic_index_in_dim(row, i, keepdims=False)
        factors = fx.dynamic_index_in_dim(table, i, axis=1, keepdims=False)
        return fx.dynamic_update_index_in_dim(table - factors[:, None] * row, row, i, axis=0)

    return fori_loop(0, 2, step, table)[:, 2]


def elimination_by_numpy(a: Host, b: Host) -> Any:
    return np.linalg.solve(a + 2 * np.eye(2), b)


def many_bodies(x: Array, m: Array) -> Array:
    """Forces between all pairs, by vmaps inside of a loop."""

    def force(a: Array, b: Array, m: Array) -> Array:
        return m * (b - a) / (1.0 + (b - a) ** 2)

    def forces(x: Array) -> Array:
        return fx.sum(vmap(vmap(force, (None, 0, 0)), (0, None, None))(x, x, m), axis=1)

    return scan(lambda s, _: ((s[0] + 0.1 * s[1], s[1] + 0.1 * forces(s[0])), None), (x, x * x), length=2)[0][0]


def many_bodies_by_numpy(x: Host, m: Host) -> Any:
    v = x * x
    for _ in range(2):
        d = x - x[:, None]
        x, v = x + 0.1 * v, v + 0.1 * np.sum(m * d / (1 + d**2), axis=1)
    return x


def scan_in_scan(x: Array, ys: Array) -> Array:
    """The inner one goes back, over what the outer one has."""

    def row(c: Array, y: Array) -> tuple[Array, Array]:
        inner, products = scan(lambda d, z: (d * z + c, d * y), c, ys[0] * x + ys, reverse=True)
        return fx.tanh(inner), fx.sum(products)

    last, sums = scan(row, x, ys)
    return last + fx.sum(sums)


def scan_in_scan_by_numpy(x: Host, ys: Host) -> Any:
    c, total = x, 0.0
    for y in ys:
        d = c
        for z in (ys[0] * x + ys)[::-1]:
            total = total + d * y
            d = d * z + c
        c = np.tanh(d)
    return c + total


def jits_and_branches(x: Array, ys: Array) -> Array:
    """A compiled scan of choices in a branch of a compiled function."""

    def step(c: Array, y: Array) -> tuple[Array, Array]:
        return cond(y * c > 0.8, lambda: fx.sin(c) * x, lambda: c + y), c

    run: Binary = jit(lambda x, ys: fx.sum(scan(step, x, ys)[1] * ys))
    outer: Binary = jit(lambda x, ys: cond(x > 0.0, lambda: run(x * x, ys), lambda: x))
    return outer(x, ys)


def jits_and_branches_by_numpy(x: Host, ys: Host) -> Any:
    c, total = x * x, 0.0
    for y in ys:
        total = total + c * y
        c = np.sin(c) * x if y * c > 0.8 else c + y
    return total


_X: Final = scalar(0.7)
_YS: Final = numbers(2, seed=51)
EVERY_MODE: Final[dict[str, Beside]] = {
    "logistic map": beside(logistic_map, logistic_map_by_numpy, _X, scalar(1.4)),
    "leapfrog": beside(leapfrog, leapfrog_by_numpy, {"q": _X, "p": scalar(0.2)}, scalar(1.1)),
    "runge kutta": beside(runge_kutta, runge_kutta_by_numpy, numbers(2, seed=52), numbers(2, seed=53) * 0.2),
    "lstm": beside(
        lstm, lstm_by_numpy, {"w": numbers(4, 2, seed=54), "b": numbers(4, seed=55)}, numbers(2, 1, seed=56)
    ),
    "beam": beside(beam, beam_by_numpy, numbers(2, seed=57), numbers(2, 2, 2, seed=58)),
    "viterbi": beside(viterbi, viterbi_by_numpy, numbers(3, 2, seed=59), numbers(2, 2, seed=60)),
    "discounted": beside(
        discounted, discounted_by_numpy, {"a": numbers(3, seed=61), "b": numbers(3, 2, seed=62)}, scalar(0.9)
    ),
    "no steps": beside(no_steps, no_steps_by_numpy, _X, _YS),
    "switch in loop": beside(switch_in_loop, switch_in_loop_by_numpy, _X, scalar(1.2)),
    "linear recurrence": beside(
        linear_recurrence, linear_recurrence_by_numpy, numbers(3, seed=63), numbers(3, seed=64)
    ),
    "mapped in batches": beside(mapped_in_batches, mapped_in_batches_by_numpy, numbers(3, 2, seed=65), _YS),
    "descent": beside(descent, descent_by_numpy, _X, scalar(0.3)),
    "power iteration": beside(power_iteration, power_iteration_by_numpy, numbers(2, 2, seed=66)),
    "elimination": beside(elimination, elimination_by_numpy, numbers(2, 2, seed=67), _YS),
    "many bodies": beside(many_bodies, many_bodies_by_numpy, numbers(2, seed=68), _YS),
    "scan in scan": beside(scan_in_scan, scan_in_scan_by_numpy, _X, _YS),
    "jits and branches": beside(jits_and_branches, jits_and_branches_by_numpy, _X, _YS),
}
