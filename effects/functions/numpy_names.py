"""NumPy's names of functions that are called otherwise here, as in the Array API standard."""

from __future__ import annotations

from effects.functions import arithmetic, creation, elementwise, movement, numbers, reduction, transcendental

arccos = transcendental.acos
arccosh = transcendental.acosh
arcsin = transcendental.asin
arcsinh = transcendental.asinh
arctan = transcendental.atan
arctan2 = arithmetic.atan2
arctanh = transcendental.atanh
amax = reduction.max
amin = reduction.min
around = elementwise.round
asanyarray = creation.asarray
bitwise_not = elementwise.bitwise_invert
concatenate = movement.concat
conjugate = elementwise.conj
degrees = numbers.rad2deg
fix = elementwise.trunc
invert = elementwise.bitwise_invert
left_shift = arithmetic.bitwise_left_shift
mod = arithmetic.remainder
power = arithmetic.pow
radians = numbers.deg2rad
right_shift = arithmetic.bitwise_right_shift
transpose = movement.permute_dims
true_divide = arithmetic.divide
