"""What the type checker knows of the public functions: their signatures by family, as overloads.

A family of functions has one signature, and `typed_as` gives it to each of them: `@typed_as(lambda: arithmetic)` on
`add`, on `maximum`. What an overload knows it keeps (dtype, shape); the last one of each is gradual: it takes
whatever the function takes. The functions in here say types only and are never called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast


def typed_as[F](signature: Callable[[], F], /) -> Callable[[Callable[..., object]], F]:
    """Decorator: to the type checker the decorated function has the type of what `signature` would give.

    Nothing happens to the function, and `signature` is never called, so that signatures are imported by type checkers
    only.
    """
    return cast("Callable[[Callable[..., object]], F]", _itself)


def _itself(f: object) -> object:
    return f
