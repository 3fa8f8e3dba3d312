"""Derivatives of Fourier transforms, which are linear."""

from __future__ import annotations

from effects.operations.fourier import Fourier
from handlers.jvp.rules import RULES, linear

RULES.rule(Fourier)(linear)
