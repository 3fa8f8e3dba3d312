"""What operations mean: the handlers, one folder or file each, and the transformations that install them.

    from handlers import grad, jvp, vmap, cond, make_jaxpr
    from handlers import Forward, Jvp, Log, Stage, Vmap      # to compose chains of one's own

A path names a rule: `handlers/jvp/reduction.py` has the jvp rules of the reductions.
"""

from handlers import evaluate, higher_order
from handlers.forward import Forward
from handlers.jvp import Dual, Jvp
from handlers.log import Log
from handlers.partial_eval import PartialEval, Split, partial_eval_jaxpr
from handlers.stage import Stage, Traced
from handlers.tabular import Parts, Tabular, partwise
from handlers.transformations.batching import vmap
from handlers.transformations.control_flow import cond
from handlers.transformations.forward import jvp
from handlers.transformations.jacobians import hessian, jacfwd, jacrev
from handlers.transformations.linearization import linear_transpose, linearize
from handlers.transformations.reverse import grad, value_and_grad, vjp
from handlers.transformations.staging import eval_shape, make_jaxpr
from handlers.transpose import Linear
from handlers.vmap import Batched, Vmap

__all__ = [
    "Batched",
    "Dual",
    "Forward",
    "Jvp",
    "Linear",
    "Log",
    "PartialEval",
    "Parts",
    "Split",
    "Stage",
    "Tabular",
    "Traced",
    "Vmap",
    "cond",
    "eval_shape",
    "evaluate",
    "grad",
    "hessian",
    "higher_order",
    "jacfwd",
    "jacrev",
    "jvp",
    "linear_transpose",
    "linearize",
    "make_jaxpr",
    "partial_eval_jaxpr",
    "partwise",
    "value_and_grad",
    "vjp",
    "vmap",
]
