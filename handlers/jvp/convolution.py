"""Derivatives of convolutions: the product rule."""

from __future__ import annotations

from effects.operations.convolution import Convolution
from handlers.jvp.elementwise import product_rule
from handlers.jvp.rules import RULES

RULES.rule(Convolution)(product_rule)
