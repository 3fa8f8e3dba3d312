"""What operations mean: the handlers, one folder or file each, and the transformations that install them.

    from handlers import grad, jvp, vmap, cond, make_jaxpr
    from handlers import Forward, Jvp, Log, Stage, Vmap      # to compose chains of one's own

A path names a rule: `handlers/jvp/reduction.py` has the jvp rules of the reductions.

What most programs use is imported with the package; the rest is imported when it is first asked for, which halves the
time to a first result.
"""

import importlib
from typing import TYPE_CHECKING, Final

from effects.spellings import TRANSFORMATIONS, unknown
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

if TYPE_CHECKING:
    from handlers.taylor import Jet, Series
    from handlers.transformations import checkpoint_policies
    from handlers.transformations.associative import associative_scan
    from handlers.transformations.callbacks import debug_callback, debug_print, io_callback, pure_callback
    from handlers.transformations.checkpoint import Remat, checkpoint, checkpoint_name, remat
    from handlers.transformations.choice import switch
    from handlers.transformations.closures import closure_convert
    from handlers.transformations.collectives import (
        all_gather,
        all_to_all,
        axes_in_scope,
        axis_index,
        axis_size,
        pmax,
        pmean,
        pmin,
        ppermute,
        psum,
        psum_scatter,
    )
    from handlers.transformations.custom_definitions import Primal
    from handlers.transformations.custom_function import CustomFunction
    from handlers.transformations.custom_rules import (
        custom_batching,
        custom_gradient,
        custom_jvp,
        custom_transpose,
        custom_vjp,
    )
    from handlers.transformations.hvp import hvp
    from handlers.transformations.jet import jet
    from handlers.transformations.loops import fori_loop, map, scan, while_loop
    from handlers.transformations.residuals import (
        ResidualOrigin,
        SavedResidual,
        SavedResiduals,
        print_saved_residuals,
        saved_residuals,
    )
    from handlers.transformations.stop_gradient import stop_gradient

__all__ = [
    "Batched",
    "CustomFunction",
    "Dual",
    "Forward",
    "Jet",
    "Jvp",
    "Linear",
    "Log",
    "PartialEval",
    "Parts",
    "Primal",
    "Remat",
    "ResidualOrigin",
    "SavedResidual",
    "SavedResiduals",
    "Series",
    "Split",
    "Stage",
    "Tabular",
    "Traced",
    "Vmap",
    "all_gather",
    "all_to_all",
    "associative_scan",
    "axes_in_scope",
    "axis_index",
    "axis_size",
    "checkpoint",
    "checkpoint_name",
    "checkpoint_policies",
    "closure_convert",
    "cond",
    "custom_batching",
    "custom_gradient",
    "custom_jvp",
    "custom_transpose",
    "custom_vjp",
    "debug_callback",
    "debug_print",
    "eval_shape",
    "evaluate",
    "fori_loop",
    "grad",
    "hessian",
    "higher_order",
    "hvp",
    "io_callback",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "linear_transpose",
    "linearize",
    "make_jaxpr",
    "map",
    "partial_eval_jaxpr",
    "partwise",
    "pmax",
    "pmean",
    "pmin",
    "ppermute",
    "print_saved_residuals",
    "psum",
    "psum_scatter",
    "pure_callback",
    "remat",
    "saved_residuals",
    "scan",
    "stop_gradient",
    "switch",
    "value_and_grad",
    "vjp",
    "vmap",
    "while_loop",
]

_ON_DEMAND: Final = {
    "CustomFunction": "handlers.transformations.custom_function",
    "Jet": "handlers.taylor",
    "Primal": "handlers.transformations.custom_definitions",
    "Remat": "handlers.transformations.checkpoint",
    "ResidualOrigin": "handlers.transformations.residuals",
    "SavedResidual": "handlers.transformations.residuals",
    "SavedResiduals": "handlers.transformations.residuals",
    "Series": "handlers.taylor",
    "all_gather": "handlers.transformations.collectives",
    "all_to_all": "handlers.transformations.collectives",
    "associative_scan": "handlers.transformations.associative",
    "axes_in_scope": "handlers.transformations.collectives",
    "axis_index": "handlers.transformations.collectives",
    "axis_size": "handlers.transformations.collectives",
    "checkpoint": "handlers.transformations.checkpoint",
    "checkpoint_name": "handlers.transformations.checkpoint",
    "checkpoint_policies": "handlers.transformations.checkpoint_policies",
    "closure_convert": "handlers.transformations.closures",
    "custom_batching": "handlers.transformations.custom_rules",
    "custom_gradient": "handlers.transformations.custom_rules",
    "custom_jvp": "handlers.transformations.custom_rules",
    "custom_transpose": "handlers.transformations.custom_rules",
    "custom_vjp": "handlers.transformations.custom_rules",
    "debug_callback": "handlers.transformations.callbacks",
    "debug_print": "handlers.transformations.callbacks",
    "fori_loop": "handlers.transformations.loops",
    "hvp": "handlers.transformations.hvp",
    "io_callback": "handlers.transformations.callbacks",
    "jet": "handlers.transformations.jet",
    "map": "handlers.transformations.loops",
    "pmax": "handlers.transformations.collectives",
    "pmean": "handlers.transformations.collectives",
    "pmin": "handlers.transformations.collectives",
    "ppermute": "handlers.transformations.collectives",
    "print_saved_residuals": "handlers.transformations.residuals",
    "psum": "handlers.transformations.collectives",
    "psum_scatter": "handlers.transformations.collectives",
    "pure_callback": "handlers.transformations.callbacks",
    "remat": "handlers.transformations.checkpoint",
    "saved_residuals": "handlers.transformations.residuals",
    "scan": "handlers.transformations.loops",
    "stop_gradient": "handlers.transformations.stop_gradient",
    "switch": "handlers.transformations.choice",
    "while_loop": "handlers.transformations.loops",
}


if not TYPE_CHECKING:  # to the type checker the names above are all there are

    def __getattr__(name: str) -> object:
        """Import what was not needed so far."""
        try:
            module = importlib.import_module(_ON_DEMAND[name])
        except KeyError:
            raise unknown(__name__, name, TRANSFORMATIONS) from None
        value: object = getattr(module, name, module)  # `checkpoint_policies` is a module itself
        globals()[name] = value
        return value
