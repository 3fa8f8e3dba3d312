"""What XLA is asked for: that it hears what has no attribute."""

from __future__ import annotations

from jaxlib import xla_client

import effects as fx
from handlers import make_jaxpr
from lowering import pjrt
from lowering.pjrt.options import compile_options
from lowering.stablehlo import emit


def test_llvm_hears_its_options() -> None:
    cpu = pjrt.devices("cpu")[0]

    def swap(x: fx.Array) -> fx.Array:
        return fx.permute_dims(x, (0, 2, 1, 3)) + 1.0

    program = make_jaxpr(swap)(fx.zeros((8, 64, 4, 32), dtype=fx.float32))

    def size(options: object) -> int:
        return len(cpu.client.compile_and_load(emit(program, "swap").ir, cpu.device_list, options, []).serialize())

    assert size(compile_options(cpu)) < size(xla_client.CompileOptions())
