"""NumPy's names of functions that are called otherwise here, as in the Array API standard."""

from __future__ import annotations

from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, further, transcendental, unary
from effects.functions.manipulation import movement
from effects.functions.reductions import reduction
from effects.runtime.names import named

arccos = named(transcendental.acos, "arccos")
"""Another name of `acos`."""
arccosh = named(transcendental.acosh, "arccosh")
"""Another name of `acosh`."""
arcsin = named(transcendental.asin, "arcsin")
"""Another name of `asin`."""
arcsinh = named(transcendental.asinh, "arcsinh")
"""Another name of `asinh`."""
arctan = named(transcendental.atan, "arctan")
"""Another name of `atan`."""
arctan2 = named(arithmetic.atan2, "arctan2")
"""Another name of `atan2`."""
arctanh = named(transcendental.atanh, "arctanh")
"""Another name of `atanh`."""
amax = named(reduction.max, "amax")
"""Another name of `max`."""
amin = named(reduction.min, "amin")
"""Another name of `min`."""
around = named(unary.round, "around")
"""Another name of `round`."""
asanyarray = named(creation.asarray, "asanyarray")
"""Another name of `asarray`."""
bitwise_not = named(unary.bitwise_invert, "bitwise_not")
"""Another name of `bitwise_invert`."""
concatenate = named(movement.concat, "concatenate")
"""Another name of `concat`."""
conjugate = named(unary.conj, "conjugate")
"""Another name of `conj`."""
degrees = named(further.rad2deg, "degrees")
"""Another name of `rad2deg`."""
fix = named(unary.trunc, "fix")
"""Another name of `trunc`."""
invert = named(unary.bitwise_invert, "invert")
"""Another name of `bitwise_invert`."""
left_shift = named(arithmetic.bitwise_left_shift, "left_shift")
"""Another name of `bitwise_left_shift`."""
mod = named(arithmetic.remainder, "mod")
"""Another name of `remainder`."""
power = named(arithmetic.pow, "power")
"""Another name of `pow`."""
radians = named(further.deg2rad, "radians")
"""Another name of `deg2rad`."""
right_shift = named(arithmetic.bitwise_right_shift, "right_shift")
"""Another name of `bitwise_right_shift`."""
transpose = named(movement.permute_dims, "transpose")
"""Another name of `permute_dims`."""
true_divide = named(arithmetic.divide, "true_divide")
"""Another name of `divide`."""
