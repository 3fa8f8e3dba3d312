"""The backend of arrays and of evaluation, implemented by XLA."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, DeviceLike, Host, concrete
from effects.arrays.mesh import Mesh, Shard, Sharding
from effects.arrays.operators import DT, Sh
from effects.arrays.promotion import as_array
from effects.errors import DeletedArrayError, DeviceError
from effects.operations.higher_order import Call
from effects.program.chain import Performed
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Var
from effects.program.operation import Operation
from effects.runtime.caches import Cache
from lowering import pjrt
from lowering.arrays import sharding_of
from lowering.compilation import run
from lowering.placement.device_put import device_put, sharded_over
from lowering.placement.parts import on_device, read, resharded, shards

_single: Final[Cache[Hashable, Jaxpr]] = Cache()


class _Types:
    """Operands named by their types."""

    def __getitem__(self, value: Array) -> Hashable:
        return value.aval


_TYPES: Final = _Types()


def _program_of(op: Operation[Array]) -> Jaxpr:
    """A program of one operation, made once for its class, parameters and operand types."""
    key = op.structure(_TYPES)
    if (cached := _single.find(key)) is not None:
        return cached
    inputs: list[Var] = []

    def variable(value: Array) -> Atom:
        inputs.append(Var(value.aval))
        return inputs[-1]

    types = op.types()
    multiple = isinstance(types, tuple)
    outs = tuple([Var(aval) for aval in (types if isinstance(types, tuple) else (types,))])
    eqn = Eqn(op.map(variable), outs, None, multiple)
    program = Jaxpr(tuple(inputs), (eqn,), outs)
    return _single.keep(key, program) if program.meaning is program else program


class XlaBackend:
    """Implementation of `effects.arrays.concrete.Backend` by XLA, for concrete arrays and for evaluation."""

    def fetch(self, array: Concrete) -> Host:
        if not pjrt.is_buffer(array.stored):
            return array.host
        if (sharding := sharding_of(array)) is not None and pjrt.is_spread(sharding.mesh):
            return read(array, "reading")
        try:
            return pjrt.fetch(array.stored)
        except DeletedArrayError:
            raise DeletedArrayError(f"an array {array.aval}: {pjrt.DELETED}") from None

    def on_accelerator(self, array: Concrete) -> bool:
        # Arrays on further CPU devices stay there: results on the host would no longer belong to a device.
        return pjrt.is_buffer(array.stored) and not pjrt.is_host(pjrt.require_placement(array.stored))

    def execute(self, op: Operation[Array]) -> Performed:
        arrays = [self._concrete(op, value) for value in op.operands]
        if isinstance(op, Call):
            return tuple(run(op.body, op.label, arrays))
        results = run(_program_of(op), op.name, arrays)
        return tuple(results) if isinstance(op.types(), tuple) else results[0]

    def shard(self, array: Concrete, sharding: Sharding) -> Concrete:
        return sharded_over(array, sharding)

    def copied(self, array: Concrete, sharding: Sharding) -> Concrete:
        return concrete(resharded(array, sharding, sharding), array.aval)

    def place(self, array: Concrete, device: str) -> Concrete:
        target = pjrt.device_named(device)
        assert target is not None, "device_put looked it up"
        return on_device(array, target)

    def device_name(self, array: Concrete) -> str:
        return pjrt.require_placement(array.stored).name if pjrt.is_buffer(array.stored) else pjrt.host_name()

    def check_device(self, name: str) -> None:
        if pjrt.device_named(name) is None:
            raise DeviceError(f"there is no device {name}; there are {', '.join(self.device_names())}")

    def sharding(self, array: Concrete) -> Sharding:
        return sharding_of(array) or Mesh({}, [self.device_name(array)]).sharding()

    def shards(self, array: Concrete) -> tuple[Shard, ...]:
        return shards(array)

    def device_names(self) -> list[str]:
        return [device.name for device in pjrt.devices()]

    def move(self, array: Array[DT, Sh], device: DeviceLike) -> Array[DT, Sh]:
        return device_put(array, device)

    @staticmethod
    def _concrete(op: Operation[Array], value: Array) -> Concrete:
        known = as_array(value, op.name, "operand").known()
        assert known is not None, "evaluation refuses values that are not concrete"
        return known
