"""A user-defined operation: `multiply_add(x, y, z) = x·y + z`, with a meaning under every handler.

Each method is the rule for one handler. If you leave one out, everything that does not need it still works; what needs
it raises an error that names the method to write. Run it: `python examples/own_operation.py`.
"""

import effects as fx
from effects import Array, CustomOp, Operand, ShapedArray, operation, perform
from handlers import Linear, grad, jvp, vmap
from lowering import jit, lower


@operation
class MultiplyAdd(CustomOp):
    """x·y + z, on operands of one shape and dtype."""

    x: Operand
    y: Operand
    z: Operand

    def types(self) -> ShapedArray:
        """Type of the result, for staging: operands have an `aval`."""
        return self.x.aval

    def evaluate(self) -> Array:
        """The value. It is written with operations, so it also serves compiled code: no `lower` is needed."""
        return self.x * self.y + self.z

    def jvp(self) -> tuple[Array, Array | None]:
        """Value and tangent. If a tangent is None, nothing is computed for it."""
        x, y, z = self.x, self.y, self.z
        terms = [] if z.tangent is None else [z.tangent]
        if x.tangent is not None:
            terms.append(x.tangent * y.primal)
        if y.tangent is not None:
            terms.append(x.primal * y.tangent)
        value = multiply_add(x.primal, y.primal, z.primal)
        return value, None if not terms else sum(terms[1:], start=terms[0])

    def transpose(self, cotangent: Array) -> tuple[Array | None, ...]:
        """A cotangent for each operand in which the operation is linear here (a `Linear`), None for the others."""
        return (
            cotangent * self.y if isinstance(self.x, Linear) else None,
            cotangent * self.x if isinstance(self.y, Linear) else None,
            cotangent if isinstance(self.z, Linear) else None,
        )

    def batch(self) -> tuple[Array, bool]:
        """The values of all lanes: a batched operand has them along axis 0; the others are the same in every lane."""
        return multiply_add(*fx.broadcast_arrays(self.x.value, self.y.value, self.z.value)), True


def multiply_add(x: fx.ArrayLike, y: fx.ArrayLike, z: fx.ArrayLike) -> Array:
    """Public function: converts the arguments to arrays and performs the operation."""
    x, y, z = fx.broadcast_arrays(fx.asarray(x), fx.asarray(y), fx.asarray(z))
    return perform(MultiplyAdd(x, y, z))


def square_add(a: fx.ArrayLike, b: fx.ArrayLike) -> Array:
    """a² + b.

    >>> square_add(2.0, 10.0), jit(square_add)(2.0, 10.0)
    (Array(14., float64), Array(14., float64))
    >>> jvp(square_add, (2.0, 10.0), (1.0, 1.0))
    (Array(14., float64), Array(5., float64))
    >>> grad(square_add)(2.0, 10.0), jit(grad(square_add))(2.0, 10.0)
    (Array(4., float64), Array(4., float64))
    >>> vmap(square_add)(fx.asarray([2.0, 3.0]), fx.asarray([10.0, 20.0]))
    Array([14., 29.], float64)
    """
    return multiply_add(a, a, b)


if __name__ == "__main__":
    print("value        ", square_add(2.0, 10.0), jit(square_add)(2.0, 10.0))
    print("jvp          ", jvp(square_add, (2.0, 10.0), (1.0, 1.0)))
    print("gradient     ", grad(square_add)(2.0, 10.0), jit(grad(square_add))(2.0, 10.0))
    print("a batch      ", vmap(square_add)(fx.asarray([2.0, 3.0]), fx.asarray([10.0, 20.0])))
    print("StableHLO    ", lower(square_add, 2.0, 10.0).as_text(), sep="\n")
