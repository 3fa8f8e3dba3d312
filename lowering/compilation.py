"""From programs to executables, each compiled once.

Programs are interned by structure, so a program is the key of what was compiled from it: a fresh lambda with the same
meaning costs a trace and no compilation. Executables are kept until `clear_caches`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from effects.array import Array
from effects.chain import Performed
from effects.concrete import Concrete, Host
from effects.errors import DeletedArrayError
from effects.jaxpr import Atom, Eqn, Jaxpr, Var
from effects.operation import Operation
from effects.operations.higher_order import Call
from effects.promotion import as_array
from lowering import pjrt
from lowering.arrays import buffer_of, buffer_type, common_device, outputs_of
from lowering.pjrt import Device, Executable
from lowering.stablehlo import emit

_executables: Final[dict[tuple[Jaxpr, Device, tuple[bool, ...]], Executable]] = {}
_single: Final[dict[Hashable, Jaxpr]] = {}


def clear_caches() -> None:
    """Forget every compiled program."""
    _executables.clear()
    _single.clear()


def compiled(jaxpr: Jaxpr, device: Device, name: str = "main", donated: tuple[bool, ...] = ()) -> Executable:
    """The executable of an interned program."""
    key = (jaxpr, device, donated)
    try:
        return _executables[key]
    except KeyError:
        return _executables.setdefault(key, compile_program(jaxpr, device, name, donated))


def compile_program(jaxpr: Jaxpr, device: Device, name: str, donated: tuple[bool, ...]) -> Executable:
    """Lower and compile, whatever was compiled before."""
    module = emit(jaxpr, name, donated)
    return pjrt.compile_module(module.ir, device, [buffer_type(aval) for aval in jaxpr.out_avals])


def run(jaxpr: Jaxpr, label: str, arrays: Sequence[Concrete]) -> list[Array]:
    """The outputs of a program on concrete arrays, where they are."""
    executable = compiled(jaxpr, device := common_device(arrays), label)
    return outputs_of(executable.execute([buffer_of(array, device) for array in arrays]), jaxpr.out_avals)


def _program_of(op: Operation[Array]) -> Jaxpr:
    """A program of one operation, made once for its class, parameters and operand types."""
    key = (type(op), op.params, tuple([v.aval for v in op.operands]))
    if (found := _single.get(key)) is not None:
        return found
    inputs: list[Var] = []

    def variable(value: Array) -> Atom:
        inputs.append(Var(value.aval))
        return inputs[-1]

    types = op.types()
    multiple = isinstance(types, tuple)
    outs = tuple([Var(aval) for aval in (types if isinstance(types, tuple) else (types,))])
    eqn = Eqn(op.map(variable), outs, None, multiple)
    program = Jaxpr(tuple(inputs), (eqn,), outs).interned()
    return _single.setdefault(key, program)


class XlaBackend:
    """What XLA does for concrete arrays and for evaluation: `effects.concrete.Backend`."""

    def fetch(self, array: Concrete) -> Host:
        if not pjrt.is_buffer(array.data):
            return array.host
        try:
            return pjrt.fetch(array.data)
        except DeletedArrayError:
            raise DeletedArrayError(f"an array {array.aval}: {pjrt.DELETED}") from None

    def on_accelerator(self, array: Concrete) -> bool:
        return pjrt.is_buffer(array.data) and pjrt.require_device(array.data).platform != "cpu"

    def execute(self, op: Operation[Array]) -> Performed:
        arrays = [self._concrete(op, value) for value in op.operands]
        if isinstance(op, Call):
            return tuple(run(op.body, op.label, arrays))
        results = run(_program_of(op), op.name, arrays)
        return tuple(results) if isinstance(op.types(), tuple) else results[0]

    def device_name(self, array: Concrete) -> str:
        return pjrt.require_device(array.data).name if pjrt.is_buffer(array.data) else "cpu:0"

    @staticmethod
    def _concrete(op: Operation[Array], value: Array) -> Concrete:
        known = as_array(value, op.name, "operand").known()
        assert known is not None, "evaluation refuses values that are not concrete"
        return known
