"""`Artifact`: a program as portable StableHLO, and `Run`, the operation that runs one.

Handlers know only its types: those that would need its operations refuse it, and say what to do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, NoReturn, final

from effects.arrays.array import Array
from effects.arrays.concrete import backend
from effects.errors import DeviceError, MissingRule
from effects.program.custom import CustomOp
from effects.program.operation import operation
from effects.types.avals import ShapedArray, Typed

if TYPE_CHECKING:
    from handlers.jvp.rules import Dual
    from handlers.vmap.rules import Batched

type Role = Literal["value", "forward", "backward"]
type Platform = Literal["cpu", "any"]
type Types = tuple[ShapedArray, ...]

PLATFORMS: Final[tuple[Platform, ...]] = ("cpu", "any")
"""Platforms of modules: "any" is for the platforms without a module of their own."""


class Signature(NamedTuple):
    """The types that a program takes and gives."""

    inputs: Types
    outputs: Types


@final
class Artifact:
    """The portable artifact of one program for each platform; equal ones are equal.

    `role` says what it computes for the function `name`: its value, its value with residuals, or its cotangents from
    these.
    """

    def __init__(self, name: str, role: Role, modules: Mapping[Platform, bytes], signature: Signature) -> None:
        self.name: Final = name
        self.role: Final = role
        self.modules: Final = dict(modules)
        self.signature: Final = signature

    def without_duplicate_module(self) -> Artifact:
        """The same artifact, without a module for the CPU that equals the one for all platforms."""
        others = {p: data for p, data in self.modules.items() if p != "cpu" or data != self.modules.get("any")}
        return Artifact(self.name, self.role, others, self.signature)

    def module(self, platform: str) -> bytes:
        """The module for a platform; DeviceError where there is none."""
        module = self.modules.get("cpu") if platform == "cpu" else None
        if (module := module or self.modules.get("any")) is None:
            raise DeviceError(
                f"{self.name} was exported for {', '.join(self.modules)}, since it calls what is there only, and is to "
                f"run on {platform}; move its arguments there with device_put"
            )
        return module

    @cached_property
    def _key(self) -> tuple[object, ...]:
        sums = tuple([(platform, hashlib.sha256(data).digest()) for platform, data in sorted(self.modules.items())])
        return self.name, self.role, sums, self.signature

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Artifact) and self._key == other._key)

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return self.name if self.role == "value" else f"{self.name}, {self.role}"


@operation
class Run[V](CustomOp[V, tuple[Array, ...]]):
    """The results of an exported program."""

    placed = False

    artifact: Artifact
    xs: tuple[V, ...]

    @property
    def name(self) -> str:
        return "exported"

    def types(self: Run[Typed]) -> tuple[ShapedArray, ...]:
        return self.artifact.signature.outputs

    def evaluate(self) -> Any:
        return backend().execute(self)  # type: ignore[arg-type]  # evaluation calls it on arrays

    def jvp(self: Run[Dual]) -> Any:
        if any([x.tangent is not None for x in self.xs]):
            self._refuse_derivative()
        results: tuple[Array, ...] = self.map(lambda x: x.primal).evaluate()
        return results, (None,) * len(results)

    def _refuse_derivative(self) -> NoReturn:
        name = self.artifact.name
        if self.artifact.role == "value":
            raise MissingRule(
                f"{name} was exported without derivatives: export it with derivatives=1, or make its arguments "
                "constants with stop_gradient"
            )
        refuse_derivative(name)

    def transpose(self, cotangent: Array, /) -> NoReturn:
        self._refuse_derivative()

    def batch(self: Run[Batched]) -> Any:
        if any([x.batched for x in self.xs]):
            raise MissingRule(
                f"{self.artifact.name} was exported for fixed shapes, and has no vmap: export the batched "
                "function, export(jit(vmap(f)), ...), or call it lane by lane"
            )
        results: tuple[Array, ...] = self.map(lambda x: x.value).evaluate()
        return results, (False,) * len(results)


def refuse_derivative(name: str) -> NoReturn:
    """Raise the error of a derivative that an exported program does not have."""
    raise MissingRule(
        f"{name} was exported with one derivative, in reverse mode (grad, vjp): forward mode and further derivatives "
        "cannot be taken of it; take them of the function, and export what they give"
    )
