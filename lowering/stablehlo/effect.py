"""Requests: an error, since no handler has answered them."""

from __future__ import annotations

from typing import NoReturn

from effects.program.jaxpr import Atom, Var
from effects.requests.effect import Request, unhandled
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import Scope


@RULES.rule(Request)
def refuse_request(op: Request[Atom], outs: tuple[Var, ...], scope: Scope) -> NoReturn:
    raise unhandled(f"{op.label.effect.__name__}.{op.method}", op.label)
