"""What takes many operations and is computed at once where nobody sees them: by NumPy, or by one compiled program."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, Final, cast

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, Host, OnAccelerator
from effects.arrays.lapack import FAILURES
from effects.program.chain import ROOT, current, installed
from effects.runtime.names import transformation
from effects.runtime.quiet import strict
from effects.runtime.room import room
from effects.types.dtypes import ALL

type Rule = Callable[..., Any]

_USUAL: Final = frozenset([d for d in ALL if d.dtype.isbuiltin == 1 and d.dtype.kind != "c"])


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


def settled[**P, R](f: Callable[P, R]) -> Callable[P, R]:
    """Decorator: f, of whose result the values of arguments say how long it is.

    What a program does with constants is not known while it is recorded. So f of constants is computed outside of it.
    """

    @wraps(f)
    def computed(*args: P.args, **kwargs: P.kwargs) -> R:
        if not (current().recorded and _constant([*args, *kwargs.values()])):
            return f(*args, **kwargs)
        with installed(ROOT):
            return f(*args, **kwargs)

    return computed


def _constant(given: object) -> bool:
    if isinstance(given, list | tuple):
        try:
            return all(map(_constant, given))
        except RecursionError:  # what is nested too deep f refuses in its own words
            return False
    return type(given) is Concrete or not isinstance(given, Array)


def with_rule[**P, R](rule: Callable[..., tuple[R, R]], f: Callable[P, R]) -> Callable[P, R]:
    """f with a rule for its derivative, of which nobody hears where no handler sees operations."""
    ruled: Callable[P, R] = transformation("custom_jvp")(rule)(f)

    @wraps(f)
    def computed(*args: P.args, **kwargs: P.kwargs) -> R:
        return (f if current() is ROOT else ruled)(*args, **kwargs)

    return computed


def with_slopes[**P](*slopes: Callable[..., Array] | None) -> Callable[[Callable[P, Array]], Callable[P, Array]]:
    """Decorator: f, whose derivative in each argument is a `slope(f(*args), *args)`, or None for what f computes.

    A slope is differentiated in turn: it is smooth where f changes over from one formula to another.
    """

    def decorate(f: Callable[P, Array]) -> Callable[P, Array]:
        def along(i: int) -> Callable[..., Array]:
            slope = slopes[i]
            if slope is not None:
                return lambda t, y, *args: t * slope(y, *args)
            return lambda t, y, *args: transformation("jvp")(
                lambda v: f(*args[:i], v, *args[i + 1 :]),  # type: ignore[call-arg]  # its arguments are by position
                (args[i],),
                (t,),
            )[1]

        @cache
        def ruled() -> Callable[P, Array]:
            function = transformation("custom_jvp")(f)
            function.defjvps(*map(along, range(len(slopes))))
            return cast(Callable[P, Array], function)

        @wraps(f)
        def computed(*args: P.args, **kwargs: P.kwargs) -> Array:
            return (f if current() is ROOT else ruled())(*args, **kwargs)

        return computed

    return decorate


def hosts(*xs: Array) -> list[Host] | None:
    """The elements of arrays of real numbers, where NumPy has the function, to the last bit.

    They are on the host, and no handler sees operations; else None.
    """
    if current() is not ROOT:
        return None
    try:
        found = [x.host for x in xs if type(x) is Concrete and x.aval.dtype in _USUAL]
    except OnAccelerator:
        return None
    return found if len(found) == len(xs) else None


def has_both_zeros(x: Host) -> bool:
    """Whether there may be equal elements that can be told apart: a -0 and another zero."""
    return x.dtype.kind == "f" and bool(np.signbit(x[x == 0]).any())
