"""Transpose of least squares, which are linear in their right-hand sides."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.functions.manipulation import movement
from effects.functions.products.matrices import product
from effects.operations.matrices import LeastSquares, PseudoInverse
from effects.program.chain import perform
from handlers.transpose.elementwise import not_linear
from handlers.transpose.rules import RULES, Cotangents, is_linear


@RULES.rule(LeastSquares)
def transpose_least_squares(op: LeastSquares[Array], cts: Cotangents) -> Cotangents:
    ct, *others = cts
    if is_linear(op.a) or is_linear(op.share) or ct is None or any([other is not None for other in others]):
        raise not_linear(op)
    inverse, _ = perform(PseudoInverse(op.a, op.share))
    return None, product(movement.matrix_transpose(inverse), ct), None
