"""Handlers: the meanings of operations, one folder or file each, and the transformations that install them.

    from handlers import grad, jvp, vmap, cond, make_jaxpr
    from handlers import Forward, Jvp, Log, Stage, Vmap      # to compose chains of one's own

A path names a rule: `handlers/jvp/reduction.py` has the jvp rules of the reductions. The names are listed in the stub
beside this file, and imported when they are first asked for.
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
