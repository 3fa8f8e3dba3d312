"""`MeshAxes`: the handler that names the mesh axes of a program over blocks for collectives while it is staged."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Final, final

from effects.operations.sharding import ManualAxes
from effects.program.chain import WithoutCarriers, current


def enclosing_manual_axes() -> Iterator[ManualAxes]:
    """The manual axes of the programs over blocks that are being staged here, the innermost first."""
    link: Any = current()
    while hasattr(link, "outer"):
        if isinstance(link, MeshAxes):
            yield link.manual
        link = link.outer


@final
class MeshAxes(WithoutCarriers):
    """Names the manual axes for the operations recorded inside it. All operations pass."""

    def __init__(self, manual: ManualAxes) -> None:
        self.manual: Final = manual
        axes: dict[Hashable, int] = dict(manual.sizes.items())
        self.axes = axes
