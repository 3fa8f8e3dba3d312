"""Taylor mode: derivatives of any order along a curve, one more forward handler.

Its carrier is in `series`, the handler in `handler`, and the few rules that it needs beside the jvp rules in `rules`.
"""

from handlers.taylor.handler import Jet
from handlers.taylor.series import Series

__all__ = ["Jet", "Series"]
