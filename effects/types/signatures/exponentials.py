"""Signatures of `logsumexp` and of what keeps the axes that are normalised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

from effects.types.signatures import MYPY, F, I, P, R, S, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, Scalar
    from effects.types.dtypes import Inexact
    from effects.types.signatures.reduction import Axes, Given, Mask, No, Other


class OfLogarithm:
    """Integers become the default float: `logsumexp`."""

    @overload
    def __call__[D: Inexact](
        self, x: Given[D], /, axis: None = None, *, keepdims: No = False, where: Mask = True
    ) -> Scalar[D]: ...
    @overload
    def __call__(self, x: Given[I], /, axis: None = None, *, keepdims: No = False, where: Mask = True) -> Scalar[F]: ...
    @overload
    def __call__(self, x: Other, /, axis: None = None, *, keepdims: No = False, where: Mask = True) -> Scalar[Any]: ...
    @overload
    def __call__[D: Inexact](
        self, x: Given[D], /, axis: Axes = None, *, keepdims: bool = False, where: Mask = True
    ) -> Array[D]: ...
    @overload
    def __call__(
        self, x: Given[I], /, axis: Axes = None, *, keepdims: bool = False, where: Mask = True
    ) -> Array[F]: ...
    @overload
    def __call__(self, x: Other, /, axis: Axes = None, *, keepdims: bool = False, where: Mask = True) -> Array[Any]: ...
    def __call__(
        self, x: object, /, axis: object = None, *, keepdims: object = False, where: object = True
    ) -> NoReturn:
        raise NotImplementedError


class OfNormalised:
    """The axes stay: `softmax`, `log_softmax`."""

    @overload
    def __call__[D: Inexact, S: tuple[object, ...]](
        self, x: Array[D, S], /, axis: Axes = -1, *, where: Mask = True
    ) -> Array[D, S]: ...
    @overload
    def __call__(self, x: Array[I, S], /, axis: Axes = -1, *, where: Mask = True) -> Array[F, S]: ...
    @overload
    def __call__(self, x: Other, /, axis: Axes = -1, *, where: Mask = True) -> Array: ...
    def __call__(self, x: object, /, axis: object = -1, *, where: object = True) -> NoReturn:
        raise NotImplementedError


if MYPY:
    Logarithm = lambda function: OfLogarithm().__call__
    Normalised = lambda function: OfNormalised().__call__
else:

    class Logarithm(OfLogarithm, Signature[P, R]):
        pass

    class Normalised(OfNormalised, Signature[P, R]):
        pass
