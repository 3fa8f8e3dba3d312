"""Calls of other libraries' functions on arrays that can be assigned to: eagerly, compiled, differentiated."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

import effects as fx
from handlers import jvp, writable
from lowering import jit

MODES: Final = ("eager", "jit", "grad")


def leaves(result: Any) -> Iterator[Any]:
    """The arrays and numbers of a result: of tuples, and of the objects that SciPy's tests of hypotheses give."""
    if isinstance(result, fx.Array | np.ndarray | np.generic | float | int):
        yield result
    elif isinstance(result, tuple | list):
        for part in result:
            yield from leaves(part)
    elif isinstance(result, dict):
        yield from leaves([result[key] for key in sorted(result)])
    elif result is not None and not isinstance(result, str) and not callable(result):
        yield from leaves([value for _, value in sorted(getattr(result, "__dict__", {}).items())])


def attempt(mode: str, f: Callable[[Any], Any], x: np.ndarray[Any, Any]) -> str:
    """Empty where f does in this mode what it does with NumPy; what is wrong, otherwise."""
    arrays: Callable[[Any], list[fx.Array]] = lambda x: [fx.asarray(leaf) for leaf in leaves(f(x))]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = [np.asarray(leaf) for leaf in leaves(f(x))]
            if mode == "grad":
                _check_slopes(f, x, len(expected))
            else:
                results = (jit(writable(arrays)) if mode == "jit" else writable(arrays))(fx.asarray(x))
                assert len(results) == len(expected), f"{len(results)} results, {len(expected)} expected"
                for result, value in zip(results, expected, strict=True):
                    np.testing.assert_allclose(np.asarray(result), value, rtol=1e-6, atol=1e-9)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _check_slopes(f: Callable[[Any], Any], x: np.ndarray[Any, Any], count: int) -> None:
    """The derivative along a direction, beside differences."""
    direction = np.cos(np.arange(x.size)).reshape(x.shape)
    step = 1e-6

    def at(t: float) -> list[Any]:
        return [np.asarray(leaf) for leaf in leaves(f(x + t * direction))]

    ahead, behind = at(step), at(-step)
    varying = [i for i in range(count) if ahead[i].dtype.kind in "fc"]
    assert varying, "no result is a floating one"
    results: Callable[[Any], list[fx.Array]] = lambda x: [fx.asarray(leaf) for leaf in leaves(f(x))]
    slopes = jvp(writable(results), (fx.asarray(x),), (fx.asarray(direction),))[1]
    for i in varying:
        difference = (ahead[i] - behind[i]) / (2 * step)
        np.testing.assert_allclose(np.asarray(slopes[i]), difference, rtol=1e-4, atol=1e-5)
