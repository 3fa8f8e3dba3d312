"""`CustomFunction`: a function and its rules, and the operation that a call performs.

A call performs one `CustomCall`. Its operands are the arrays of the arguments, and the carriers that the function and
its rules close over.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MethodType
from typing import Any, Concatenate, Final, Literal, Self, cast, overload

import numpy as np

from effects.arguments import check_callable, counted, flag, function_name, shown
from effects.arrays.array import Array
from effects.errors import ArgumentError, DepthError, EffaxError
from effects.functions.elementwise.arithmetic import add
from effects.operations.custom_rules import CustomCall, Rule
from effects.program.chain import ROOT, current, perform
from effects.program.jaxpr import Jaxpr
from effects.runtime.caches import RECENT, Cache
from effects.trees.pytree import tree_flatten, tree_leaves, tree_unflatten
from handlers.higher_order.custom_definitions import closed
from handlers.transformations.calls.arguments import argument_names, as_arrays
from handlers.transformations.calls.static_arguments import positions_and_names
from handlers.transformations.custom_rules.checks import tree_like
from handlers.transformations.custom_rules.closures import Holder, closed_over
from handlers.transformations.custom_rules.definitions import Flat

type Positions = int | Sequence[int]
type Names = str | Sequence[str]
type Cotangents = tuple[Any, ...] | list[Any]


class CustomFunction[**P, R](Holder):
    """A function and its rules.

    Under every handler, a call is a call of the function. But where there is a rule for it, the rule takes a
    derivative, computes a batch or transposes a linear function. Arguments are trees of arrays; keyword arguments are
    resolved by the signature. Arguments named in `nondiff_argnums` or `nondiff_argnames` are Python values (callables,
    shapes, strings), and come first in calls of rules other than `fwd`.

    The function and its rules may close over arrays, including those of transformations, and so may functions among the
    static arguments; these arrays are differentiated in the computations of the rules. A derivative of the function
    itself with respect to one is an error, since a rule cannot express it.
    """

    def __init__(
        self, f: Callable[P, R], transformation: str, nondiff_argnums: Positions = (), nondiff_argnames: Names = ()
    ) -> None:
        self.__name__ = function_name(f)
        functools.update_wrapper(cast("Any", self), f, updated=())
        self.f = f
        self.transformation = transformation
        self.static_argnums = _static_positions(transformation, f, nondiff_argnums, nondiff_argnames)
        self.jvp_rule: Callable[..., Any] | None = None
        self.jvp_symbolic_zeros = False
        self.vjp_rules: tuple[Callable[..., Any], Callable[..., Any]] | None = None
        self.vjp_symbolic_zeros = False
        self.batch_rule: Callable[..., Any] | None = None
        self.transpose_rule: Callable[..., Any] | None = None
        self.rules: frozenset[Rule] = frozenset()
        self.programs: Final[Cache[Hashable, Jaxpr]] = Cache(RECENT)
        self.types: Final[Cache[Hashable, Flat]] = Cache(RECENT)
        """Result types of the function, by the types of its arguments and of the results that a rule returned."""
        self.functions = (f,)
        self._signature = _signature(f)
        self._n_positional = _n_positional(self._signature)

    def _add_rule(self, rule: Rule, *functions: Callable[..., Any]) -> None:
        self.rules |= {rule}
        self.functions = (*self.functions, *functions)

    def defjvp[F: Callable[Concatenate[Any, Any, ...], tuple[Any, Any]]](
        self, rule: F, symbolic_zeros: bool = False
    ) -> F:
        """Set the rule of the forward derivative: `rule(primals, tangents)` → (result, tangent).

        Both are tuples with one entry per argument. The tangent is a tree like the result, in which None is zero.
        Missing tangents are zeros, or None with `symbolic_zeros`. Returns the rule, so that it can be a decorator.
        """
        self._check("defjvp", rule, 2)
        symbolic_zeros = flag(f"{self.__name__}.defjvp", "symbolic_zeros", symbolic_zeros)
        self.jvp_rule, self.jvp_symbolic_zeros = rule, symbolic_zeros
        self._add_rule("jvp", rule)
        return rule

    def defjvps(self, *rules: Callable[..., Any] | None) -> None:
        """Set a rule for each argument: `rule(tangent, result, *primals)`, its part of the tangent; None for none."""
        if self.static_argnums:
            raise ArgumentError(f"{self.__name__}.defjvps has no place for nondiff_argnums; use defjvp")
        for rule in rules:
            if rule is not None:
                check_callable(f"{self.__name__}.defjvps", rule)

        def from_each_argument(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
            if len(rules) != len(primals):
                raise ArgumentError(
                    f"{self.__name__}.defjvps was given {counted(len(rules), 'rule')}, but it takes "
                    f"{counted(len(primals), 'argument')}"
                )
            result = self(*primals)  # type: ignore[call-arg]  # the arguments of a call
            leaves, tree = tree_flatten(result)
            avals = [leaf.aval for leaf in leaves]
            total: list[Any] = [None] * len(leaves)
            for position, (rule, tangent) in enumerate(zip(rules, tangents, strict=True)):
                if rule is not None and tree_leaves(tangent):
                    subject = f"the rule of argument {position} of {self.__name__}"
                    part = tree_like(subject, "its tangent", tree, result, rule(tangent, result, *primals), avals)
                    total = [
                        t if p is None else p if t is None else add(t, p) for t, p in zip(total, part, strict=True)
                    ]
            return result, tree_unflatten(tree, total)

        self.defjvp(from_each_argument, symbolic_zeros=True)

    @overload
    def defvjp[K](
        self, fwd: Callable[..., tuple[R, K]], bwd: Callable[[K, R], Cotangents], symbolic_zeros: Literal[False] = False
    ) -> None: ...
    @overload
    def defvjp[K](
        self,
        fwd: Callable[..., tuple[R, K]],
        bwd: Callable[[Any, K, R], Cotangents] | Callable[[Any, Any, K, R], Cotangents],
        symbolic_zeros: Literal[False] = False,
    ) -> None: ...
    @overload
    def defvjp(
        self,
        fwd: Callable[..., tuple[Any, Any]],
        bwd: Callable[Concatenate[Any, Any, ...], Cotangents],
        symbolic_zeros: bool,
    ) -> None: ...
    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any], symbolic_zeros: bool = False) -> None:
        """Set the rule of the reverse derivative, in two parts.

        `fwd(*args)` → (result, residuals), any tree; `bwd(residuals, cotangent)` → a tuple with the cotangent of each
        argument, None for zero. Missing cotangents are zeros. With `symbolic_zeros` they are None, and `fwd` gets a
        `Primal` for each array: its value, and whether it is perturbed, so that it can save only what is needed.
        """
        check_callable(f"{self.__name__}.defvjp", fwd, "fwd")
        self._check("defvjp", bwd, 2)
        symbolic_zeros = flag(f"{self.__name__}.defvjp", "symbolic_zeros", symbolic_zeros)
        self.vjp_rules, self.vjp_symbolic_zeros = (fwd, bwd), symbolic_zeros
        self._add_rule("vjp", fwd, bwd)

    def defbatch[F: Callable[Concatenate[int, Any, ...], tuple[Any, Any]]](self, rule: F) -> F:
        """Set the rule of `vmap`: `rule(size, batched, *args)` → (result, which parts of it are batched).

        `batched` is a tuple like the arguments, True where an array has the lanes along axis 0. Returns the rule.
        """
        check_callable(f"{self.__name__}.defbatch", rule)
        self.batch_rule = rule
        self._add_rule("batch", rule)
        return rule

    def deftranspose[F: Callable[Concatenate[Any, Any, ...], Any]](self, rule: F) -> F:
        """Set the transpose of `f(residuals, x)`, which is linear in x: `rule(residuals, cotangent)` → the cotangent of
        x.
        """
        self._check("deftranspose", rule, 2)
        self.transpose_rule = rule
        self._add_rule("transpose", rule)
        return rule

    def _check(self, method: str, rule: Callable[..., Any], number: int) -> None:
        """Refuse a rule that cannot be called with the arguments of its kind."""
        check_callable(f"{self.__name__}.{method}", rule)
        n_static = len(self.static_argnums)
        try:
            inspect.signature(rule).bind(*[None] * (n_static + number))
        except TypeError as error:
            first = f"the {n_static} arguments of nondiff_argnums and " if n_static else ""
            takes = {"defjvp": "(primals, tangents)", "defvjp": "(residuals, cotangent)"}.get(
                method, "(residuals, cotangent)"
            )
            raise ArgumentError(
                f"{self.__name__}.{method}: the rule {function_name(rule)} is called with {first}{takes}: {error}"
            ) from None
        except ValueError:
            return  # the parameters of a built-in function are unknown

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...  # type: ignore[overload-overlap]  # a tuple is no function
    @overload
    def __call__[S: tuple[Any, ...], T, F: Callable[..., Any]](
        self: CustomFunction[[S, S], tuple[T, T]], f: F, /
    ) -> F: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function; without a rule it is a decorator, which makes it the rule of the decorated function."""
        rules = self.rules
        if not rules:
            if len(args) == 1 and not kwargs and callable(args[0]):
                return self._as_rule_of(args[0])
            raise ArgumentError(
                f"{self.transformation}: {self.__name__} has no rule yet; give it one with its method "
                f"{_METHODS[self.transformation]}"
            )
        arguments = self._positional(args, kwargs)
        dynamic = [value for i, value in enumerate(arguments) if i not in self.static_argnums]
        static = tuple([(i, value) for i, value in enumerate(arguments) if i in self.static_argnums])
        self._refuse_arrays(static)
        leaves, treedef = tree_flatten(tuple(dynamic))
        positions = [i for i in range(len(arguments)) if i not in self.static_argnums]
        arrays = as_arrays(self.__name__, leaves, lambda: argument_names(self.f, dynamic, {}, positions))
        if "transpose" in rules and len(dynamic) != 2:
            raise ArgumentError(
                f"custom_transpose: {self.__name__} takes two arguments, (residuals, x), and is linear in x; it was "
                f"called with {len(dynamic)}"
            )
        flat = Flat(self, treedef, static)
        searched = (*self.functions, *[value for _, value in static])
        captured = [] if current() is ROOT else closed_over(searched)
        call = CustomCall(closed(flat, captured), None, (*captured, *arrays))
        try:
            results = perform(call)
        except RecursionError as error:
            if isinstance(error, EffaxError):
                raise
            raise DepthError(
                f"{self.transformation}: calls of functions with rules, such as {self.__name__}, are nested without "
                "end, or some hundreds deep, for which Python's stack has no room; write a scan, or nest jitted ones"
            ) from None
        return tree_unflatten(flat.out_tree, results)

    @overload
    def __get__(self, instance: None, owner: type, /) -> Self: ...
    @overload
    def __get__[T, **Q](
        self: CustomFunction[Concatenate[T, Q], R], instance: T, owner: type | None = None, /
    ) -> Callable[Q, R]: ...
    def __get__(self, instance: object, owner: type | None = None, /) -> object:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"{self.transformation}({self.__name__})"

    def _as_rule_of(self, f: Callable[..., Any]) -> CustomFunction[..., Any]:
        """The function `f` with this object's function as its rule, for `@custom_jvp(rule)`."""
        custom: CustomFunction[..., Any] = CustomFunction(f, self.transformation, self.static_argnums)
        getattr(custom, _METHODS[self.transformation])(self.f)
        return custom

    def _positional(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """All arguments as positional ones, defaults filled in."""
        if len(args) == self._n_positional and not kwargs:
            return tuple(args)
        if self._signature is None:
            if kwargs:
                raise ArgumentError(f"{self.__name__}: keyword arguments need a function with a signature")
            return tuple(args)
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentError(f"{self.__name__}: {error}") from None
        if bound.kwargs:
            raise ArgumentError(
                f"{self.__name__}: rules take positional arguments, and {', '.join(map(repr, bound.kwargs))} can be "
                "given by keyword only; make it positional"
            )
        bound.apply_defaults()  # keyword-only ones keep their defaults
        return bound.args

    def _refuse_arrays(self, static: Sequence[tuple[int, object]]) -> None:
        for position, value in static:
            for leaf in tree_leaves(value):
                if isinstance(leaf, Array | np.ndarray):
                    name = argument_names(self.f, [0], {}, [position])[0]
                    raise ArgumentError(
                        f"{self.transformation}: argument {name} of {self.__name__} is in nondiff_argnums and holds an "
                        "array; those are Python values (callables, shapes, strings). Take it out of nondiff_argnums: "
                        "its cotangent may be None, and its tangent need not be used"
                    )


_METHODS = {
    "custom_jvp": "defjvp",
    "custom_vjp": "defvjp",
    "custom_batching": "defbatch",
    "custom_transpose": "deftranspose",
}


def _signature(f: Callable[..., object]) -> inspect.Signature | None:
    """Signature of `f`; None for a built-in function without one."""
    try:
        return inspect.signature(f)
    except (TypeError, ValueError):
        return None


def _n_positional(signature: inspect.Signature | None) -> int | None:
    """Number of parameters of a function, if all are required and positional; else None."""
    if signature is None:
        return None
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = signature.parameters.values()
    return len(parameters) if all(p.kind in positional for p in parameters) else None


def _static_positions(
    transformation: str, f: Callable[..., object], argnums: Positions, argnames: Names
) -> tuple[int, ...]:
    """The positions of the arguments in `nondiff_argnums` and `nondiff_argnames`."""
    positions, names = positions_and_names(transformation, f, "nondiff", argnums, argnames)
    signature = _signature(f)
    parameters = [] if signature is None else list(signature.parameters)
    for name in names:
        if name not in parameters or parameters.index(name) not in positions:
            raise ArgumentError(
                f"{transformation}: nondiff_argnames names {name!r}, which {function_name(f)} takes by keyword only; "
                "rules take positional arguments: make it one"
            )
    if any(position < 0 for position in positions):
        raise ArgumentError(f"{transformation}: nondiff_argnums must count from the front here, got {shown(argnums)}")
    return tuple(sorted(positions))
