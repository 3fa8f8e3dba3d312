"""Arguments of a derivative: the function, the arguments to differentiate, and their kinds of numbers.

Numbers are real, complex (as pairs of real ones, or holomorphic), or integers, whose gradients are zeros.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from effects.arguments import check_callable, counted, flag, function_name, refusal
from effects.arrays.array import Array
from effects.errors import ArgumentError, DTypeError
from effects.requests.effect import Effect
from effects.trees.pytree import tree_leaves
from effects.types.avals import ShapedArray
from effects.types.dtypes import Complex, Floating, Inexact
from handlers.transformations.calls.arguments import argument_names

_OTHERS = "convert it with astype, or differentiate with respect to other arguments (argnums)"


def _is_key(value: object) -> bool:
    return type(value).__module__ == "effects.random.keys"  # its module is not loaded for this


class DerivativeRequest(NamedTuple):
    """The arguments of a `transformation` that returns a derivative.

    With `holomorphic` numbers are complex; otherwise they are real, or integers if allowed. With `pairs` a real
    function of complex numbers has a derivative, with respect to both parts.
    """

    transformation: str
    f: Callable[..., Any]
    argnums: int | tuple[int, ...]
    has_aux: bool
    holomorphic: bool
    allow_int: bool = False
    pairs: bool = True

    def checked(self) -> DerivativeRequest:
        """The request itself; ArgumentError if an argument is no function, no flag or no position."""
        name, argnums = self.transformation, self.argnums
        check_callable(name, self.f)
        numbers: tuple[object, ...] = argnums if isinstance(argnums, tuple) else (argnums,)
        for number in numbers:
            if not isinstance(number, int) or isinstance(number, bool):
                raise refusal(name, "argnums", "an int or a tuple of ints", argnums)
        if type(self.has_aux) is type(self.holomorphic) is type(self.allow_int) is bool:
            return self
        return self._replace(
            has_aux=flag(name, "has_aux", self.has_aux),
            holomorphic=flag(name, "holomorphic", self.holomorphic),
            allow_int=flag(name, "allow_int", self.allow_int),
        )

    def select(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], Callable[..., Any]]:
        """The arguments at `argnums`, and `f` as a function of them alone.

        Raises ArgumentError when there is no such positional argument.
        """
        f, argnums = self.f, self.argnums
        if argnums == 0 and type(argnums) is int and len(args) == 1 and not kwargs:
            return (args[0],), f
        positions: list[int] = []
        for number in argnums if isinstance(argnums, tuple) else (argnums,):
            if not -len(args) <= number < len(args):
                advice = f"; pass it by position, not as {next(iter(kwargs))}=" if kwargs else ""
                raise ArgumentError(
                    f"{self.transformation}: argnums names argument {number!r}, but {function_name(f)} was called "
                    f"with {counted(len(args), 'positional argument')}{advice}"
                )
            positions.append(number % len(args))
        if len(set(positions)) != len(positions):
            raise ArgumentError(f"{self.transformation}: argnums {argnums} names an argument twice")

        def partial(*chosen: Any) -> Any:
            full = list(args)
            for position, value in zip(positions, chosen, strict=True):
                full[position] = value
            return f(*full, **kwargs)

        partial.__name__ = function_name(f)
        partial.selects = f, positions  # type: ignore[attr-defined]  # for the names of arguments in messages
        return tuple([args[p] for p in positions]), partial

    def single(self, per_argument: tuple[Any, ...]) -> Any:
        """The entry of the one argument, or the tuple for several."""
        return per_argument if isinstance(self.argnums, tuple) else per_argument[0]

    def check_arguments(self, f: Callable[..., object], args: Sequence[Any], arrays: Sequence[Array]) -> None:
        """Raise DTypeError naming a selected argument of `f` without such a derivative.

        Raise ArgumentError for a capability, whose caller forgot argnums.
        """
        if len(arrays) < len(args):
            self._refuse_capabilities(args)
        accepted = Complex if self.holomorphic else Inexact if self.pairs else Floating
        for position, array in enumerate(arrays):
            dtype = array.aval.dtype
            if issubclass(dtype, accepted) or (self.allow_int and not issubclass(dtype, Inexact)):
                continue
            kind = "complex" if self.holomorphic else "floating point" if self.pairs else "real floating point"
            advice = "as it is to be holomorphic; convert it with astype" if self.holomorphic else _OTHERS
            leaf = tree_leaves(args, is_leaf=_is_key)[position]
            if type(leaf) is int:
                advice = f"write {leaf}.0 for {leaf}, or {_OTHERS.partition(', or ')[2]}"
            if not self.holomorphic and issubclass(dtype, Complex):
                advice += ", or pass holomorphic=True if the function is"
            name = argument_names(f, args, {})[position]
            if _is_key(leaf):  # one leaf
                raise DTypeError(
                    f"{self.transformation}: argument {name.removesuffix('.data')} of {function_name(f)} is a random "
                    "key, and keys have no derivative; close over it, or leave it out of argnums"
                )
            if field := re.search(r"\.(\w+)$", name):
                advice += f"; a field for Python is static: register(static=[{field[1]!r}]) on its class"
            raise DTypeError(
                f"{self.transformation}: argument {name} of {function_name(f)} must be {kind}, got {array.aval}; "
                f"{advice}"
            )

    def _refuse_capabilities(self, args: Sequence[Any]) -> None:
        for capability in [arg for arg in args if isinstance(arg, Effect)]:
            raise ArgumentError(
                f"{self.transformation}: {function_name(self.f)} would be differentiated with respect to "
                f"{capability!r}, a capability, which holds no arrays; say by argnums which argument is meant, or "
                "differentiate a function of that alone, lambda x: f(capability, x)"
            )

    def check_results(self, results: Sequence[Array]) -> None:
        """Raise ArgumentError for a function without results, DTypeError for results without such a derivative."""
        if not results:
            raise ArgumentError(f"{self.transformation}: {function_name(self.f)} gives no array; return one")
        for result in results:
            self.check_result(result.aval)

    def check_result(self, aval: ShapedArray) -> None:
        """Raise DTypeError for a result without such a derivative."""
        if issubclass(aval.dtype, Complex if self.holomorphic else Floating):
            return
        if self.holomorphic:
            kind, advice = "complex", "it is to be holomorphic"
        elif issubclass(aval.dtype, Complex):
            kind, advice = "real floating-point", "take its real part, pass holomorphic=True if it is, or use vjp"
        else:
            kind, advice = (
                "real floating-point",
                ("make it floating point, by astype or a 1.0; a count, a comparison or a position has no slope"),
            )
        name = self.transformation
        raise DTypeError(f"{name} needs a {kind} result, {function_name(self.f)} gives {aval}; {advice}")
