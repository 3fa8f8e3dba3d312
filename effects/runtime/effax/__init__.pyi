"""The public names of the three packages, for type checkers."""

from effects import *
from effects.runtime.version import __version__ as __version__
from handlers import *
from lowering import *  # type: ignore[assignment]  # `trace` is that of effects

from effects import trace as trace  # isort: skip  # which is said last
