"""Convolutions that are refused: the message says which argument, what was expected, and what was given."""

from __future__ import annotations

from typing import Any, Final

import pytest

import effects as fx

X: Final = fx.zeros((2, 4, 8, 8))
K: Final = fx.zeros((6, 4, 3, 3))

REFUSED: Final[list[tuple[Any, Any, dict[str, Any], type[fx.EffaxError], str]]] = [
    (X, fx.zeros((6, 3, 3, 3)), {}, fx.ShapeError, r"x of shape \[2, 4, 8, 8\] has 4 features.* takes 3"),
    (X, K, {"feature_groups": 2}, fx.ShapeError, "takes 4 in each of 2 groups"),
    (X, fx.zeros((5, 2, 3, 3)), {"feature_groups": 2}, fx.ShapeError, "5 features .* are not 2 equal groups"),
    (X, fx.zeros((6, 4, 0, 3)), {}, fx.ShapeError, "has no elements along spatial axis 2"),
    (X, fx.zeros((6, 4, 3)), {}, fx.ShapeError, "must have the same rank"),
    (fx.zeros(3), fx.zeros(3), {}, fx.ShapeError, "batch, features and as many spatial axes"),
    (X, K, {"batch_groups": 3}, fx.ShapeError, "axis 0, is not 3 equal groups"),
    (X, K, {"batch_groups": 2, "feature_groups": 2}, fx.ArgumentError, "only one of feature_groups and batch_groups"),
    (X, K, {"feature_groups": 0}, fx.ArgumentError, "feature_groups must be positive, got 0"),
    (X, K, {"strides": 0}, fx.ArgumentError, "strides must be positive, got 0"),
    (X, K, {"strides": (1, 1, 1)}, fx.ArgumentError, "strides must have an entry for each of 2 axes"),
    (X, K, {"x_dilation": -1}, fx.ArgumentError, "x_dilation must be positive"),
    (X, K, {"padding": "full"}, fx.ArgumentError, "padding must be 'same', 'same_lower' or 'valid', got 'full'"),
    (X, K, {"padding": ((1, 2, 3), 1)}, fx.ArgumentError, "a number or a pair"),
    (X, K, {"padding": ((1, 2),)}, fx.ArgumentError, "for each of 2 axes"),
    (X, K, {"dimension_numbers": "NCHW"}, fx.ArgumentError, "three strings such as"),
    (X, K, {"dimension_numbers": ("NCH", "OIHW", "NCHW")}, fx.ShapeError, "'NCH' of x has 3 letters for 4 axes"),
    (X, K, {"dimension_numbers": ("NCHH", "OIHW", "NCHW")}, fx.ShapeError, "'NCHH' of x has 'H' twice"),
    (X, K, {"dimension_numbers": ("NAHW", "OIHW", "NCHW")}, fx.ShapeError, "of x must have N and C, of batch and feat"),
    (X, K, {"dimension_numbers": ("NCHW", "NCHW", "NCHW")}, fx.ShapeError, "of the kernel must have O and I"),
    (X, K, {"dimension_numbers": ("NCHW", "OIHX", "NCHW")}, fx.ShapeError, "the spatial axes 'HW'.* got 'HX'"),
    (X, fx.ones((6, 3, 9, 1)), {}, fx.ShapeError, r"kernel spans \[9, 1\], more .*; without dimension_n"),
    (X, K, {"kernel_dilation": 40, "padding": 1}, fx.ShapeError, "more than there is of x, .*, with its padding"),
    (X, fx.zeros(K.shape, dtype="complex128"), {"preferred_element_type": "float32"}, fx.DTypeError, "drop the imagin"),
    (X, K, {"preferred_element_type": "int8"}, fx.DTypeError, "preferred_element_type int8 cannot hold x, float64"),
    (fx.astype(X, bool), fx.astype(K, bool), {}, fx.DTypeError, "takes numbers, got bool"),
]


@pytest.mark.parametrize(("x", "kernel", "options", "error", "message"), REFUSED, ids=[row[-1] for row in REFUSED])
def test_refused(x: Any, kernel: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        fx.conv(x, kernel, **options)


def test_transposed_says_which_features() -> None:
    with pytest.raises(fx.ShapeError, match=r"conv_transpose: x, .* has 4 features in 1 groups, .* takes 6"):
        fx.conv_transpose(X, K)
    with pytest.raises(fx.ArgumentError, match="output_padding must not be negative"):
        fx.conv_transpose(fx.zeros((2, 6, 8, 8)), K, output_padding=-1)
    with pytest.raises(fx.ArgumentError, match="conv_transpose: padding must be 'same'"):
        fx.conv_transpose(fx.zeros((2, 6, 8, 8)), K, padding="full")  # type: ignore[arg-type]  # a wrong word
