"""Callbacks under forward mode: each is called once, with primal values, and its results have no tangent."""

from __future__ import annotations

from effects.errors import MissingRule
from effects.operations.callbacks import Callback, CallbackKind
from effects.types import dtypes
from handlers.jvp.rules import RULES, Dual, Pair, value_of


@RULES.rule(Callback)
def jvp_callback(op: Callback[Dual]) -> Pair:
    varies = any([x.tangent is not None for x in op.operands_])
    smooth = any([dtypes.is_inexact(aval.dtype) for aval in op.function.results])
    if varies and smooth and op.kind is not CallbackKind.DEBUG:
        raise MissingRule(
            f"{op.name}: {op.function!r} is a Python function that cannot be differentiated, and its operands vary; "
            "give the "
            "function that calls it a rule with custom_jvp or custom_vjp, or make the operands constants with "
            "stop_gradient"
        )
    results = value_of(op.map(lambda x: x.primal))
    return results, (None,) * len(results)
