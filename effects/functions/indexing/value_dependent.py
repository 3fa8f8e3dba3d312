"""Evaluation, while tracing, of functions whose result shape depends on values."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.program.chain import ROOT, current, installed


def outside_of_tracing[**P, R](f: Callable[P, R]) -> Callable[P, R]:
    """Decorator for functions whose result has a length that depends on the values of arguments.

    While a program is traced, even results of constants are unknown. So f of constants is computed outside of the
    trace.
    """

    @wraps(f)
    def computed(*args: P.args, **kwargs: P.kwargs) -> R:
        if not (current().recorded and _constant([*args, *kwargs.values()])):
            return f(*args, **kwargs)
        with installed(ROOT):
            return f(*args, **kwargs)

    return computed


def _constant(argument: object) -> bool:
    if isinstance(argument, list | tuple):
        try:
            return all(map(_constant, argument))
        except RecursionError:  # f refuses what is nested too deeply
            return False
    return type(argument) is Concrete or not isinstance(argument, Array)
