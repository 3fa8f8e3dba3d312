"""Linearisation: the values of a function at a point, and its derivative there as a linear program.

`linearize = PartialEval ∘ Jvp`: primal values are computed at once, the operations on tangents are recorded. The
recorded program can be run forwards (`linearize`) or, by transposition, backwards (`pull_back`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, overload

from effects.arguments import check_callable, flag, function_name
from effects.arrays.array import Array, Scalar
from effects.arrays.concrete import Concrete
from effects.errors import NotLinearError
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Atom, Jaxpr
from effects.runtime.cpython.extent import inside
from effects.trees.pytree import TreeDef, tree_structure, tree_unflatten
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.signatures.refused import NoSuchArgument
from handlers.jvp import Jvp
from handlers.jvp.rules import Dual
from handlers.partial_eval import PartialEval
from handlers.transformations.calls.arguments import argument_names, flatten_arguments, flatten_results
from handlers.transformations.calls.staging import abstract_arguments
from handlers.transformations.calls.types import NoAux
from handlers.transformations.derivatives.forward import duals_of
from handlers.transformations.derivatives.linear_functions import LinearFunction, Pullback, Pushforward, Types
from handlers.transpose.rules import backward


class Linearized(NamedTuple):
    """A function at a point: its values there, and its derivative recorded by `recorder`.

    `tangents` are the atoms of the tangents of the values, None where a value does not vary.
    """

    values: list[Array]
    tangents: list[Atom | None]
    recorder: PartialEval
    out_tree: TreeDef
    aux: Any


def linearize_flat(
    f: Callable[..., Any], primals: Sequence[Array], treedef: TreeDef, name: str, *, has_aux: bool = False
) -> Linearized:
    """Linearise `f`, a function of trees, at leaves; `treedef` is the structure of its positional arguments."""
    recorder, handler = PartialEval(function_name(f)), Jvp(function_name(f))

    def run() -> tuple[list[Dual], TreeDef, Any]:
        leaves = [
            handler.dual(p, recorder.input(p.aval) if dtypes.is_inexact(p.aval.dtype) else _skip(recorder, p.aval))
            for p in primals
        ]
        return duals_of(handler, f, f(*tree_unflatten(treedef, leaves)), name, has_aux)

    duals, out_tree, aux = inside((recorder, handler), run)
    tangents = [None if d.tangent is None else recorder.atom(d.tangent) for d in duals]
    return Linearized([d.primal for d in duals], tangents, recorder, out_tree, aux)


def _skip(recorder: PartialEval, aval: ShapedArray) -> Array | None:
    """No tangent: an unused input of the program."""
    recorder.input(aval)
    return None


def linear_jaxpr(linearized: Linearized) -> tuple[Jaxpr, list[Array], list[bool]]:
    """The derivative as a program (of residuals, then tangents), the residuals, and flags of the results that vary."""
    recorder = linearized.recorder
    varies = [t is not None for t in linearized.tangents]
    jaxpr, residuals = recorder.program([])
    outputs = tuple([t for t in linearized.tangents if t is not None])
    return dead_code_eliminated(Jaxpr(jaxpr.inputs, jaxpr.eqns, outputs)), residuals, varies


def pull_back(linearized: Linearized, cotangents: Sequence[Array], *, consume: bool = False) -> list[Array | None]:
    """The cotangents of the inputs.

    The recorded derivative does not change, unless it may be consumed: then a residual is freed after its last use.
    """
    recorder = linearized.recorder
    env = {var: value for value, var, _ in recorder.captured.values()}
    first_uses = [first for _, _, first in recorder.captured.values()] if consume else ()
    if consume:
        recorder.captured.clear()
    collected = backward(recorder.eqns, env, linearized.tangents, cotangents, first_uses)
    return [collected.get(var) for var in recorder.inputs]


class Linear[R, *Ts](Protocol):
    """Type of the result of `linearize`, a function of tangents, which may be numbers for scalars."""

    @overload
    def __call__(self, *tangents: *Ts) -> R: ...
    @overload
    def __call__(self, *tangents: complex | None) -> R: ...


@overload
def linearize[N: complex, R](
    f: Callable[[Scalar[Any]], R], x: N, /, *, has_aux: Literal[False] = False
) -> tuple[R, Linear[R, N]]: ...
@overload
def linearize[*Ts, R](
    f: Callable[[*Ts], R], *primals: *Ts, has_aux: NoAux = ..., **unknown: NoSuchArgument
) -> tuple[R, Linear[R, *Ts]]: ...
@overload
def linearize[N: complex, R, A](
    f: Callable[[Scalar[Any]], tuple[R, A]], x: N, /, *, has_aux: Literal[True]
) -> tuple[R, Linear[R, N], A]: ...
@overload
def linearize[*Ts, R, A](
    f: Callable[[*Ts], tuple[R, A]], *primals: *Ts, has_aux: Literal[True]
) -> tuple[R, Linear[R, *Ts], A]: ...
def linearize(  # type: ignore[misc]  # which takes no unknown arguments
    f: Callable[..., Any], *primals: object, has_aux: bool = False
) -> tuple[Any, ...]:
    """The value of `f` at `primals`, and its derivative there as a function of tangents.

    That function is linear, and calling it repeats none of the work of `f`. It is a pytree, like the one that `vjp`
    returns. With `has_aux`, `f` returns (result, aux) and a third value, aux, is returned.

    >>> import effects as fx
    >>> y, sin_lin = linearize(fx.sin, 0.0)
    >>> sin_lin(1.0)
    Array(1., float64)
    >>> y, f_lin, aux = linearize(lambda x: (x * x, "aux"), 3.0, has_aux=True)
    >>> y, f_lin(1.0), aux
    (Array(9., float64), Array(6., float64), 'aux')
    """
    check_callable("linearize", f)
    has_aux = flag("linearize", "has_aux", has_aux)
    arrays, types = flatten_primals("linearize", f, primals)
    linearized = linearize_flat(f, arrays, types.tree, "linearize", has_aux=has_aux)
    f_lin = linear_function(Pushforward, "linearize", linearized, types)
    result = tree_unflatten(linearized.out_tree, linearized.values)
    return (result, f_lin, linearized.aux) if has_aux else (result, f_lin)


def linear_function[F: LinearFunction](kind: type[F], name: str, linearized: Linearized, arguments: Types) -> F:
    """The recorded derivative, as a function that is a pytree; `name` is the transformation that it is for."""
    result = linearized.out_tree, [value.aval for value in linearized.values]
    return kind.of(name, linearized.recorder, linearized.tangents, arguments, result)


def flatten_primals(name: str, f: Callable[..., Any], primals: Sequence[object]) -> tuple[list[Array], Types]:
    """The leaves of positional arguments, their structure and their types."""
    arrays, _ = flatten_arguments(name, f, primals, {})
    return arrays, Types(tree_structure(tuple(primals)), tuple([array.aval for array in arrays]))


def linear_transpose[R](f: Callable[..., R], *primals: object) -> Callable[[R | complex], tuple[Any, ...]]:
    """The transpose of a linear function: from a cotangent of its result to cotangents of its arguments.

    `primals` only give the types of the arguments (arrays or `ShapedArray`s). Results are paired with cotangents by
    Re(c·f(t)) = Re(fᵀ(c)·t).

    The transpose is a pytree, like the function that `vjp` returns.

    A constant that `f` adds is dropped: the transpose of x ↦ 2x + 1 is that of x ↦ 2x. Raises NotLinearError when an
    operation of `f` is not linear in the arguments, or a result is a constant other than 0.

    >>> import effects as fx
    >>> linear_transpose(lambda x: 2 * x[0], fx.zeros(3))(1.0)
    (Array([2., 0., 0.], float64),)
    """
    check_callable("linear_transpose", f)
    treedef = tree_structure(tuple(primals))
    avals, _ = abstract_arguments("linear_transpose", primals, {}, lambda: argument_names(f, primals, {}))
    with PartialEval(function_name(f)) as recorder:
        out = f(*tree_unflatten(treedef, [recorder.input(aval) for aval in avals]))
        outputs, out_tree = flatten_results("linear_transpose", f, out)
    atoms: list[Atom | None] = [recorder.atom(output) if output.owner is recorder else None for output in outputs]
    for output, atom in zip(outputs, atoms, strict=True):
        if atom is None and type(output) is Concrete and output.fetch().any():
            raise NotLinearError(
                f"linear_transpose: a result of {function_name(f)} does not depend on its arguments, and is not 0: it "
                "is not linear"
            )
    linearized = Linearized(outputs, atoms, recorder, out_tree, None)
    return linear_function(Pullback, "linear_transpose", linearized, Types(treedef, tuple(avals)))
