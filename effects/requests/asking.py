"""`Ask[C]`: a configuration that a program reads."""

from __future__ import annotations

from abc import abstractmethod

from effects.requests.effect import Effect


class Ask[C](Effect):
    """Asking for the configuration: a tree of arrays and hashable values; the latter are known wherever they are read.

    Laws: the same in every lane, step and branch, a constant of derivatives. See `with_reader`.
    """

    @abstractmethod
    def ask(self) -> C:
        """The configuration."""
