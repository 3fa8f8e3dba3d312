"""What numbers a derivative is taken in: real ones, complex ones as pairs or holomorphically, integers for zeros."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from effects.arguments import flag, function_name
from effects.arrays.array import Array
from effects.errors import DTypeError
from effects.types.avals import ShapedArray
from effects.types.dtypes import Complex, Floating, Inexact
from handlers.transformations.calls.arguments import argument_names

_OTHERS = "convert it with astype, or differentiate with respect to other arguments (argnums)"


class Domain(NamedTuple):
    """What `transformation` takes: `holomorphic` functions of complex numbers, or real ones, of integers if allowed.

    `pairs` says whether a real function of complex numbers has a derivative here, with respect to both parts.
    """

    transformation: str
    holomorphic: bool = False
    allow_int: bool = False
    pairs: bool = True

    def checked(self) -> Domain:
        """Itself; ArgumentError for flags that are none."""
        name = self.transformation
        return self._replace(
            holomorphic=flag(name, "holomorphic", self.holomorphic), allow_int=flag(name, "allow_int", self.allow_int)
        )

    def check_arguments(self, f: Callable[..., object], args: Sequence[Any], arrays: Sequence[Array]) -> None:
        """Raise DTypeError naming an argument of `f` that no such derivative is taken in."""
        taken = Complex if self.holomorphic else Inexact if self.pairs else Floating
        for position, array in enumerate(arrays):
            dtype = array.aval.dtype
            if issubclass(dtype, taken) or (self.allow_int and not issubclass(dtype, Inexact)):
                continue
            kind = "complex" if self.holomorphic else "floating point" if self.pairs else "real floating point"
            advice = "as it is to be holomorphic; convert it with astype" if self.holomorphic else _OTHERS
            if not self.holomorphic and issubclass(dtype, Complex):
                advice += ", or pass holomorphic=True if the function is"
            raise DTypeError(
                f"{self.transformation}: argument {argument_names(f, args, {})[position]} of {function_name(f)} must "
                f"be {kind}, got {array.aval}; {advice}"
            )

    def check_result(self, f: Callable[..., object], aval: ShapedArray) -> None:
        """Raise DTypeError for a result of `f` that has no such derivative."""
        if issubclass(aval.dtype, Complex if self.holomorphic else Floating):
            return
        if self.holomorphic:
            kind, advice = "complex", "it is to be holomorphic"
        elif issubclass(aval.dtype, Complex):
            kind, advice = "real floating-point", "take its real part, pass holomorphic=True if it is, or use vjp"
        else:
            kind, advice = "real floating-point", "make it floating point, by astype or a 1.0"
        raise DTypeError(f"{self.transformation} needs a {kind} result, {function_name(f)} gives {aval}; {advice}")
