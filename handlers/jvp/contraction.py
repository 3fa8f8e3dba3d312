"""Derivatives of contractions: the product rule."""

from __future__ import annotations

from effects.operations.contraction import DotGeneral
from handlers.jvp.elementwise import product_rule
from handlers.jvp.rules import RULES

RULES.rule(DotGeneral)(product_rule)
