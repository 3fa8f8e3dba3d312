"""What is drawn has the dtype that is asked for; keys know their generator."""

from typing import reveal_type

import effects as fx
from effects import random

key = random.key(0, "philox")
a = fx.ones((3,), fx.float32)
reveal_type(key.impl)  # Literal['threefry'] | Literal['philox']
reveal_type(random.gamma(key, 2.0, (3,), fx.float32))  # Array[float32, Any]
reveal_type(random.gamma(key, a, dtype=fx.float32))  # Array[float32, Any]
reveal_type(random.gamma(key, a))  # Array[Any, Any]
reveal_type(random.beta(key, 1.0, 2.0, (), fx.float64))  # Array[float64, Any]
reveal_type(random.dirichlet(key, a, dtype=fx.float32))  # Array[float32, Any]
reveal_type(random.lognormal(key, 0.5, (3,), fx.float32))  # Array[float32, Any]
reveal_type(random.multivariate_normal(key, a, fx.eye(3), dtype=fx.float32))  # Array[float32, Any]
reveal_type(random.orthogonal(key, 3, dtype=fx.float32))  # Array[float32, Any]
reveal_type(random.poisson(key, 3.0, (3,), fx.int32))  # Array[int32, Any]
reveal_type(random.binomial(key, 10, 0.5, (3,), fx.float32))  # Array[float32, Any]
reveal_type(random.triangular(key, 0.0, 1.0, 2.0, dtype="float32"))  # Array[Any, Any]
reveal_type(fx.roots(a))  # Array[complex64, Any]
