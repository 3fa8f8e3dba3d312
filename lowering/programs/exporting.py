"""`export`: the program of a jitted function, for a file."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache
from inspect import Parameter, signature
from typing import Final

from effects.arguments import check_callable, function_name, integer, shown
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.errors import ArgumentError, DeviceError
from effects.operations.callbacks import Callback, Chained, Guarded, HostFunction, OnTrees, PerLane
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.program.operation import HigherOrder
from effects.runtime.version import __version__
from effects.trees.pytree import TreeDef, tree_flatten, tree_unflatten
from effects.types.dtypes import is_inexact
from handlers.stage import stage
from handlers.transformations.derivatives.reverse import vjp
from lowering import pjrt
from lowering.emission import emit, portable, unportable
from lowering.inspection import trace
from lowering.pjrt import Device
from lowering.pjrt.portable import VERSION
from lowering.programs.artifact import PLATFORMS, Artifact, Platform, Role, Signature
from lowering.programs.exported import Exported, differentiable, signatures_of
from lowering.programs.opening import with_open_sizes
from lowering.programs.program import Program
from lowering.programs.sizes import NoPolynomial, Size, Values, at_sizes, samples, sized
from lowering.programs.trees import Tree
from lowering.stages import Trace


def export(f: Callable[..., object], /, *args: object, derivatives: int = 0, **kwargs: object) -> Program:
    """The program of `f`, jitted or not, for these arguments: to save, and to run where there is no `f`.

    Arguments may be types (`ShapedArray`). Static arguments of a jitted function are part of the program, donated ones
    are donated by it. The arrays that `f` closes over are part of it. With `derivatives=1` it includes its derivative
    in reverse mode, so that `grad` and `vjp` work, once.

    Types with open sizes (`SizedArray`) give a program for all of these. `f` is traced for some, including the least
    and the greatest, and must be the same program for these, except for numbers that follow from the sizes by sums and
    products. So `f` must not branch on sizes, nor call functions that need fixed ones: LAPACK, Fourier transforms,
    cumulative sums along such axes.

    It runs on every platform; one that calls LAPACK runs on the CPU only.

    Raises ArgumentError for arguments that `f` does not take, for a function that calls Python while it runs, or closes
    over values of a transformation, DeviceError for one that runs over a mesh or puts values on devices, what `f`
    raises while it is traced, and UnhandledEffectError for effects without a handler, ArgumentError with the reason
    where sizes cannot be open.

    >>> import effects as fx
    >>> from lowering import jit
    >>> program = export(jit(lambda x: fx.sin(x) * 2), fx.ShapedArray((3,), fx.float32))
    >>> program
    <Program <lambda>(x: float32[3]) -> (result: float32[3])>
    >>> program(fx.zeros(3, dtype=fx.float32))
    Array([0., 0., 0.], float32)
    >>> from lowering import Size, SizedArray
    >>> program = export(jit(lambda x: fx.mean(x, axis=0)), SizedArray((Size("n", 1, 100), 2), fx.float32))
    >>> program
    <Program <lambda>(x: float32[n,2]) -> (result: float32[2]), n from 1 to 100>
    >>> program(fx.ones((5, 2), dtype=fx.float32))
    Array([1., 1.], float32)
    """
    check_callable("export", f)
    _check_arguments(f, args, kwargs)
    if integer("export", "derivatives", derivatives) not in (0, 1):
        raise ArgumentError(f"export: derivatives must be 0 or 1, got {shown(derivatives)}; take further ones of f")
    if sizes := sized("export", (args, kwargs)):
        return _with_sizes(f, args, kwargs, derivatives, sizes)
    traced = trace(f, *args, **kwargs)
    return Program(_exported(traced, derivatives), traced.out_tree.unflatten)


def _check_arguments(f: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """Raise ArgumentError for arguments that `f` does not take, with advice: `export` takes them after `f`."""
    try:
        described = signature(f)
    except ValueError:  # the function is not written in Python
        return
    try:
        described.bind(*args, **kwargs)
    except TypeError as error:
        plain = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        needed = [p for p in described.parameters.values() if p.kind in plain and p.default is Parameter.empty]
        names, name = [p.name for p in needed], function_name(f)
        written = [f"{p.name}={p.name}" if p.kind is Parameter.KEYWORD_ONLY else p.name for p in needed]
        raise ArgumentError(
            f"export: {name} takes {', '.join(names) or 'nothing'}: write export({', '.join((name, *written))}), with "
            f"arrays or with types, ShapedArray(shape, dtype); {error}"
        ) from None


_DEGREES: Final = (1, 3)
"""Degrees of the polynomials of sizes that are tried: higher ones need more sample sizes."""


def _with_sizes(
    f: Callable[..., object],
    args: tuple[object, ...],
    kwargs: dict[str, object],
    derivatives: int,
    sizes: Sequence[Size],
) -> Program:
    """The program with open sizes; ArgumentError if there is none."""
    unread: list[frozenset[int]] = []

    @cache
    def traced_at(*point: int) -> tuple[Exported, Trace]:
        values = dict(zip([size.name for size in sizes], point, strict=True))
        traced = trace(f, *at_sizes(args, values), **at_sizes(kwargs, values))
        if not unread:
            unread.append(_inputs_with_sizes(traced, values))
        return _exported(traced, derivatives, unread[0], lines=True), traced

    for degree in _DEGREES:
        points = samples(sizes, (args, kwargs), degree)
        each = [traced_at(*values.values()) for values in points.each]
        _, traced = each[0]
        try:
            return Program(
                with_open_sizes([exported for exported, _ in each], points, sizes), traced.out_tree.unflatten
            )
        except ValueError as error:
            if isinstance(error, NoPolynomial) and degree != _DEGREES[-1]:
                continue
            ranges = ", ".join([f"{size} from {size.least} to {size.greatest}" for size in sizes])
            raise ArgumentError(
                f"export: {traced.fun_name} is not one program for all sizes, {ranges}: {str(error).strip()}; export "
                "it with other ranges, or for each size alone"
            ) from None
    raise AssertionError("the last degree gives a program or an error")


def _inputs_with_sizes(traced: Trace, values: Values) -> frozenset[int]:
    """Leaves of the arguments from which a program gets its sizes, even if it does not read them."""
    shapes = [aval.shape for aval in traced.jaxpr.in_avals[len(traced.captured) :]]
    having = [next((i for i, shape in enumerate(shapes) if value in shape), None) for value in values.values()]
    return frozenset([i for i in having if i is not None])


def _exported(traced: Trace, derivatives: int, unread: Container[int] = (), *, lines: bool = False) -> Exported:
    """The function for arguments of known types; also leaves in `unread` become inputs."""
    _refuse_unsupported(traced)
    name, first = traced.fun_name, len(traced.captured)
    arguments = Tree.of("export", traced.in_tree, traced.jaxpr.in_avals[first:], traced.names)
    results = Tree.of("export", traced.out_tree, traced.jaxpr.out_avals)
    live = dead_code_eliminated(traced.jaxpr)
    used = {atom for eqn in live.eqns for atom in eqn.op.operands}.union(live.outputs)
    read = [i for i, var in enumerate(live.inputs) if var in used or i - first in unread]
    program = Jaxpr(tuple([live.inputs[i] for i in read]), live.eqns, live.outputs)
    if derivatives and not (
        differentiable(program.out_avals) and differentiable([leaf.aval for leaf in arguments.leaves])
    ):
        raise ArgumentError(
            f"export: derivatives=1, and {name} has none: its arguments or its results are only integers and bools"
        )
    captured = [x for i, x in enumerate(traced.captured) if i in read and isinstance(x, Concrete)]
    programs = (program, *(_forward_and_backward(program, len(captured), name) if derivatives else ()))
    residuals = programs[1].out_avals[len(program.out_avals) :] if derivatives else ()
    signatures = signatures_of(
        program.in_avals[: len(captured)], program.in_avals[len(captured) :], program.out_avals, residuals
    )
    return Exported(
        name,
        arguments,
        results,
        tuple(captured),
        tuple([i - first for i in read if i >= first]),
        tuple([i for i, flag in enumerate(traced.donated[first:]) if flag]),
        tuple([_artifact(name, *each, lines) for each in zip(signatures.items(), programs, strict=False)]),
        {"stablehlo": VERSION, "effax": __version__, "jaxlib": pjrt.installed_version()},
        traced.parameters,
    )


def _refuse_unsupported(traced: Trace) -> None:
    """Raise the error of a program that a file cannot hold."""
    name = traced.fun_name
    if not isinstance(traced.where, Device):
        raise DeviceError(
            f"export: {name} runs over {traced.where.mesh}, and a program in a file runs on one device; export it for "
            "types, or arrays of one device, and without shardings"
        )
    for value in traced.captured:
        if not isinstance(value, Concrete):
            raise ArgumentError(
                f"export: {name} closes over {value.aval}, a value of a transformation; make it an argument, or export "
                "outside of the transformation"
            )
    for call in _callbacks(traced.jaxpr):
        raise ArgumentError(
            f"export: {name} calls Python while it runs, {call}, and files cannot contain Python; leave it out, or "
            "export what is before and after it"
        )


def _callbacks(jaxpr: Jaxpr) -> Iterator[str]:
    for eqn in jaxpr.eqns:
        if isinstance(eqn.op, Callback):
            yield _callback_name(eqn.op.function) + (f" at {eqn.source}" if eqn.source else "")
        if isinstance(eqn.op, HigherOrder):
            for body in eqn.op.bodies:
                yield from _callbacks(body)


def _callback_name(function: HostFunction) -> str:
    """The name of the callback for a function on the host, and of that function."""
    match function:
        case OnTrees(caller="debug_print"):
            return "debug_print"
        case OnTrees(caller=caller):
            return f"{caller} of {function!r}"
        case PerLane(lane=inner) | Guarded(function=inner) | Chained(function=inner):
            return _callback_name(inner)
        case _:
            return repr(function)


def _artifact(name: str, role_and_types: tuple[Role, Signature], program: Jaxpr, lines: bool) -> Artifact:
    """The program as StableHLO: for the CPU and, where it calls nothing that only the CPU has, for all others."""
    modules: dict[Platform, bytes] = {}
    for platform in PLATFORMS:
        device = pjrt.device_named("cpu:0") if platform == "cpu" else None
        module = emit(program, name, (), device, open_sizes=True)
        if module.devices:
            raise DeviceError(
                f"export: {name} puts a value on {', '.join(sorted(module.devices))}, and a program in a file runs on "
                "any device; move arrays before or after the call"
            )
        if platform == "cpu" or not module.on_cpu:
            modules[platform] = portable(module, lines=lines)
            if (fault := unportable(modules[platform], role_and_types[1])) is not None:
                raise ArgumentError(f"export: {name} cannot be in a file: {fault}")
    return Artifact(name, role_and_types[0], modules, role_and_types[1]).without_duplicate_module()


def _forward_and_backward(program: Jaxpr, n_captured: int, name: str) -> tuple[Jaxpr, Jaxpr]:
    """The forward program, with residuals as further results; and the backward program, from inputs, residuals and
    cotangents of the results to cotangents of the arguments.
    """
    varying = [i for i, aval in enumerate(program.in_avals) if i >= n_captured and is_inexact(aval.dtype)]
    of_results = [i for i, aval in enumerate(program.out_avals) if is_inexact(aval.dtype)]
    structure: list[TreeDef] = []

    def forward(*xs: Array) -> Sequence[Array]:
        def f(*varying_args: Array) -> tuple[list[Array], list[Array]]:
            operands = list(xs)
            for i, x in zip(varying, varying_args, strict=True):
                operands[i] = x
            results = list(eval_jaxpr(program, operands))
            return [results[i] for i in of_results], results

        _, pullback, results = vjp(f, *[xs[i] for i in varying], has_aux=True)
        residuals, tree = tree_flatten(pullback)
        structure.append(tree)
        return [*results, *residuals]

    forward_program, _ = stage(forward, program.in_avals, name)
    results, residuals = (
        forward_program.outputs[: len(program.outputs)],
        forward_program.outputs[len(program.outputs) :],
    )
    extra = [atom for atom in dict.fromkeys(residuals) if atom not in forward_program.inputs]
    saved = [*forward_program.inputs, *extra]

    def backward(*xs: Array) -> Sequence[Array]:
        pullback = tree_unflatten(structure[0], [xs[saved.index(atom)] for atom in residuals])
        return list(pullback(list(xs[len(saved) :])))

    backward_program, _ = stage(
        backward, [*[atom.aval for atom in (*saved, *[program.outputs[i] for i in of_results])]], name
    )
    return Jaxpr(forward_program.inputs, forward_program.eqns, (*results, *extra)), backward_program
