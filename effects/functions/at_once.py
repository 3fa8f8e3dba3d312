"""What takes many operations and is computed at once where nobody sees them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from effects.arrays.concrete import Concrete, OnAccelerator
from effects.program.chain import ROOT, current
from effects.runtime.quiet import strict
from effects.runtime.room import room

type Rule = Callable[..., Any]


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
            except (OnAccelerator, FloatingPointError, np.linalg.LinAlgError):
                found = None
            return f(*args, **kwargs) if found is None else found

        return computed

    return decorate
