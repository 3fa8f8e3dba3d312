"""Derivatives of slices: the same slice of the tangent."""

from __future__ import annotations

from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from handlers.jvp.rules import RULES, linear

RULES.rule(Slice, DynamicSlice, DynamicUpdateSlice)(linear)
