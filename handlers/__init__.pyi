"""The public names of `handlers`, each with the module that has it; this list is the only one."""

from handlers import evaluate as evaluate, higher_order as higher_order
from handlers.assignment.array import WritableArray as WritableArray
from handlers.assignment.extent import writable as writable, writing as writing
from handlers.debugging.float64_origins import (
    Float64Origin as Float64Origin,
    Float64Origins as Float64Origins,
    float64_origins as float64_origins,
)
from handlers.debugging.key_reuse import key_reuse as key_reuse
from handlers.debugging.log import Log as Log
from handlers.debugging.nans import debug_nans as debug_nans
from handlers.effect_handlers.catching import Outcome as Outcome, catching as catching, with_raise as with_raise
from handlers.effect_handlers.cell import added as added, averaged as averaged, with_state as with_state
from handlers.effect_handlers.checking import Violation as Violation, checking as checking
from handlers.effect_handlers.collecting import Emitted as Emitted, with_output as with_output
from handlers.effect_handlers.enumerating import Posterior as Posterior, enumerated as enumerated
from handlers.effect_handlers.reader import with_reader as with_reader
from handlers.effect_handlers.seeded import with_random as with_random
from handlers.forward import Forward as Forward
from handlers.jvp import Dual as Dual, Jvp as Jvp
from handlers.partial_eval import PartialEval as PartialEval, Split as Split, partial_eval_jaxpr as partial_eval_jaxpr
from handlers.requests.handled import handled as handled
from handlers.requests.handler import EffectHandler as EffectHandler, Merging as Merging, Reading as Reading
from handlers.stage import Stage as Stage, Traced as Traced
from handlers.stateful.operations import OperationHandler as OperationHandler, kept as kept
from handlers.tabular.any_operation import AnyOperation as AnyOperation
from handlers.tabular.handler import (
    Parts as Parts,
    Rule as Rule,
    Rules as Rules,
    Tabular as Tabular,
)
from handlers.tabular.partwise import partwise as partwise
from handlers.taylor import Jet as Jet, Series as Series
from handlers.testing import check_laws as check_laws
from handlers.transformations.axes.apply_along_axis import apply_along_axis as apply_along_axis
from handlers.transformations.axes.batching import vmap as vmap
from handlers.transformations.axes.collectives import (
    all_gather as all_gather,
    all_to_all as all_to_all,
    axes_in_scope as axes_in_scope,
    axis_index as axis_index,
    axis_size as axis_size,
    pmax as pmax,
    pmean as pmean,
    pmin as pmin,
    ppermute as ppermute,
    psum as psum,
    psum_scatter as psum_scatter,
)
from handlers.transformations.axes.sharded import shard_map as shard_map
from handlers.transformations.axes.vectorizing import vectorize as vectorize
from handlers.transformations.branches.cond import cond as cond
from handlers.transformations.branches.switch import switch as switch
from handlers.transformations.calls.staging import eval_shape as eval_shape, make_jaxpr as make_jaxpr
from handlers.transformations.custom_rules.closures import closure_convert as closure_convert
from handlers.transformations.custom_rules.definitions import Primal as Primal
from handlers.transformations.custom_rules.functions import CustomFunction as CustomFunction
from handlers.transformations.custom_rules.rules import (
    custom_batching as custom_batching,
    custom_gradient as custom_gradient,
    custom_jvp as custom_jvp,
    custom_transpose as custom_transpose,
    custom_vjp as custom_vjp,
)
from handlers.transformations.derivatives.check_grads import check_grads as check_grads
from handlers.transformations.derivatives.forward import jvp as jvp
from handlers.transformations.derivatives.gradients import grad as grad, hvp as hvp, value_and_grad as value_and_grad
from handlers.transformations.derivatives.jacobians import hessian as hessian, jacfwd as jacfwd, jacrev as jacrev
from handlers.transformations.derivatives.jet import jet as jet
from handlers.transformations.derivatives.linearization import (
    linear_transpose as linear_transpose,
    linearize as linearize,
)
from handlers.transformations.derivatives.reverse import vjp as vjp
from handlers.transformations.derivatives.stop_gradient import stop_gradient as stop_gradient
from handlers.transformations.host.callbacks import (
    debug_callback as debug_callback,
    debug_print as debug_print,
    io_callback as io_callback,
    pure_callback as pure_callback,
)
from handlers.transformations.implicit.krylov import bicgstab as bicgstab, cg as cg, gmres as gmres
from handlers.transformations.implicit.solutions import (
    custom_linear_solve as custom_linear_solve,
    custom_root as custom_root,
)
from handlers.transformations.loops.associative import associative_scan as associative_scan
from handlers.transformations.loops.loops import fori_loop as fori_loop, while_loop as while_loop
from handlers.transformations.loops.scan import map as map, scan as scan
from handlers.transformations.memory import checkpoint_policies as checkpoint_policies
from handlers.transformations.memory.checkpoint import (
    Remat as Remat,
    checkpoint as checkpoint,
    checkpoint_name as checkpoint_name,
    remat as remat,
)
from handlers.transformations.memory.residuals import (
    ResidualOrigin as ResidualOrigin,
    SavedResidual as SavedResidual,
    SavedResiduals as SavedResiduals,
    print_saved_residuals as print_saved_residuals,
    saved_residuals as saved_residuals,
)
from handlers.transpose import Linear as Linear
from handlers.vmap import Batched as Batched, Vmap as Vmap
