"""Constants of the Array API standard, as Python numbers that adopt dtypes; and `bool`, the dtype."""

from typing import Final

from effects.types.dtypes import bool_

bool = bool_
e: Final = 2.718281828459045
pi: Final = 3.141592653589793
inf: Final = float("inf")
nan: Final = float("nan")
newaxis: Final = None
__array_api_version__: Final = "2025.12"
