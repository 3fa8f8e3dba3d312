"""Signatures of what normalises axes and keeps them: `softmax`, `log_softmax`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from effects.types.signatures import MYPY, F, I, P, R, S, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array
    from effects.types.dtypes import Inexact
    from effects.types.signatures.becoming import Mask
    from effects.types.signatures.reduction import Axes, Other
    from effects.types.signatures.refused import NoArray


class OfNormalised(Signature[P, R]):
    """The axes stay."""

    @overload
    def __call__[D: Inexact, S: tuple[object, ...]](
        self, x: Array[D, S], /, axis: Axes = -1, *, where: Mask = True
    ) -> Array[D, S]: ...
    @overload
    def __call__(self, x: Array[I, S], /, axis: Axes = -1, *, where: Mask = True) -> Array[F, S]: ...
    @overload
    def __call__(self, x: Other | NoArray, /, axis: Axes = -1, *, where: Mask = True) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


if MYPY:  # noqa: SIM108  # which type checkers read
    Normalised = lambda function: OfNormalised(function).__call__
else:
    Normalised = OfNormalised
