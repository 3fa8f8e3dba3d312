"""What every program with effects should give: the same text run by plain Python.

Control flow is Python's, a vmap is a loop over the lanes, and a capability is an object that changes when it is used.
Derivatives alone are the library's own, of eager code in which the mechanism has no part.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import effects as fx
import handlers as real
from effects import random, tree_map
from effects.program.chain import current
from handlers.stage import Stage
from handlers.taylor.series import Series

capabilities: list[Any] = []


def stacked(rows: list[Any]) -> Any:
    return tree_map(lambda *xs: fx.stack(xs), *rows)


def jet(f: Any, x: Any) -> Any:
    return real.jet(f, (x,), ((1.0, 0.5),))


def linearize(f: Any, x: Any) -> Any:
    value, derivative = real.linearize(f, x)
    return value, derivative(fx.asarray(2.0))


def vjp(f: Any, x: Any) -> Any:
    value, back = real.vjp(f, x)
    return value, back(fx.asarray(2.0))


def plain(x: Any) -> Any:
    """A value as it is outside of the derivatives that are over."""
    while hasattr(x, "owner") and x.owner is not None and not x.owner.alive:
        x = x.value() if isinstance(x, Series) else x.primal
    return x


def on_values(f: Any) -> Any:
    """A function of a scalar that does nothing where the library asks for the type of its result alone."""
    return lambda x: x if isinstance(current(), Stage) else f(x)


class Eager:
    """The transformations, by Python."""

    jit = checkpoint = staticmethod(lambda f: f)
    custom_vjp = staticmethod(lambda fwd, bwd: lambda f: real.custom_vjp(fwd, bwd)(on_values(f)))
    custom_jvp = staticmethod(lambda f: real.custom_jvp(on_values(f)))

    def evaluated(self, f: Any, x: Any) -> Any:
        return f(x)

    def cond(self, p: Any, f: Any, g: Any, *args: Any) -> Any:
        return f(*args) if bool(p) else g(*args)

    def switch(self, i: Any, fs: Any, *args: Any) -> Any:
        return fs[int(i)](*args)

    def scan(self, f: Any, init: Any, xs: Any, length: int | None = None) -> Any:
        rows, n = [], length or len(xs)
        for i in range(n):
            with Place(i):
                init, y = f(init, None if xs is None else xs[i])
            rows.append(y)
        return init, (None if rows[0] is None else stacked(rows))

    def fori_loop(self, a: int, b: int, f: Any, init: Any) -> Any:
        return self.scan(lambda c, i: (f(i, c), None), init, fx.arange(a, b))[0]

    def while_loop(self, c: Any, f: Any, init: Any) -> Any:
        while bool(c(init)):
            init = f(init)
        return init

    def map(self, f: Any, xs: Any) -> Any:
        return self.scan(lambda _, x: (0.0, f(x)), 0.0, xs)[1]

    def vmap(self, f: Any) -> Any:
        def mapped(xs: Any) -> Any:
            for cap in capabilities:
                cap.begin(len(xs))
            rows, error = [], None
            for i in range(len(xs)):
                for cap in capabilities:
                    cap.lane(i)
                with Place(i):
                    try:
                        rows.append(f(xs[i]))
                    except Failed as failed:
                        error = error or failed
            for cap in capabilities:
                cap.end()
            if error is not None:
                raise error
            return stacked(rows)

        return mapped

    def _around(self, transformation: Any) -> Any:
        def made(f: Any) -> Any:
            def run(*args: Any) -> Any:
                out = transformation(f)(*args)
                for cap in capabilities:
                    cap.strip()
                return out

            return run

        return made

    def _at(self, transformation: Any) -> Any:
        return lambda f, x: self._around(lambda f: lambda x: transformation(f, x))(f)(x)

    def __init__(self) -> None:
        self.grad, self.hessian = self._around(real.grad), self._around(lambda f: real.grad(real.grad(f)))
        self.jacfwd = self._around(real.jacrev)  # which runs the function once, eagerly
        self.jet, self.linearize, self.vjp = self._at(jet), self._at(linearize), self._at(vjp)
        self.jvp = lambda f, p, t: self._around(lambda f: lambda *_: real.jvp(f, p, t))(f)()


class Failed(Exception):
    pass


path: list[int] = []


class Place:
    def __init__(self, i: int) -> None:
        self.i = i

    def __enter__(self) -> None:
        path.append(self.i)

    def __exit__(self, *_: Any) -> None:
        path.pop()


class Cap:
    """A capability as an object; `state` is what begins anew, or goes on, in the lanes of a vmap."""

    def __init__(self, state: Any = None) -> None:
        self.state, self.saved, self.ends = state, [], []  # type: ignore[var-annotated]

    def begin(self, n: int) -> None:
        self.saved.append(self.state)
        self.ends.append([])

    def lane(self, i: int) -> None:
        if i:
            self.ends[-1].append(self.state)
        self.state = self.saved[-1]

    def end(self) -> None:
        ends, before = [*self.ends.pop(), self.state], self.saved.pop()
        self.state = self.merged(before, ends)

    def merged(self, before: Any, ends: list[Any]) -> Any:
        return before

    def strip(self) -> None:
        self.state = tree_map(plain, self.state)


class Added(Cap):
    """A cell, or a total: what the lanes added is added."""

    def merged(self, before: Any, ends: list[Any]) -> Any:
        return before + sum([end - before for end in ends])

    def get(self) -> Any:
        return self.state

    def put(self, value: Any) -> None:
        self.state = fx.asarray(value)

    def modify(self, f: Callable[[Any], Any]) -> None:
        self.put(f(self.state))

    def charge(self, amount: Any) -> None:
        self.state = self.state + amount

    ask = get


class Draws(Cap):
    """The state: a key, and how many were made of it."""

    def _key(self) -> Any:
        key, n = self.state
        self.state = (key, n + 1)
        return random.fold_in(key, n)

    def normal(self) -> Any:
        return random.normal(self._key())

    def uniform(self) -> Any:
        return random.uniform(self._key())

    def begin(self, n: int) -> None:
        self.lanes = [*getattr(self, "lanes", []), self._key()]
        super().begin(n)

    def lane(self, i: int) -> None:
        self.state = (random.fold_in(self.lanes[-1], i), 0)

    def end(self) -> None:
        self.lanes.pop()
        self.ends.pop()
        self.state = self.saved.pop()


class Emits(Cap):
    def emit(self, name: str, value: Any) -> None:
        self.state = {**self.state, (name, *path): fx.asarray(value)}

    def lane(self, i: int) -> None: ...
    def end(self) -> None: ...


class Chooses(Cap):
    """The choices of one path, prescribed; what follows them is False."""

    def __init__(self, given: tuple[bool, ...] = ()) -> None:
        super().__init__(0.0)
        self.given, self.made, self.weight = given, [], 1.0  # type: ignore[var-annotated]

    def flip(self, p: Any) -> Any:
        n = len(self.made)
        self.made.append(self.given[n] if n < len(self.given) else False)
        self.weight *= float(p) if self.made[-1] else 1.0 - float(p)
        return fx.asarray(self.made[-1])


def expectation(program: Callable[[Chooses], Any]) -> Any:
    """The mean of what a program gives over all of its paths, one run for each."""
    total, waiting = None, [()]
    while waiting:
        cap = Chooses(waiting.pop())
        value = program(cap)
        value = tree_map(partial(operator.mul, cap.weight), value)
        total = value if total is None else tree_map(lambda a, b: a + b, total, value)
        waiting += [(*cap.made[:i], True) for i in range(len(cap.given), len(cap.made))]
    return total


def _number(x: Any) -> float:
    return _number(x.value()) if isinstance(x, Series) else _number(x.primal) if hasattr(x, "primal") else float(x)


class Raises(Cap):
    def check(self, holds: Any, error: Any) -> None:
        if not bool(holds):
            raise Failed(_number(error.x))


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict | tuple | list) or isinstance(b, dict | tuple | list):
        if len(a) != len(b) or (isinstance(a, dict) and a.keys() != b.keys()):
            return False
        return all(
            [same(x, y) for x, y in ([(a[k], b[k]) for k in a] if isinstance(a, dict) else zip(a, b, strict=True))]
        )
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    x, y = fx.asarray(a), fx.asarray(b)
    return x.shape == y.shape and np.allclose(np.asarray(x), np.asarray(y), rtol=1e-9, atol=1e-12)
