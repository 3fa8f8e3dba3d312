"""Pictures of programs and arrays in notebooks: the base of what has one."""

from __future__ import annotations

from importlib import import_module


class Pictured:
    """The base of what notebooks show as a page: drawn by a layer further out, which is found by name when one asks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        drawn: str = import_module("lowering.showing.notebooks").html(self)
        return drawn
