"""The stages of compilation, to look at: `Trace`, `Lowered`, `Compiled`.

    jit(f).trace(x).lower().compile()(x)

Each has the types of arguments and results, and does its work in the constructor. Compiled programs are cached, for
calls of the function and for further compilations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, NoReturn, final

from typing_extensions import TypeVar

from effects.arguments import choice, counted, flag, refusal
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, concretes
from effects.arrays.mesh import Mesh
from effects.errors import ArgumentError, DeviceError, TreeError
from effects.operations.higher_order import same_types
from effects.program.jaxpr import Jaxpr
from effects.runtime.pictures import Pictured
from effects.trees.pytree import (
    TreeDef,
    structure_difference,
    tree_flatten,
    tree_leaves_with_path,
    tree_structure,
    tree_unflatten,
)
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType
from handlers.transformations.calls.arguments import as_arrays
from handlers.transformations.calls.binding import Parameters
from lowering import pjrt
from lowering.calls.prepared import LiveInputs, operand_names
from lowering.compilation import check_platform, compiled_or_shared, operands_of
from lowering.emission import Layout, Module, emit
from lowering.pjrt import Device, Executable, MemoryAnalysis

type Dialect = Literal["stablehlo", "hlo"]
R = TypeVar("R", default=Any)  # type of the function's result


@dataclass(frozen=True, slots=True)
class ArgInfo:
    """Type and donation of a leaf of a program's arguments."""

    shape: tuple[int, ...]
    dtype: type[DType]
    donated: bool


_TYPES_SHOWN: Final = 8
"""Types that fit in a line."""


def _listed(avals: Sequence[ShapedArray]) -> str:
    more = [f"{len(avals) - _TYPES_SHOWN} more"] if len(avals) > _TYPES_SHOWN else []
    return f"({', '.join([*map(str, avals[:_TYPES_SHOWN]), *more])})"


class Described(ABC, Pictured):
    """Base of all stages: the arguments and results of the call, as trees of types."""

    @property
    @abstractmethod
    def trace(self) -> Trace:
        """The call that was traced."""

    def __repr__(self) -> str:
        trace = self.trace
        inputs, outputs = trace.jaxpr.in_avals[len(trace.captured) :], trace.jaxpr.out_avals
        types = f"{_listed(inputs)} -> {_listed(outputs)}"
        closed_over = f", closing over {counted(len(trace.captured), 'array')}" if trace.captured else ""
        return f"<{type(self).__name__} {trace.description}: {types}{closed_over}>"

    @property
    def in_tree(self) -> TreeDef:
        """The structure of `(args, kwargs)`, without what is static."""
        return self.trace.arguments

    @property
    def out_tree(self) -> TreeDef:
        """The structure of the result."""
        return self.trace.results

    @property
    def in_avals(self) -> Any:
        """The types of `(args, kwargs)`."""
        return tree_unflatten(self.in_tree, self.trace.jaxpr.in_avals[len(self.trace.captured) :])

    @property
    def args_info(self) -> Any:
        """`(args, kwargs)` with an `ArgInfo` for each leaf: its shape and dtype, and whether it is donated."""
        avals = self.trace.jaxpr.in_avals
        donated = self.trace.donated or (False,) * len(avals)
        leaves = [ArgInfo(aval.shape, aval.dtype, flag) for aval, flag in zip(avals, donated, strict=True)]
        return tree_unflatten(self.in_tree, leaves[len(self.trace.captured) :])

    @property
    def out_info(self) -> Any:
        """The types of the result."""
        return tree_unflatten(self.out_tree, self.trace.jaxpr.out_avals)

    @property
    def donate_argnums(self) -> tuple[int, ...]:
        """The positions of the donated ones among the leaves of the arguments."""
        first = len(self.trace.captured)
        return tuple([i for i, flag in enumerate(self.trace.donated[first:]) if flag])


@final
class Trace(Described, Generic[R]):  # whose variables have no default
    """A traced call: `jaxpr` is its program, whose first inputs are the arrays that the function closed over."""

    def __init__(
        self,
        name: str,
        jaxpr: Jaxpr,
        captured: Sequence[Array],
        in_tree: TreeDef,
        out_tree: TreeDef,
        donated: Sequence[bool],
        keep_unused: bool,
        where: Device | Layout,
        parameters: Parameters,
        description: str,
    ) -> None:
        self.fun_name = name
        self.description = description
        """Name of the traced function, and where it is written."""
        self.jaxpr = jaxpr
        self.captured = tuple(captured)
        self.arguments = in_tree
        self.results = out_tree
        self.donated = (False,) * len(captured) + tuple(donated) if any(donated) else ()
        self.live_inputs = LiveInputs.of(jaxpr, self.donated, keep_unused)
        """The program as it is compiled, and the inputs that it takes."""
        self.where = self.live_inputs.where(where)
        """The device or the mesh that it is compiled for, and how its inputs and outputs are cut."""
        self.parameters = parameters
        """Mapping from the arguments of a call to those of the program."""

    @property
    def trace(self) -> Trace:
        return self

    @property
    def names(self) -> list[str]:
        """For each leaf of the arguments the expression that reaches it."""
        args, kwargs = self.in_avals
        named = {**dict(zip(self.parameters.names(len(args)), args, strict=True)), **dict(sorted(kwargs.items()))}
        return [name + path for name, value in named.items() for path, _ in tree_leaves_with_path(value)]

    def lower(self, platform: str | None = None) -> Lowered[R]:
        """Write the program in StableHLO: for where its arguments are, or for a platform, `"cuda"`, that need not be
        here, for looking at it only.

        Raises ArgumentError for what is no platform's name, DeviceError for a program that cannot run on it.

        >>> import effects as fx
        >>> from lowering import trace
        >>> "stablehlo.sine" in trace(fx.sin, fx.zeros(3)).lower("cuda").as_text()
        True
        """
        inputs, asked_for = self.live_inputs, _platform(platform)
        module = emit(inputs.program, self.fun_name, inputs.donated, self.where, asked_for)
        if asked_for is not None:
            check_platform(module, asked_for)
        return Lowered(self, module, asked_for)


def _platform(name: object) -> str | None:
    if name is None or (isinstance(name, str) and name.isalnum() and name.islower()):
        return name
    raise refusal("lower", "platform", "the name of a platform such as 'cuda'", name)


@final
class Lowered(Described, Generic[R]):  # whose variables have no default
    """A program in StableHLO."""

    def __init__(self, trace: Trace[R], module: Module, platform: str | None) -> None:
        self._trace = trace
        self._module = module
        self._platform = platform

    @property
    def trace(self) -> Trace:
        return self._trace

    def as_text(self, dialect: Dialect | None = None, *, debug_info: bool = False) -> str:
        """The module as text: in StableHLO, or as the HLO that XLA makes of it where `dialect` is "hlo".

        With `debug_info` StableHLO comes with the user's lines. Raises ArgumentError for another dialect.

        >>> import effects as fx
        >>> from lowering import lower
        >>> print(lower(fx.sin, fx.zeros(3)).as_text("hlo").strip())
        HloModule sin, entry_computation_layout={(f64[3]{0})->f64[3]{0}}
        <BLANKLINE>
        ENTRY main.1 {
          Arg_0.1 = f64[3]{0} parameter(0)
          ROOT sin.1 = f64[3]{0} sine(Arg_0.1)
        }
        """
        with_lines = flag("as_text", "debug_info", debug_info)
        return self._hlo().text() if self._is_hlo("as_text", dialect) else self._module.text(locations=with_lines)

    def compiler_ir(self, dialect: Dialect | None = None) -> object:
        """The module itself, for tools of MLIR; for `dialect` "hlo" the computation, for tools of XLA."""
        return self._hlo().computation if self._is_hlo("compiler_ir", dialect) else self._module.ir

    def cost_analysis(self) -> dict[str, float]:
        """XLA's estimates for the program before it is optimised: `flops`, `bytes accessed`, ….

        >>> import effects as fx
        >>> from lowering import lower
        >>> lower(fx.matmul, fx.ones((3, 4)), fx.ones((4, 5))).cost_analysis()["flops"]
        120.0
        """
        return self._hlo().cost_analysis(pjrt.default_device())

    def compile(self, compiler_options: Mapping[str, str | bool | float] | None = None) -> Compiled[R]:
        """Compile for where the arguments are, unless an equal program was: by a call, or here with the same options.

        A call with such arguments finds what is compiled here without options. `compiler_options` are XLA's, by their
        names: `{"xla_dump_to": "/tmp/x"}`.

        Raises ArgumentError for options that are no names with values, DeviceError for a program that was lowered for
        a platform by its name, CompileError with XLA's words when it cannot compile, or does not know an option.
        """
        if self._platform is not None:
            raise DeviceError(
                f"compile: {self.trace.fun_name} was lowered for {self._platform} to be looked at; leave the platform "
                "out, and move the arguments to where it is to run (device_put, EFFAX_PLATFORMS)"
            )
        options, trace = _options(compiler_options), self.trace
        program, donated = trace.live_inputs.program, trace.live_inputs.donated
        executable, _ = compiled_or_shared(program, trace.where, trace.fun_name, donated, options, self._module)
        return Compiled(trace, executable)

    def _hlo(self) -> pjrt.Hlo:
        return pjrt.Hlo(self._module.bytecode())

    @staticmethod
    def _is_hlo(function: str, dialect: str | None) -> bool:
        return dialect is not None and choice(function, "dialect", dialect, Dialect) == "hlo"


def _options(options: object) -> pjrt.Options:
    """The options of a compilation, which are hashable so."""
    if options is None:
        return ()
    if isinstance(options, Mapping) and all(
        [isinstance(k, str) and isinstance(v, str | bool | int | float) for k, v in options.items()]
    ):
        return tuple(options.items())
    raise refusal("compile", "compiler_options", "a dict of names and strings, bools or numbers", options)


@final
class Compiled(Described, Generic[R]):  # whose variables have no default
    """An executable program, callable with arguments of the types it was traced for."""

    def __init__(self, trace: Trace[R], executable: Executable) -> None:
        self._trace = trace
        self._executable = executable

    @property
    def trace(self) -> Trace:
        return self._trace

    @property
    def mesh(self) -> Mesh | None:
        """The mesh that it runs over; None for one on a single device."""
        where = self.trace.where
        return None if isinstance(where, Device) else where.mesh

    def as_text(self) -> str:
        """The optimised program as HLO text; over a mesh that of each device."""
        return self._executable.hlo_text()

    def cost_analysis(self) -> dict[str, float]:
        """XLA's estimates: `flops`, `bytes accessed`, …; over a mesh those of each device."""
        return self._executable.cost_analysis()

    def memory_analysis(self) -> MemoryAnalysis:
        """XLA's plan of the memory, in bytes; over a mesh that of each device."""
        return self._executable.memory_analysis()

    def __call__(self, /, *args: Any, **kwargs: Any) -> R:
        """Run the program; donated arguments are gone afterwards.

        Raises TreeError or ArgumentError when the arguments are not of the structure and types it was traced for, and
        ArgumentError for those of a transformation, which would not go through it.
        """
        trace, name = self.trace, f"compiled {self.trace.fun_name}"
        leaves, in_tree = tree_flatten((args, kwargs))
        if in_tree != trace.in_tree:
            args, kwargs = trace.parameters.bound(name, args, kwargs)
            leaves, in_tree = tree_flatten((args, kwargs))
            if in_tree != trace.in_tree:
                self._refuse_structure(name, args, kwargs)
        arrays = as_arrays(name, leaves, lambda: trace.names)
        expected = trace.jaxpr.in_avals[len(trace.captured) :]
        if not same_types(tuple([a.aval for a in arrays]), expected):
            path, expected_aval, aval = next(
                (path, expected_aval, array.aval)
                for path, expected_aval, array in zip(trace.names, expected, arrays, strict=True)
                if not same_types((array.aval,), (expected_aval,))
            )
            takes = ", ".join([f"{path}: {each}" for path, each in zip(trace.names, expected, strict=True)])
            raise ArgumentError(f"{name}: {path} must be {expected_aval}, got {aval}; it takes ({takes})")
        operands = [value for value in (*trace.captured, *arrays) if isinstance(value, Concrete)]
        if len(operands) != len(trace.captured) + len(arrays):
            raise ArgumentError(f"{name} takes values; call the jitted function under transformations")
        names = lambda: operand_names(len(trace.captured), trace.names)
        inputs = trace.live_inputs.check(name, operands, names)
        results = self._executable.execute(operands_of(self._executable, inputs, shared=False))
        outputs: R = tree_unflatten(trace.out_tree, concretes(results, trace.jaxpr.out_avals))
        return outputs

    def _refuse_structure(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> NoReturn:
        """Raise the error of arguments that are bound, of which one has another structure."""
        of_args, of_kwargs = self.in_avals
        names = self.trace.parameters.names(len(of_args))
        expected = {**dict(zip(names, of_args, strict=True)), **of_kwargs}
        arguments = {**dict(zip(self.trace.parameters.names(len(args)), args, strict=True)), **kwargs}
        for each, tree in expected.items():
            if each in arguments and tree_structure(arguments[each]) != tree_structure(tree):
                raise TreeError(f"{name}: the structure of {each} {structure_difference(tree, arguments[each])}")
        raise TreeError(f"{name} takes {', '.join(expected) or 'no arguments'}, got {', '.join(arguments) or 'none'}")
