"""NumPy's names of functions that are called otherwise here, as in the Array API standard."""

from __future__ import annotations

from effects.functions import arithmetic, creation, elementwise, movement, numbers, reduction, transcendental
from effects.runtime.names import named

arccos = named(transcendental.acos, "arccos")
arccosh = named(transcendental.acosh, "arccosh")
arcsin = named(transcendental.asin, "arcsin")
arcsinh = named(transcendental.asinh, "arcsinh")
arctan = named(transcendental.atan, "arctan")
arctan2 = named(arithmetic.atan2, "arctan2")
arctanh = named(transcendental.atanh, "arctanh")
amax = named(reduction.max, "amax")
amin = named(reduction.min, "amin")
around = named(elementwise.round, "around")
asanyarray = named(creation.asarray, "asanyarray")
bitwise_not = named(elementwise.bitwise_invert, "bitwise_not")
concatenate = named(movement.concat, "concatenate")
conjugate = named(elementwise.conj, "conjugate")
degrees = named(numbers.rad2deg, "degrees")
fix = named(elementwise.trunc, "fix")
invert = named(elementwise.bitwise_invert, "invert")
left_shift = named(arithmetic.bitwise_left_shift, "left_shift")
mod = named(arithmetic.remainder, "mod")
power = named(arithmetic.pow, "power")
radians = named(numbers.deg2rad, "radians")
right_shift = named(arithmetic.bitwise_right_shift, "right_shift")
transpose = named(movement.permute_dims, "transpose")
true_divide = named(arithmetic.divide, "true_divide")
