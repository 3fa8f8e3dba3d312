"""Portable artifacts: modules as files have them, written in one version of StableHLO and read by all later ones."""

from __future__ import annotations

from typing import Final

from lowering.pjrt.protocols import native

VERSION: Final = "1.10.0"
"""The version of StableHLO that artifacts are written in: an older one is read by more programs."""


def portable_artifact(bytecode: bytes) -> bytes:
    """The artifact of a module, from its bytecode; operations of CHLO are written in StableHLO."""
    artifact: bytes = native.mlir.serialize_portable_artifact(bytecode, VERSION)
    return artifact
