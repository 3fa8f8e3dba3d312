"""What takes many operations and is computed at once where nobody sees them: by NumPy, or by one compiled program."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from effects.arrays.concrete import Concrete, OnAccelerator
from effects.arrays.lapack import FAILURES
from effects.program.chain import ROOT, current
from effects.runtime.names import transformation
from effects.runtime.quiet import strict
from effects.runtime.room import room

type Rule = Callable[..., Any]


def compiled[**P, R](*static: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: one program for each shape, made of what NumPy does not have and would be compiled piece by piece.

    At the positions `static` are not arrays but hashable values.
    """

    def decorate(f: Callable[P, R]) -> Callable[P, R]:
        @cache
        def program() -> Callable[..., Any]:
            made: Callable[..., Any] = transformation("jit")(f, static_argnums=static)
            return made

        @wraps(f)
        def computed(*args: P.args, **kwargs: P.kwargs) -> R:
            found: R = (program() if current() is ROOT else f)(*args, **kwargs)
            return found

        return computed

    return decorate


def of_known[**P, R](rule: Rule, static: int = 0) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: where elements are known, on the host, and no handler sees operations, `rule` computes f on them.

    It is to f what a rule of evaluation is to an operation: it is given what f is, and gives what f does. Where that is
    None, or it raises as functions of matrices without a result do, f is called. The first `static` arguments are no
    arrays.
    """

    def decorate(f: Callable[P, R]) -> Callable[P, R]:
        @wraps(f)
        def computed(*args: P.args, **kwargs: P.kwargs) -> R:
            if current() is not ROOT:
                return f(*args, **kwargs)
            for x in args[static:]:
                if type(x) is not Concrete or x.aval.weak_type:
                    return f(*args, **kwargs)
            try:
                with room:
                    found = strict.run(rule, *args)
            except (OnAccelerator, *FAILURES):
                found = None
            return f(*args, **kwargs) if found is None else found

        return computed

    return decorate


def with_rule[**P, R](rule: Callable[..., tuple[R, R]], f: Callable[P, R]) -> Callable[P, R]:
    """f with a rule for its derivative, of which nobody hears where no handler sees operations."""
    ruled: Callable[P, R] = transformation("custom_jvp")(rule)(f)

    @wraps(f)
    def computed(*args: P.args, **kwargs: P.kwargs) -> R:
        return (f if current() is ROOT else ruled)(*args, **kwargs)

    return computed
