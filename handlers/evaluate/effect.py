"""Evaluation of requests: an error, since no handler has answered them."""

from __future__ import annotations

from typing import NoReturn

from effects.arrays.array import Array
from effects.requests.effect import Request, unhandled
from handlers.evaluate.rules import RULES


@RULES.rule(Request)
def evaluate_request(op: Request[Array]) -> NoReturn:
    raise unhandled(f"{op.label.effect.__name__}.{op.method}", op.label)
