"""`Pictured`: the base of objects with a picture in notebooks."""

from __future__ import annotations

from importlib import import_module


class Pictured:
    """Base of objects that notebooks show as a picture, drawn by an outer layer that is imported by name."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        drawn: str = import_module("lowering.showing.notebooks").html(self)
        return drawn
