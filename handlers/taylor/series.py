"""The carrier of Taylor mode: a value that varies along a curve, with its derivatives.

Derivatives are filled in as they are asked for, so that a result may occur in its own derivative: exp′ = exp · x′ is
solved from the bottom up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, final

from effects.arrays.array import Array, Carrier
from effects.arrays.concrete import Concrete
from effects.functions.creation import creation
from effects.types.avals import ShapedArray
from handlers.jvp.rules import Tangent

if TYPE_CHECKING:
    from handlers.taylor.handler import Jet

type Recurrence = Callable[[int], Tangent]
"""Function from the order of a derivative of a series to this derivative, computed from those of lower order."""


@final
class Series(Carrier):
    """x(0), x′(0), x″(0), …: each is computed when it is first asked for; None where it is zero.

    `rest` gives the derivatives after the first `coefficients`; None: they are all zero.
    """

    __slots__ = ("_derivative", "_recurrence", "aval", "known_coefficients")
    owner: Jet
    aval: ShapedArray

    def __init__(self, owner: Jet, aval: ShapedArray, coefficients: list[Tangent], rest: Recurrence | None) -> None:
        self.owner = owner
        self.aval = aval
        self.known_coefficients = coefficients
        self._recurrence = rest
        self._derivative: Series | None = None

    @property
    def constant(self) -> bool:
        """True if it is known that the value does not vary."""
        return self._recurrence is None and not any([c is not None for c in self.known_coefficients[1:]])

    def coefficient(self, k: int) -> Tangent:
        """The k-th derivative."""
        coefficients = self.known_coefficients
        while len(coefficients) <= k:
            if self._recurrence is None:
                return None
            coefficients.append(self._recurrence(len(coefficients)))
        return coefficients[k]

    def value(self, k: int = 0) -> Array:
        """The k-th derivative as an array, of zeros if it is None."""
        coefficient = self.coefficient(k)
        return creation.zeros_of(self.aval) if coefficient is None else coefficient

    @property
    def derivative(self) -> Series:
        """The series of the derivative: the same one without its first entry."""
        if self._derivative is None:
            self._derivative = Series(self.owner, self.aval, [], lambda k: self.coefficient(k + 1))
        return self._derivative

    def known(self) -> Concrete | None:
        return self.value().known()

    def unknown_reason(self) -> str:
        return self.value().unknown_reason()
