"""The operation of examples 24 and 25: `multiply_add(x, y, z) = x·y + z`, as a user writes it."""

from __future__ import annotations

from effects import Array, CustomOp, ShapedArray, broadcast_arrays, operation, perform, zeros_like
from handlers import Batched, Dual, Linear


@operation
class MultiplyAdd[V](CustomOp[V]):
    """x·y + z of arrays of one shape."""

    x: V
    y: V
    z: V

    def types(self: MultiplyAdd[Array]) -> ShapedArray:
        return self.x.aval

    def evaluate(self: MultiplyAdd[Array]) -> Array:
        return self.x * self.y + self.z

    def jvp(self: MultiplyAdd[Dual]) -> tuple[Array, Array | None]:
        x, y, z = self.x, self.y, self.z
        tangent = z.tangent
        if x.tangent is not None:
            tangent = multiply_add(x.tangent, y.primal, zeros_like(x.tangent) if tangent is None else tangent)
        if y.tangent is not None:
            tangent = multiply_add(x.primal, y.tangent, zeros_like(y.tangent) if tangent is None else tangent)
        return multiply_add(x.primal, y.primal, z.primal), tangent

    def transpose(self: MultiplyAdd[Array], cotangent: Array) -> tuple[Array | None, Array | None, Array | None]:
        x, y, z = self.x, self.y, self.z
        return (
            cotangent * y if isinstance(x, Linear) else None,
            cotangent * x if isinstance(y, Linear) else None,
            cotangent if isinstance(z, Linear) else None,
        )

    def batch(self: MultiplyAdd[Batched]) -> tuple[Array, bool]:
        x, y, z = broadcast_arrays(self.x.value, self.y.value, self.z.value)  # those that all lanes share, too
        return multiply_add(x, y, z), True


def multiply_add(x: Array, y: Array, z: Array) -> Array:
    """What a user calls."""
    return perform(MultiplyAdd(x, y, z))


def square_add(a: Array, b: Array) -> Array:
    """a² + b."""
    return multiply_add(a, a, b)
