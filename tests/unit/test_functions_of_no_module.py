"""Functions that were made by `exec` in a bare namespace, and know no module."""

from __future__ import annotations

from typing import Any

import effects as fx
from handlers import grad, vmap
from lowering import jit


def test_they_are_transformed_as_any_others() -> None:
    names: dict[str, Any] = {}
    exec("def f(x): return x * x", names)
    f = names["f"]
    assert f.__module__ is None or f.__module__ == "builtins"
    assert float(jit(grad(f))(3.0)) == 6.0 and jit(f).__name__ == "f"
    assert (vmap(jit(grad(f)))(fx.ones(2)) == 2.0).all()
