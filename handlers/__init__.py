"""What operations mean: the handlers, one folder or file each, and the transformations that install them.

    from handlers import grad, jvp, vmap, cond, make_jaxpr
    from handlers import Forward, Jvp, Log, Stage, Vmap      # to compose chains of one's own

A path names a rule: `handlers/jvp/reduction.py` has the jvp rules of the reductions.

What most programs use is imported with the package; the rest is imported when it is first asked for, which halves the
time to a first result.
"""

import importlib
from typing import TYPE_CHECKING, Final

from effects.functions.spellings import TRANSFORMATIONS, unknown
from handlers import evaluate, higher_order
from handlers.forward import Forward
from handlers.jvp import Dual, Jvp
from handlers.log import Log
from handlers.partial_eval import PartialEval, Split, partial_eval_jaxpr
from handlers.stage import Stage, Traced
from handlers.tabular import Parts, Tabular, partwise
from handlers.transformations.axes.batching import vmap
from handlers.transformations.branches.cond import cond
from handlers.transformations.calls.staging import eval_shape, make_jaxpr
from handlers.transformations.derivatives.forward import jvp
from handlers.transformations.derivatives.jacobians import hessian, jacfwd, jacrev
from handlers.transformations.derivatives.linearization import linear_transpose, linearize
from handlers.transformations.derivatives.reverse import grad, value_and_grad, vjp
from handlers.transpose import Linear
from handlers.vmap import Batched, Vmap

if TYPE_CHECKING:
    from handlers.taylor import Jet, Series
    from handlers.transformations.axes.collectives import (
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
    from handlers.transformations.branches.switch import switch
    from handlers.transformations.custom_rules.closures import closure_convert
    from handlers.transformations.custom_rules.definitions import Primal
    from handlers.transformations.custom_rules.functions import CustomFunction
    from handlers.transformations.custom_rules.rules import (
        custom_batching,
        custom_gradient,
        custom_jvp,
        custom_transpose,
        custom_vjp,
    )
    from handlers.transformations.derivatives.hvp import hvp
    from handlers.transformations.derivatives.jet import jet
    from handlers.transformations.derivatives.stop_gradient import stop_gradient
    from handlers.transformations.host.callbacks import debug_callback, debug_print, io_callback, pure_callback
    from handlers.transformations.loops.associative import associative_scan
    from handlers.transformations.loops.loops import fori_loop, map, scan, while_loop
    from handlers.transformations.memory import policies as checkpoint_policies
    from handlers.transformations.memory.checkpoint import Remat, checkpoint, checkpoint_name, remat
    from handlers.transformations.memory.residuals import (
        ResidualOrigin,
        SavedResidual,
        SavedResiduals,
        print_saved_residuals,
        saved_residuals,
    )

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
    "CustomFunction": "handlers.transformations.custom_rules.functions",
    "Jet": "handlers.taylor",
    "Primal": "handlers.transformations.custom_rules.definitions",
    "Remat": "handlers.transformations.memory.checkpoint",
    "ResidualOrigin": "handlers.transformations.memory.residuals",
    "SavedResidual": "handlers.transformations.memory.residuals",
    "SavedResiduals": "handlers.transformations.memory.residuals",
    "Series": "handlers.taylor",
    "all_gather": "handlers.transformations.axes.collectives",
    "all_to_all": "handlers.transformations.axes.collectives",
    "associative_scan": "handlers.transformations.loops.associative",
    "axes_in_scope": "handlers.transformations.axes.collectives",
    "axis_index": "handlers.transformations.axes.collectives",
    "axis_size": "handlers.transformations.axes.collectives",
    "checkpoint": "handlers.transformations.memory.checkpoint",
    "checkpoint_name": "handlers.transformations.memory.checkpoint",
    "checkpoint_policies": "handlers.transformations.memory.policies",
    "closure_convert": "handlers.transformations.custom_rules.closures",
    "custom_batching": "handlers.transformations.custom_rules.rules",
    "custom_gradient": "handlers.transformations.custom_rules.rules",
    "custom_jvp": "handlers.transformations.custom_rules.rules",
    "custom_transpose": "handlers.transformations.custom_rules.rules",
    "custom_vjp": "handlers.transformations.custom_rules.rules",
    "debug_callback": "handlers.transformations.host.callbacks",
    "debug_print": "handlers.transformations.host.callbacks",
    "fori_loop": "handlers.transformations.loops.loops",
    "hvp": "handlers.transformations.derivatives.hvp",
    "io_callback": "handlers.transformations.host.callbacks",
    "jet": "handlers.transformations.derivatives.jet",
    "map": "handlers.transformations.loops.loops",
    "pmax": "handlers.transformations.axes.collectives",
    "pmean": "handlers.transformations.axes.collectives",
    "pmin": "handlers.transformations.axes.collectives",
    "ppermute": "handlers.transformations.axes.collectives",
    "print_saved_residuals": "handlers.transformations.memory.residuals",
    "psum": "handlers.transformations.axes.collectives",
    "psum_scatter": "handlers.transformations.axes.collectives",
    "pure_callback": "handlers.transformations.host.callbacks",
    "remat": "handlers.transformations.memory.checkpoint",
    "saved_residuals": "handlers.transformations.memory.residuals",
    "scan": "handlers.transformations.loops.loops",
    "stop_gradient": "handlers.transformations.derivatives.stop_gradient",
    "switch": "handlers.transformations.branches.switch",
    "while_loop": "handlers.transformations.loops.loops",
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
