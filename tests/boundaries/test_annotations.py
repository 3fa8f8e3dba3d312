"""`Any` does not occur in the signatures of the public functions, except where Python's types cannot say more."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Final

import effects
import handlers
import lowering
from tests.each import each

_ANY: Final = re.compile(r"\bAny\b")
_TREE: Final = "a pytree has any structure, and a function of pytrees any signature"
_OVERLOADED: Final = "what callers see are its overloads; this is the signature behind them"
EXCEPTIONS: Final[dict[str, str]] = {
    "effects.load": _TREE,
    "effects.register_node": _TREE,
    "effects.tree_flatten": _TREE,
    "effects.tree_leaves": _TREE,
    "effects.tree_leaves_with_path": _TREE,
    "effects.tree_broadcast": _TREE,
    "effects.tree_flatten_with_path": _TREE,
    "effects.tree_transpose": _TREE,
    "handlers.cond": _OVERLOADED,
    "handlers.eval_shape": _TREE,
    "handlers.fori_loop": _OVERLOADED,
    "handlers.grad": _OVERLOADED,
    "handlers.hessian": _OVERLOADED,
    "handlers.jacfwd": _OVERLOADED,
    "handlers.jacrev": _OVERLOADED,
    "handlers.io_callback": _OVERLOADED,
    "handlers.custom_vjp": _OVERLOADED,
    "handlers.jet": _TREE,
    "handlers.jvp": _OVERLOADED,
    "handlers.linear_transpose": _OVERLOADED,
    "handlers.linearize": _OVERLOADED,
    "handlers.map": _OVERLOADED,
    "handlers.pure_callback": _OVERLOADED,
    "handlers.scan": _OVERLOADED,
    "handlers.switch": _OVERLOADED,
    "handlers.value_and_grad": _OVERLOADED,
    "handlers.vjp": _OVERLOADED,
    "lowering.load_checkpoint": _TREE,
    "handlers.while_loop": _OVERLOADED,
}
"""Functions whose signatures say Any, and why."""


def _functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., object]]]:
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isfunction(value):
            yield f"{module.__name__}.{name}", value


FUNCTIONS: Final = dict([pair for module in (effects, handlers, lowering) for pair in _functions(module)])


def _annotations(function: Callable[..., object]) -> dict[str, str]:
    found = inspect.get_annotations(function)
    return {name: value if isinstance(value, str) else inspect.formatannotation(value) for name, value in found.items()}


def test_signatures_are_typed() -> None:
    each(FUNCTIONS, check_typed)


def check_typed(name: str) -> None:
    function = FUNCTIONS[name]
    annotations = _annotations(function)
    unannotated = [p for p in inspect.signature(function).parameters if p not in annotations]
    assert not unannotated and "return" in annotations, f"{name} does not annotate {unannotated or 'its result'}"
    vague = {p: text for p, text in annotations.items() if _ANY.search(text)}
    if name in EXCEPTIONS:
        assert vague, f"{name} has no Any any more: take it off the list"
    else:
        assert not vague, f"{name}: {vague}"
