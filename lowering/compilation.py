"""From programs to executables, each compiled once.

Programs of one structure are equal, so a program is the key of what was compiled from it: a fresh lambda with the same
meaning costs a trace and no compilation. `keep_programs` says how many executables are kept.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from effects.arguments import shown
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, DeviceLike, Host, concretes
from effects.arrays.operators import DT, Sh
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, DeletedArrayError, DeviceError
from effects.operations.higher_order import Call
from effects.program.chain import Performed
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Var
from effects.program.operation import Operation
from effects.runtime import caches
from effects.runtime.caches import PROGRAMS, Cache
from effects.types.avals import ShapedArray
from lowering import pjrt
from lowering.arrays import (
    buffer_of,
    buffer_type,
    common_device,
    device_named,
    device_put,
    put_on,
)
from lowering.emission import Module, emit
from lowering.pjrt import Device, Executable, Options

_executables: Final[Cache[Hashable, Executable]] = Cache()
_SHALLOW: Final = 100
_STACK_PER_LEVEL: Final = 2**18
_MOST_STACK: Final = 2**30
_stack_size: Final = threading.Lock()
_single: Final[Cache[Hashable, Jaxpr]] = Cache()


class _Types:
    """Operands named by their types."""

    def __getitem__(self, value: Array) -> Hashable:
        return value.aval


_TYPES: Final = _Types()


def clear_caches() -> None:
    """Forget every compiled program, and all else that is kept to save work.

    What is needed again is made again: a jitted function is traced and compiled at its next call.

    >>> clear_caches()
    """
    caches.clear()


def keep_programs(count: int) -> None:
    """Keep at most `count` compiled programs (at first 1024), and as many of what they are made of.

    So many are kept for each jitted function, as long as it lives, and so many in all of functions that are gone and of
    loops outside `jit`. The least recently used go first, and are compiled again when they are needed. A program
    takes some 0.2 MB, a large one more.

    Raises ArgumentError for what is not a positive int.

    >>> keep_programs(1024)
    """
    given: object = count
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise ArgumentError(f"keep_programs: count must be a positive int, got {shown(given)}")
    PROGRAMS.count = given


def compiled(jaxpr: Jaxpr, device: Device, name: str = "main", donated: tuple[bool, ...] = ()) -> Executable:
    """The executable of a program."""
    key = (jaxpr.meaning, device, donated)
    found = _executables.find(key)
    return _executables.keep(key, compile_program(jaxpr, device, name, donated)) if found is None else found


def compile_program(jaxpr: Jaxpr, device: Device, name: str, donated: tuple[bool, ...]) -> Executable:
    """Lower and compile, whatever was compiled before."""
    return compile_module(emit(jaxpr, name, donated), device, jaxpr.out_avals)


def compile_module(
    module: Module, device: Device, out_avals: Sequence[ShapedArray], options: Options = ()
) -> Executable:
    """Compile a lowered program whose `main` gives these types.

    XLA recurses over nested calls; a deep nest is compiled on a thread with a stack that it fits in. Raises DeviceError
    for a program that puts a value on another device, or calls what only the CPU has.
    """
    for name in module.devices - {device.name}:
        raise DeviceError(
            f"device_put to {name} in a program that is compiled for {device.name}, where all of it runs; move the "
            "array before or after the call"
        )
    if module.on_cpu and device.platform != "cpu":
        called = ", ".join(sorted(module.on_cpu))
        raise DeviceError(f"{called} is there on the CPU only, and the program is for {device.name}; see device_put")
    outputs = [buffer_type(aval) for aval in out_avals]
    compile_now = functools.partial(
        pjrt.compile_module, module.ir, device, outputs, module.callbacks, module.given_away, options
    )
    if module.depth <= _SHALLOW:
        return compile_now()
    with _stack_size:
        before = threading.stack_size()
        try:
            threading.stack_size(min(_STACK_PER_LEVEL * module.depth, _MOST_STACK))
            with ThreadPoolExecutor(1) as pool:
                return pool.submit(compile_now).result()
        finally:
            threading.stack_size(before)


def run(jaxpr: Jaxpr, label: str, arrays: Sequence[Concrete]) -> list[Array]:
    """The outputs of a program on concrete arrays, where they are."""
    executable = compiled(jaxpr, device := common_device(arrays), label)
    return concretes(executable.execute([buffer_of(array, device) for array in arrays]), jaxpr.out_avals)


def _program_of(op: Operation[Array]) -> Jaxpr:
    """A program of one operation, made once for its class, parameters and operand types."""
    key = op.structure(_TYPES)
    if (found := _single.find(key)) is not None:
        return found
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
    """What XLA does for concrete arrays and for evaluation: `effects.arrays.concrete.Backend`."""

    def fetch(self, array: Concrete) -> Host:
        if not pjrt.is_buffer(array.stored):
            return array.host
        try:
            return pjrt.fetch(array.stored)
        except DeletedArrayError:
            raise DeletedArrayError(f"an array {array.aval}: {pjrt.DELETED}") from None

    def on_accelerator(self, array: Concrete) -> bool:
        # Arrays on further CPU devices are computed there, too: on the host it would be forgotten where they belong.
        return pjrt.is_buffer(array.stored) and pjrt.require_device(array.stored) is not pjrt.devices("cpu")[0]

    def execute(self, op: Operation[Array]) -> Performed:
        arrays = [self._concrete(op, value) for value in op.operands]
        if isinstance(op, Call):
            return tuple(run(op.body, op.label, arrays))
        results = run(_program_of(op), op.name, arrays)
        return tuple(results) if isinstance(op.types(), tuple) else results[0]

    def place(self, array: Concrete, device: str) -> Concrete:
        target = device_named(device)
        assert target is not None, "device_put looked it up"
        return put_on(array, target)

    def device_name(self, array: Concrete) -> str:
        return pjrt.require_device(array.stored).name if pjrt.is_buffer(array.stored) else "cpu:0"

    def device_names(self) -> list[str]:
        return [device.name for device in pjrt.devices()]

    def move(self, array: Array[DT, Sh], device: DeviceLike) -> Array[DT, Sh]:
        return device_put(array, device)

    @staticmethod
    def _concrete(op: Operation[Array], value: Array) -> Concrete:
        known = as_array(value, op.name, "operand").known()
        assert known is not None, "evaluation refuses values that are not concrete"
        return known
