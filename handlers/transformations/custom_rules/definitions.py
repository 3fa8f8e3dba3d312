"""A user's function and its rules as definitions: over flat lists of arrays, with checks of the results of rules.

`Flat` is the function called with arguments of one structure. `Derivative` is what its reverse rule leaves behind: a
function of residuals and tangents that is linear in the tangents and is known by its transpose.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from effects.arguments import describe, function_name, shown
from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, MissingRule, NotLinearError, ShapeError, TreeError
from effects.functions.creation import creation
from effects.operations.custom_rules import Definition, Sparse
from effects.program.chain import current
from effects.runtime.cpython.recursion import deeper
from effects.runtime.cpython.source import on_own_lines
from effects.trees.pytree import TreeDef, flatten_up_to, tree_flatten, tree_structure, tree_unflatten
from effects.types.avals import ShapedArray
from handlers.higher_order.custom_definitions import Stageable
from handlers.jvp.tangents import of_tangents
from handlers.stage import stage
from handlers.transformations.calls.arguments import flatten_results
from handlers.transformations.custom_rules.checks import Types, check_arity, pair, results_like, tree_like

if TYPE_CHECKING:
    from handlers.transformations.custom_rules.functions import CustomFunction


@final
@dataclass(frozen=True, slots=True)
class Primal:
    """An array that `fwd` of a rule with `symbolic_zeros` gets: its `value`, and whether it is `perturbed`.

    An argument that is not perturbed is not differentiated, and its cotangent is not used.
    """

    value: Array
    perturbed: bool


@final
class Flat(Stageable):
    """A custom function on leaves; `in_tree` is the structure of the dynamic arguments, `static` has the others."""

    def __init__(
        self, custom: CustomFunction[..., Any], in_tree: TreeDef, static: tuple[tuple[int, object], ...]
    ) -> None:
        self.custom = custom
        self.keeper = custom.programs
        self.in_tree = in_tree
        self.static = static
        self.name = custom.__name__
        self.rules = custom.rules
        self.expected: Types | None = None
        """Types of the function's result, when it has run."""
        self.in_avals: list[ShapedArray] = []
        self.out_tree: TreeDef
        if "transpose" in self.rules:
            residuals, linear = [len(tree_flatten(a)[0]) for a in tree_unflatten(in_tree, range(in_tree.num_leaves))]
            self.linear = (*(False,) * residuals, *(True,) * linear)

    @property
    def key(self) -> Hashable:
        return self.custom, self.in_tree, tuple([(i, _identity(value)) for i, value in self.static])

    def args(self, leaves: Sequence[object]) -> tuple[Any, ...]:
        """The dynamic arguments with these leaves."""
        return tuple(tree_unflatten(self.in_tree, leaves))

    def all_args(self, leaves: Sequence[object]) -> list[Any]:
        """All arguments in order."""
        arguments = list(self.args(leaves))
        for position, value in self.static:
            arguments.insert(position, value)
        return arguments

    @property
    def static_values(self) -> list[Any]:
        return [value for _, value in self.static]

    def call(self, operands: Sequence[Array], /) -> list[Array]:
        with deeper():
            out = self.custom.f(*self.all_args(operands))
        results, self.out_tree = flatten_results(self.name, self.custom, out)
        self.expected = self.out_tree, [r.aval for r in results]
        self.in_avals = [x.aval for x in operands]
        return results

    def jvp(self, primals: Sequence[Array], tangents: Sequence[Array | None], /) -> tuple[list[Array], Sparse]:
        custom = self.custom
        rule = custom.jvp_rule
        assert rule is not None
        nonzero = tangents if custom.jvp_symbolic_zeros else _materialized(tangents, primals)
        subject = self._rule("jvp", rule)

        def run(tangents: Sequence[Array | None]) -> tuple[Any, Any]:
            return pair(
                subject, rule(*self.static_values, self.args(primals), self.args(tangents)), "result", "its tangent"
            )

        with deeper():
            if current().lines:
                value, rate = on_own_lines(lambda: of_tangents((self.name,), run, nonzero))
            else:  # only a program has more than one line of its own
                code = getattr(rule, "__code__", None)
                value, rate = on_own_lines(lambda: run(nonzero), code and (code, 0))
        results = self._results(subject, rule, value, primals)
        rates = tree_like(subject, "the tangent of the result", self.out_tree, value, rate, [r.aval for r in results])
        return results, rates

    def vjp(self, primals: Sequence[Array], varying: Sequence[bool], /) -> tuple[list[Array], list[Array], Definition]:
        rules = self.custom.vjp_rules
        assert rules is not None
        fwd, _ = rules
        subject = self._rule("forward", fwd)
        tells = self.custom.vjp_symbolic_zeros
        args = self.all_args([Primal(x, v) for x, v in zip(primals, varying, strict=True)] if tells else primals)
        check_arity(fwd, args, f"{self.name}.defvjp")
        with deeper():
            out = fwd(*args)
        value, residuals_tree = pair(subject, out, "result", "residuals")
        results = self._results(subject, fwd, value, primals)
        leaves, tree = tree_flatten(residuals_tree)
        if any([isinstance(x, Primal) for x in leaves]):
            raise ArgumentError(f"{subject} keeps a Primal; keep its value")
        residuals = [as_array(x, subject, "a residual") for x in leaves if isinstance(x, _ARRAYS)]
        others = [None if isinstance(x, _ARRAYS) else (x,) for x in leaves]
        rerun = list(primals) if "jvp" in self.rules else []
        derivative = Derivative(
            self, [p.aval for p in primals], varying, others, tree, [r.aval for r in results], len(rerun)
        )
        return results, [*rerun, *residuals], derivative

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array], /) -> tuple[list[Array], list[bool]]:
        rule = self.custom.batch_rule
        assert rule is not None
        subject = self._rule("batching", rule)
        out = rule(*self.static_values, size, self.args(batched), *self.args(operands))
        value, flags = pair(subject, out, "result", "which of its arrays have the lanes along axis 0")
        if isinstance(flags, bool):
            flags = tree_unflatten(tree_structure(value), [flags] * tree_structure(value).num_leaves)
        spread = flatten_up_to(tree_structure(value), value, flags, f"{subject}: the structure of which are batched")
        if not all([isinstance(flag, bool) for flag in spread]):
            raise TreeError(
                f"{subject} must say of each array of its result, True or False, whether it is batched, got "
                f"{shown(flags)}"
            )
        lanes = [size if flag else None for flag in spread]
        results = self._results(subject, rule, value, operands, batched, lanes)
        for result, flag in zip(results, spread, strict=True):  # more is known only when the function has run
            if flag and result.aval.shape[:1] != (size,):
                raise ShapeError(
                    f"{subject}: a batched result must have the {size} lanes along axis 0, got {result.aval}"
                )
        return results, spread

    def transpose(self, operands: Sequence[Array | None], cotangents: Sequence[Array | None], /) -> Sparse:
        rule = self.custom.transpose_rule
        assert rule is not None and self.expected is not None, "the function has been staged"
        subject = self._rule("transposition", rule)
        n = self.linear.count(False)
        known = [x for x in operands[:n] if x is not None]
        if len(known) != n:
            raise NotLinearError(f"{self.name} is linear in its last argument only, and another one is not known here")
        out_tree, avals = self.expected
        ct = tree_unflatten(
            out_tree, [creation.zeros_of(a) if c is None else c for c, a in zip(cotangents, avals, strict=True)]
        )
        results = rule(*self.static_values, self.args(operands)[0], ct)
        types = self.args(self.in_avals)[1]
        return [
            *(None,) * n,
            *tree_like(subject, "the cotangent", tree_structure(types), types, results, self.in_avals[n:]),
        ]

    def _rule(self, kind: str, rule: Callable[..., object]) -> str:
        return f"the {kind} rule {function_name(rule)} of {self.name}"

    def _results(
        self,
        subject: str,
        rule: Callable[..., Any],
        value: object,
        operands: Sequence[Array],
        batched: Sequence[bool] = (),
        lanes: Sequence[int | None] = (),
    ) -> list[Array]:
        """The leaves of the function's result as a rule returned it, each with `lanes` if there are any."""
        results, self.out_tree = flatten_results(self.name, rule, value)
        if self.expected is not None:
            return results_like(subject, self.name, results, self.out_tree, self.expected, lanes)
        if current().answered:  # its requests must not be answered twice
            return results
        avals = [_one_lane(x.aval, i < len(batched) and batched[i]) for i, x in enumerate(operands)]
        key = self.key, self.out_tree, *lanes, *avals, *[r.aval for r in results]
        known = self.custom.types.find(key)
        if known is None:
            known = Flat(self.custom, self.in_tree, self.static)
            with contextlib.suppress(Exception):  # more is not known if it needs values
                stage(lambda *args: known.call(args), avals, self.name)
        if known.expected is not None:
            results = results_like(subject, self.name, results, self.out_tree, known.expected, lanes)
        self.custom.types.keep(key, known)
        return results


@final
class Derivative(Stageable):
    """The derivative that a reverse rule leaves behind: linear, run backwards by the rule, forwards by the jvp rule."""

    rules = frozenset({"transpose"})
    out_avals: tuple[ShapedArray, ...]

    def __init__(
        self,
        flat: Flat,
        in_avals: list[ShapedArray],
        varying: Sequence[bool],
        others: list[tuple[object] | None],
        tree: TreeDef,
        out_avals: list[ShapedArray],
        n_primals: int,
    ) -> None:
        self.flat = flat
        self.keeper = flat.keeper
        self.in_avals = in_avals
        self.varying = varying
        self.others = others
        self.tree = tree
        self.out_tree = flat.out_tree
        self.out_avals = tuple(out_avals)
        self.n_primals = n_primals
        self.name = f"derivative of {flat.name}"
        self.linear = (*(False,) * (n_primals + others.count(None)), *(True,) * sum(varying))

    def call(self, operands: Sequence[Array], /) -> list[Array]:
        flat = self.flat
        if not self.n_primals:
            raise MissingRule(
                f"{flat.name} has a reverse rule only: forward mode (jvp, jacfwd, hessian, linearize) is missing; "
                f"write grad, vjp or jacrev, jacrev(jacrev(f)) for hessian(f), or give it a jvp rule too, with "
                f"{flat.name}.defjvp; custom_jvp alone has both modes"
            )
        nonzero = iter(operands[len(self.linear) - sum(self.varying) :])
        tangents = [next(nonzero) if varies else None for varies in self.varying]
        primals = operands[: self.n_primals]
        _, rates = flat.jvp(primals, tangents)
        return _materialized(rates, [creation.zeros_of(aval) for aval in self.out_avals])

    def transpose(self, operands: Sequence[Array | None], cotangents: Sequence[Array | None], /) -> Sparse:
        flat = self.flat
        rules = flat.custom.vjp_rules
        assert rules is not None
        _, bwd = rules
        subject = f"the backward rule {function_name(bwd)} of {flat.name}"
        n = len(self.linear) - sum(self.varying)
        known = [x for x in operands[:n] if x is not None]
        if len(known) != n:
            raise NotLinearError(f"{flat.name}: what its forward rule keeps depends on the inputs of a linear function")
        arrays = iter(known[self.n_primals :])
        residuals_tree = tree_unflatten(
            self.tree, [next(arrays) if other is None else other[0] for other in self.others]
        )
        result_cts = cotangents
        if not flat.custom.vjp_symbolic_zeros:
            result_cts = [
                creation.zeros_of(a) if c is None else c for c, a in zip(cotangents, self.out_avals, strict=True)
            ]

        def run(cotangents: Sequence[Array | None]) -> Any:
            return bwd(*flat.static_values, residuals_tree, tree_unflatten(self.out_tree, cotangents))

        if current().lines:
            results = on_own_lines(lambda: of_tangents((flat.name, True), run, result_cts), rule=())
        else:
            results = run(result_cts)
        types = flat.args(self.in_avals)
        if not isinstance(results, tuple | list) or len(results) != len(types):
            raise TreeError(
                f"{subject} must return a tuple with one cotangent (or None) for each of the {len(types)} arguments, "
                "got "
                f"{describe(results)}"
            )
        cts: Sparse = []
        for position, (own, ct) in enumerate(zip(types, results, strict=True)):
            leaves, tree = tree_flatten(own)
            cts += (
                [None] * len(leaves)
                if ct is None
                else tree_like(subject, f"cotangent {position}", tree, own, ct, leaves)
            )
        return [*(None,) * n, *[ct for ct, varies in zip(cts, self.varying, strict=True) if varies]]


_ARRAYS = (Array, np.ndarray, np.generic)


def _one_lane(aval: ShapedArray, batched: bool) -> ShapedArray:
    return aval.with_shape(aval.shape[1:]) if batched else aval


def _identity(value: object) -> Hashable:
    """Key of a static argument: the argument itself if it is hashable, else its identity."""
    try:
        hash(value)
    except TypeError:
        return id(value)
    return type(value), value


def _materialized(tangents: Sequence[Array | None], like: Sequence[Array]) -> list[Array]:
    return [creation.zeros_like(x) if t is None else t for t, x in zip(tangents, like, strict=True)]
