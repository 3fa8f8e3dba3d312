"""Generators that are none, and integers in place of keys."""

import effects as fx
from effects import random

random.key(0, "rbg")  # E: incompatible type "Literal['rbg']"
random.gamma(0, 2.0)  # E: incompatible type "int"
random.gamma(random.key(0), 2.0, (3,), 7)  # E: incompatible type "Literal[7]"
fx.polyfit([1.0], [1.0], 1, cov="scaled")  # E: No overload variant
