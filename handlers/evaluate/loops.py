"""Loops on concrete arrays: compiled, since a loop is worth it."""

from __future__ import annotations

from effects.operations.loops import Scan, While
from handlers.evaluate.rules import RULES, compiled

RULES.rule(While, Scan)(compiled)
