"""Wrong rules, and wrong calls of functions that have some."""

from effects import F32, Array
from handlers import custom_jvp, custom_transpose, custom_vjp, hvp


class N: ...


@custom_jvp
def f(x: F32[N]) -> F32[N]:
    return x


def fwd(x: F32[N]) -> tuple[F32[N], int]:
    return x, 1


def bwd(kept: str, ct: F32[N]) -> tuple[F32[N]]:
    return (ct,)


def calls(x: F32[N], flag: bool) -> None:
    f(x, x)  # E: Too many arguments
    f("x")  # E: incompatible type
    hvp(f, (x,), (x,))  # E: incompatible type


custom_jvp(1)  # E: incompatible type
custom_vjp(fwd, bwd)  # E: Cannot infer value
custom_vjp(fwd, lambda kept: (kept,))  # E: incompatible type
custom_transpose(f)  # E: incompatible type
f.defbatch(1)  # E: cannot be "int"


def rule(primals: tuple[Array], tangents: tuple[Array]) -> Array:
    return tangents[0]


@custom_jvp(rule)  # E: incompatible type
def g(x: Array) -> Array:
    return x


@custom_vjp
def h(x: F32[N]) -> F32[N]:
    return x


h.defvjp(lambda x: (x, 1), lambda kept: (kept,))  # E: Argument 2 to "defvjp" of "CustomFunction" has incompatible type
h.defvjp(fwd, bwd)  # E: Cannot infer value of type parameter "K" of "defvjp" of "CustomFunction"
h.defvjp(fwd, lambda kept, ct: ct)  # E: Argument 2 to "defvjp" of "CustomFunction" has incompatible type


def of_one(x: F32[N]) -> tuple[F32[N], F32[N]]:
    return x, x


f.defjvp(of_one)  # E: Value of type variable "F" of "defjvp" of "CustomFunction" cannot be
f.defbatch(of_one)  # E: Value of type variable "F" of "defbatch" of "CustomFunction" cannot be
f.deftranspose(of_one)  # E: Value of type variable "F" of "deftranspose" of "CustomFunction" cannot be
h.defvjp(fwd, of_one, symbolic_zeros=True)  # E: Argument 2 to "defvjp" of "CustomFunction" has incompatible type
