"""Room for programs inside programs: what goes into them by nested Python calls brings the frames that a level needs."""

from __future__ import annotations

import sys
from typing import Final

FRAMES_PER_LEVEL: Final = 60


class deeper:
    """`with deeper():` around the work on one level of nesting; the limit is afterwards what it was.

    Adding and taking away, rather than restoring, is right also where threads do so at the same time.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        sys.setrecursionlimit(sys.getrecursionlimit() + FRAMES_PER_LEVEL)

    def __exit__(self, *exception: object) -> None:
        sys.setrecursionlimit(sys.getrecursionlimit() - FRAMES_PER_LEVEL)
