"""What transformed functions and the stages of compilation are when they are printed and asked for help."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import effects as fx
from handlers import checkpoint, grad, hessian, jacfwd, vmap
from lowering import jit


def wave(x: Any) -> Any:
    """A wave."""
    return fx.sin(x)


@jit
def jitted(x: Any) -> Any:
    return fx.sin(x)


def nothing(x: Any) -> Any:
    return x


NAMES: Any = {
    "grad(wave)": lambda: grad(wave),
    "jit(grad(wave))": lambda: jit(grad(wave)),
    "vmap(jit(grad(<lambda>)))": lambda: vmap(jit(grad(lambda x: x))),
    "hessian(wave)": lambda: hessian(wave),
    "jacfwd(jitted)": lambda: jacfwd(jitted),
    "jit(sin)": lambda: jit(fx.sin),
    "checkpoint(sin)": lambda: checkpoint(fx.sin),
    "jit(wave)": lambda: jit(functools.partial(wave)),
    "jitted": lambda: jitted,  # by which pickle finds it
}


@pytest.mark.parametrize("name", NAMES)
def test_functions_say_what_they_are_of(name: str) -> None:
    f = NAMES[name]()
    assert repr(f).startswith(f"<function {name} at ") and "(" not in f.__name__


def test_help_of_a_jitted_function_names_its_stages() -> None:
    text = jit(wave).__doc__ or ""
    assert text.startswith("A wave.\n\nCompiled by jit") and jit(jit(wave)).__doc__ == text
    assert all(f"{name}(*args)" in text for name in ("trace", "lower", "eval_shape"))
    assert "Compiled by jit" in (jit(nothing).__doc__ or "")
    assert vmap(jit(wave)).__doc__ == wave.__doc__


def test_stages_say_their_function_its_place_and_types() -> None:
    gradient: Any = jit(grad(wave))
    trace = gradient.trace(1.0)
    place = f"{__file__}:{wave.__code__.co_firstlineno} (wave)"
    for kind, stage in ("Trace", trace), ("Lowered", trace.lower()), ("Compiled", trace.lower().compile()):
        assert repr(stage) == f"<{kind} jit(grad(wave)) at {place}: (float64[]) -> (float64[])>"
    ones = fx.ones(2)
    several: Any = jit(lambda *xs: xs[0] + ones)
    many = several.trace(*[1.0] * 10)
    assert repr(many).endswith("float64[], 2 more) -> (float64[2]), closing over 1 array>")
