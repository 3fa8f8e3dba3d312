"""Batching of Fourier transforms: lanes are one more axis in front."""

from __future__ import annotations

from effects.operations.fourier import Fourier
from handlers.vmap.rules import RULES, on_last_axes

RULES.rule(Fourier)(on_last_axes)
