"""Programs as XLA's own HLO, before they are optimised: to read, and to estimate what they cost."""

from __future__ import annotations

from typing import Final, final

from lowering.pjrt.devices import Device
from lowering.pjrt.protocols import RawComputation, native


@final
class Hlo:
    """The HLO of an MLIR module, given as its bytecode."""

    __slots__ = ("computation",)

    def __init__(self, bytecode: bytes) -> None:
        convert = native.mlir.mlir_module_to_xla_computation
        self.computation: Final[RawComputation] = convert(bytecode, use_tuple_args=False, return_tuple=False)

    def text(self) -> str:
        """The program in the notation of XLA."""
        return self.computation.as_hlo_text()

    def cost_analysis(self, device: Device) -> dict[str, float]:
        """XLA's estimates on a kind of device: `flops`, `bytes accessed`, `transcendentals`, …"""
        return dict(native.hlo_module_cost_analysis(device.client, self.computation.get_hlo_module()))
