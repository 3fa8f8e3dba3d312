"""The public namespace: arrays, dtypes, operations as functions, and what handlers and operations are made of.

    import effects as fx

Functions follow the Python Array API standard, then NumPy. The names are listed in the stub beside this file, and
imported when they are first asked for. Folders: `types` describe arrays before there are any; `operations` say what can
be asked for, and `program` how it is asked, handled and recorded; `arrays`, `functions` and `trees` are what users
hold and call, as are `linalg`, `fft`, `special`, `random`, `stats`, `nn` and `image`, namespaces of their own;
`runtime` is what a process has besides.
"""

from effects.arrays import einops_backend, methods  # arrays must be complete before one is created
from effects.runtime import keywords
from effects.runtime.names import public

keywords.install()

__getattr__, __dir__, __all__ = public(__name__)
