"""Many modules: after some the next one begins a new MLIR context, as a context never forgets what it interned."""

from __future__ import annotations

import functools
import sys
import threading
from types import ModuleType

import numpy as np
import pytest
from jaxlib.mlir import ir

import effects as fx
from lowering import jit, lower
from lowering.stablehlo.context import CURRENT, MODULES, tensor_type, writing
from tests.processes import printed
from tests.reference.agreement import close

X = fx.asarray([0.3, -0.8, 1.2])


def _program(factor: float, x: fx.Array) -> fx.Array:
    return fx.where(x > 0.0, fx.sin(x) * factor, x)


@pytest.fixture
def one_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULES, "count", 1)


@pytest.mark.usefixtures("one_module")
def test_programs_of_different_contexts_run() -> None:
    host, contexts = np.asarray(X), []
    for factor in (1.5, 2.5, 3.5):
        program = jit(functools.partial(_program, factor))
        close(program(X), np.where(host > 0.0, np.sin(host) * factor, host))
        contexts.append(CURRENT.context)
    assert contexts[0] is not contexts[1] is not contexts[2]


@pytest.mark.usefixtures("one_module")
def test_a_module_outlives_the_context_it_was_written_in_being_replaced() -> None:
    first = lower(lambda x: fx.cos(x) * 7.0, X)
    for factor in (1.5, 2.5):
        lower(functools.partial(_program, factor), X)
    assert "stablehlo.cosine" in first.as_text()
    close(first.compile()(X), np.cos(np.asarray(X)) * 7.0)


@pytest.mark.usefixtures("one_module")
def test_the_context_stays_while_another_thread_writes_a_module() -> None:
    with writing():
        before = CURRENT.context
        thread = threading.Thread(target=lambda: lower(lambda x: x * 11.0, X))
        thread.start()
        thread.join()
        assert CURRENT.context is before
    lower(lambda x: x * 12.0, X)
    assert CURRENT.context is not before


def test_an_error_while_a_module_is_written_leaves_nobody_writing() -> None:
    with pytest.raises(ValueError, match="no"), writing():
        raise ValueError("no")
    assert CURRENT.writers == 0


def test_what_is_interned_is_made_anew_in_a_new_context() -> None:
    old = tensor_type((3,), np.dtype("float32"))
    assert tensor_type((3,), np.dtype("float32")) is old
    CURRENT.renew()
    new = tensor_type((3,), np.dtype("float32"))
    assert str(new) == str(old)
    assert new.context == CURRENT.context
    assert old.context != CURRENT.context


def test_nothing_of_a_context_is_held_by_a_module_of_python() -> None:
    lower(lambda x: fx.sum(x) * 2.0, X)
    CURRENT.renew()
    found = [
        f"{name}.{key}"
        for name, module in sys.modules.items()
        if name.startswith("lowering") and isinstance(module, ModuleType)
        for key, value in vars(module).items()
        if _holds(value)
    ]
    assert found == []


def _holds(value: object, depth: int = 0) -> bool:
    if isinstance(value, ir.Attribute | ir.Type | ir.Location | ir.Context):
        return True
    if depth > 3 or not isinstance(value, dict | list | tuple | set | frozenset):
        return False
    inner = [*value.keys(), *value.values()] if isinstance(value, dict) else list(value)
    return any(_holds(part, depth + 1) for part in inner)


def test_no_dialect_is_imported_while_a_module_is_written() -> None:
    """MLIR's C++ would import it, and an interrupt in there ends the process."""
    program = """
import sys
import effects as fx, lowering.stablehlo
from handlers import cond, scan, grad
from lowering import jit
before = {m for m in sys.modules if m.startswith("jaxlib.mlir")}
x = fx.ones(3)
def f(x):
    y, _ = scan(lambda c, _: (fx.sin(c) + fx.erf(c), None), x, None, length=3)
    return fx.sum(cond(fx.sum(y) > 0, lambda y: fx.sort(y), lambda y: y * fx.cumulative_sum(y), y)[::-1])
jit(grad(f))(x), jit(fx.erfc)(x), jit(lambda x: x[x.astype(fx.int32)])(x)
print(sorted(m for m in sys.modules if m.startswith("jaxlib.mlir") and m not in before))
"""
    assert printed(program) == "[]\n"
