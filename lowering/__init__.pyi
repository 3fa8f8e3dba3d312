"""The public names of `lowering`, each with the module that has it; this list is the only one."""

from effects.arrays.mesh import Mesh as Mesh, Shard as Shard, Sharding as Sharding
from handlers.transformations.calls.disabling import disable_jit as disable_jit
from lowering import distributed as distributed
from lowering.ahead_of_time import compile_all as compile_all
from lowering.arrays import block_until_ready as block_until_ready
from lowering.cache_settings import (
    clear_caches as clear_caches,
    disk_report as disk_report,
    keep_on_disk as keep_on_disk,
    keep_programs as keep_programs,
)
from lowering.checkpoints.loading import checkpoint_steps as checkpoint_steps, load_checkpoint as load_checkpoint
from lowering.checkpoints.saving import (
    PendingCheckpoint as PendingCheckpoint,
    save_checkpoint as save_checkpoint,
    save_checkpoint_async as save_checkpoint_async,
)
from lowering.disk.programs import DiskReport as DiskReport
from lowering.explanation.compilations import Compilation as Compilation, Explanation as Explanation, explain as explain
from lowering.inspection import (
    lower as lower,
    trace as trace,
    try_compile as try_compile,
    try_lower as try_lower,
)
from lowering.jit import jit as jit
from lowering.loader.loader import Batch as Batch, Loader as Loader, Position as Position
from lowering.loader.prefetching import Batches as Batches
from lowering.placement.device_put import (
    array_from_callback as array_from_callback,
    device_put as device_put,
    devices as devices,
    with_sharding_constraint as with_sharding_constraint,
)
from lowering.programs.exporting import export as export
from lowering.programs.program import Program as Program, load_program as load_program
from lowering.programs.sizes import Size as Size, SizedArray as SizedArray
from lowering.reports.collectives import (
    Collective as Collective,
    Collectives as Collectives,
    collectives as collectives,
)
from lowering.reports.operation_times import (
    OperationTime as OperationTime,
    OperationTimes as OperationTimes,
    operation_times as operation_times,
)
from lowering.reports.profiling import profile as profile
from lowering.reports.visualization import visualize as visualize
from lowering.showing.picture import Picture as Picture, show as show
from lowering.stages import Compiled as Compiled, Lowered as Lowered, Trace as Trace
