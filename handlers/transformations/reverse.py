"""Linearisation and reverse-mode derivatives.

`linearize = PartialEval ∘ Jvp`: primal values are computed at once, the operations on tangents are written down.
`vjp = Transpose ∘ linearize`: what was written down is run backwards.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from effects import dtypes
from effects.array import Array
from effects.avals import ShapedArray
from effects.errors import DTypeError, NotLinearError, ShapeError, TreeError
from effects.functions import creation, movement
from effects.functions.arithmetic import add
from effects.jaxpr import Atom, Jaxpr, Var, dead_code_eliminated, eval_jaxpr
from effects.promotion import constant_like
from effects.pytree import TreeDef, tree_flatten, tree_structure, tree_unflatten
from effects.signatures import typed_as
from handlers.jvp import Jvp
from handlers.partial_eval import PartialEval
from handlers.transformations import signatures
from handlers.transformations.arguments import (
    argument_names,
    as_arrays,
    check_callable,
    flatten_arguments,
    flatten_results,
    function_name,
    match,
)
from handlers.transformations.batching import vmap
from handlers.transformations.forward import (
    jacfwd,
    real_arguments,
    select_arguments,
    single,
    split_last,
    standard_basis,
)
from handlers.transformations.staging import abstract_arguments
from handlers.transpose.rules import backward


class Linearized(NamedTuple):
    """A function at a point: its values there, and its derivative written down by `recorder`.

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
    aux_leaves: list[Any] = []
    aux_tree = None
    with PartialEval(function_name(f)) as recorder, Jvp() as handler:
        leaves = [
            handler.dual(p, recorder.input(p.aval) if dtypes.is_inexact(p.aval.dtype) else _skip(recorder, p.aval))
            for p in primals
        ]
        out = f(*tree_unflatten(treedef, leaves))
        if has_aux:
            if not isinstance(out, tuple) or len(out) != 2:
                raise TreeError(
                    f"{name}: with has_aux=True {function_name(f)} must return (result, aux), got {type(out).__name__}"
                )
            out, aux = out
            aux_leaves, aux_tree = tree_flatten(aux)
            aux_leaves = [handler.lift(leaf).primal if isinstance(leaf, Array) else leaf for leaf in aux_leaves]
        outputs, out_tree = flatten_results(name, f, out)
        duals = [handler.lift(value) for value in outputs]
    tangents = [None if d.tangent is None else recorder.atom(d.tangent) for d in duals]
    aux_value = None if aux_tree is None else tree_unflatten(aux_tree, aux_leaves)
    return Linearized([d.primal for d in duals], tangents, recorder, out_tree, aux_value)


def _skip(recorder: PartialEval, aval: ShapedArray) -> Array | None:
    """No tangent; it still has its place among the inputs."""
    recorder.input(aval)
    return None


def linear_jaxpr(linearized: Linearized) -> tuple[Jaxpr, list[Array], list[bool]]:
    """The derivative as a program of residuals, then tangents, the residuals, and which results vary."""
    recorder = linearized.recorder
    varies = [t is not None for t in linearized.tangents]
    jaxpr, residuals = recorder.finish([])
    outputs = tuple([t for t in linearized.tangents if t is not None])
    return dead_code_eliminated(Jaxpr(jaxpr.inputs, jaxpr.eqns, outputs)), residuals, varies


def pull_back(linearized: Linearized, cotangents: Sequence[Array]) -> list[Array | None]:
    """The cotangents of the inputs; the recorded derivative stays as it is."""
    recorder = linearized.recorder
    env = {var: value for value, var in recorder.captured.values()}
    collected: dict[Var, Array] = {}
    for atom, ct in zip(linearized.tangents, cotangents, strict=True):
        if type(atom) is Var and atom not in env:
            collected[atom] = add(collected[atom], ct) if atom in collected else ct
    backward(recorder.eqns, env, collected)
    return [collected.get(var) for var in recorder.inputs]


def linearize[*Ts, R](f: Callable[[*Ts], R], *primals: *Ts) -> tuple[R, Callable[[*Ts], R]]:
    """The value of `f` at `primals`, and its derivative there as a function of tangents.

    The second is linear, and calling it repeats none of the work of `f`.

    >>> import effects as fx
    >>> y, sin_lin = linearize(fx.sin, 0.0)
    >>> sin_lin(1.0)
    Array(1.0, float64)
    """
    check_callable("linearize", f)
    arrays, (treedef, like) = _flatten_primals("linearize", f, primals)
    linearized = linearize_flat(f, arrays, treedef, "linearize")
    jaxpr, residuals, varies = linear_jaxpr(linearized)
    values, out_tree = linearized.values, linearized.out_tree

    def f_lin(*tangents: *Ts) -> R:
        given = match("linearize", "tangent", like, (*tangents,))
        results = iter(eval_jaxpr(jaxpr, [*residuals, *given]))
        full = [next(results) if v else creation.zeros_like(y) for v, y in zip(varies, values, strict=True)]
        return cast(R, tree_unflatten(out_tree, full))

    return tree_unflatten(out_tree, values), f_lin


def _flatten_primals(
    name: str, f: Callable[..., Any], primals: Sequence[object]
) -> tuple[list[Array], tuple[TreeDef, tuple[object, ...]]]:
    """The leaves of positional arguments, their structure, and a tree of their types."""
    arrays, _ = flatten_arguments(name, f, primals, {})
    treedef = tree_flatten(tuple(primals))[1]
    return arrays, (treedef, tree_unflatten(treedef, arrays))


@typed_as(signatures.vjp)
def vjp(f: Callable[..., Any], *primals: object, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of `f` at `primals`, and the function from a cotangent of the result to those of the arguments.

    A cotangent has the structure, shapes and dtypes of the result; the cotangents given back have those of the
    arguments, zeros where the result does not depend on them. With `has_aux`, `f` returns (result, aux) and a third
    value, aux, is returned.

    Raises TreeError, ShapeError or DTypeError naming the place when a cotangent does not fit.

    >>> import effects as fx
    >>> y, sin_vjp = vjp(fx.sin, 0.0)
    >>> sin_vjp(1.0)
    (Array(1.0, float64),)
    """
    check_callable("vjp", f)
    arrays, (treedef, _) = _flatten_primals("vjp", f, primals)
    linearized = linearize_flat(f, arrays, treedef, "vjp", has_aux=has_aux)
    result = tree_unflatten(linearized.out_tree, linearized.values)

    def f_vjp(cotangent: object) -> Any:
        given = match("vjp", "cotangent", result, cotangent)
        found = pull_back(linearized, given)
        full = [creation.zeros_like(p) if ct is None else ct for p, ct in zip(arrays, found, strict=True)]
        return tree_unflatten(treedef, full)

    return (result, f_vjp, linearized.aux) if has_aux else (result, f_vjp)


@typed_as(signatures.value_and_grad)
def value_and_grad(
    f: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the value of the scalar function `f` and its gradient; see `grad`.

    With `has_aux`, `f` returns (value, aux) and the result is ((value, aux), gradient).

    >>> value_and_grad(lambda x: x * x)(3.0)
    (Array(9., float64), Array(6., float64))
    """
    check_callable("value_and_grad", f)

    @functools.wraps(f)
    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        value, aux, gradient = _gradient("value_and_grad", f, argnums, has_aux, args, kwargs)
        return ((value, aux) if has_aux else value), gradient

    return value_and_gradient


@typed_as(signatures.grad)
def grad(f: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The gradient of a scalar function with respect to its first argument (or to those that `argnums` names).

    The result has the structure, shapes and dtypes of the argument; several `argnums` give a tuple. With `has_aux`, `f`
    returns (value, aux) and the result is (gradient, aux). For complex arguments it is ∂f/∂x - i ∂f/∂y.

    Raises ShapeError (a TypeError too) naming the output's shape when it is not a scalar, DTypeError when it or an argument is not
    floating point.

    >>> grad(lambda x: x**2)(3.0)
    Array(6., float64)
    """
    check_callable("grad", f)

    @functools.wraps(f)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        _, aux, found = _gradient("grad", f, argnums, has_aux, args, kwargs)
        return (found, aux) if has_aux else found

    return gradient


def _gradient(
    name: str,
    f: Callable[..., Any],
    argnums: int | tuple[int, ...],
    has_aux: bool,
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> tuple[Array, Any, Any]:
    """(value, aux, gradient) of a scalar function."""
    chosen, partial = select_arguments(name, f, argnums, args, kwargs)
    leaves, treedef = tree_flatten(chosen)
    arrays = as_arrays(name, leaves, lambda: argument_names(partial, chosen, {}))
    for position, array in enumerate(arrays):
        if not dtypes.is_inexact(array.aval.dtype):
            leaf = argument_names(partial, chosen, {})[position]
            raise DTypeError(
                f"{name}: argument {leaf} of {function_name(f)} must be floating point, got {array.aval}; "
                "convert it with astype, or differentiate with respect to other arguments (argnums)"
            )
    linearized = linearize_flat(partial, arrays, treedef, name, has_aux=has_aux)
    if linearized.out_tree.num_nodes != 1 or not linearized.values or linearized.values[0].aval.shape:
        given = tree_unflatten(linearized.out_tree, [v.aval for v in linearized.values])
        raise NotScalarError(
            f"{name} needs a function with one scalar result, {function_name(f)} gives {given}; "
            "reduce it (sum, mean), or use vjp, jacrev or jacfwd"
        )
    (value,) = linearized.values
    if not issubclass(value.aval.dtype, dtypes.Floating):
        raise DTypeError(
            f"{name} needs a real floating-point result, {function_name(f)} gives {value.aval}; "
            "take its real part, or use vjp"
        )
    found = pull_back(linearized, [constant_like(1, value)])
    full = [creation.zeros_like(p) if ct is None else ct for p, ct in zip(arrays, found, strict=True)]
    return value, linearized.aux, single(argnums, tree_unflatten(treedef, full))


class NotScalarError(ShapeError, TypeError):
    """A gradient was asked of a function whose result is not one scalar."""


def jacrev[**P](f: Callable[P, Any], argnums: int | tuple[int, ...] = 0) -> Callable[P, Any]:
    """The Jacobian of `f` by reverse mode, one row per output element: good where outputs are few.

    The result is laid out as that of `jacfwd`.

    >>> import effects as fx
    >>> jacrev(lambda x: x * x)(fx.asarray([1.0, 2.0]))
    Array([[2., 0.],
           [0., 4.]], float64)
    """
    check_callable("jacrev", f)

    @functools.wraps(f)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen, partial = select_arguments("jacrev", f, argnums, args, kwargs)
        real_arguments("jacrev", partial, chosen)
        out, pull = vjp(partial, *chosen)
        outputs, out_tree = tree_flatten(out)
        for output in outputs:
            if not issubclass(output.aval.dtype, dtypes.Floating):
                raise DTypeError(
                    f"jacrev: a result of {function_name(f)} must be real floating point, got {output.aval}"
                )
        sizes = [output.aval.size for output in outputs]
        rows = vmap(lambda *cts: pull(tree_unflatten(out_tree, cts)))(*standard_basis(outputs))
        leaves, in_tree = tree_flatten(rows)
        columns = [split_last(movement.moveaxis(leaf, 0, -1), outputs, sizes) for leaf in leaves]
        blocks = []
        for position, output in enumerate(outputs):
            rank = output.aval.ndim
            per_input = [
                movement.moveaxis(column[position], tuple(range(-rank, 0)), tuple(range(rank)))
                if rank
                else column[position]
                for column in columns
            ]
            blocks.append(single(argnums, tree_unflatten(in_tree, per_input)))
        return tree_unflatten(out_tree, blocks)

    return jacobian


def hessian[**P](f: Callable[P, Any], argnums: int | tuple[int, ...] = 0) -> Callable[P, Any]:
    """The matrix of second derivatives of `f`, by forward over reverse mode.

    >>> import effects as fx
    >>> hessian(lambda x: fx.sum(x**3))(fx.asarray([1.0, 2.0]))
    Array([[ 6.,  0.],
           [ 0., 12.]], float64)
    """
    check_callable("hessian", f)
    return jacfwd(jacrev(f, argnums), argnums)


def linear_transpose[R](f: Callable[..., R], *primals: object) -> Callable[[R], tuple[Any, ...]]:
    """The transpose of a linear function: from a cotangent of its result to those of its arguments.

    `primals` only say the types of the arguments (arrays or `ShapedArray`s). The given function's results are paired with
    cotangents by Re(c·f(t)) = Re(fᵀ(c)·t).

    Raises NotLinearError when an operation of `f` is not linear in them.

    >>> import effects as fx
    >>> linear_transpose(lambda x: 2 * x[0], fx.zeros(3))(1.0)
    (Array([2., 0., 0.], float64),)
    """
    check_callable("linear_transpose", f)
    treedef = tree_structure(tuple(primals))
    avals, _ = abstract_arguments("linear_transpose", f, primals, {})
    with PartialEval(function_name(f)) as recorder:
        out = f(*tree_unflatten(treedef, [recorder.input(aval) for aval in avals]))
        outputs, out_tree = flatten_results("linear_transpose", f, out)
    for output in outputs:
        if output.owner is not recorder:
            raise NotLinearError(
                f"linear_transpose: a result of {function_name(f)} does not depend on its arguments, so it is not linear"
            )
    atoms: list[Atom | None] = [recorder.atom(output) for output in outputs]
    linearized = Linearized(outputs, atoms, recorder, out_tree, None)
    like = tree_unflatten(out_tree, outputs)

    def transposed(cotangent: Any) -> Any:
        found = pull_back(linearized, match("linear_transpose", "cotangent", like, cotangent))
        full = [
            creation.zeros(aval.shape, dtype=aval.dtype) if ct is None else ct
            for aval, ct in zip(avals, found, strict=True)
        ]
        return tree_unflatten(treedef, full)

    return transposed
