"""Special functions of real numbers, element by element."""

from __future__ import annotations

from typing import Final

from effects.errors import DTypeError
from effects.operations.elementwise import same_dtype
from effects.program.operation import Kind, Single, operation
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed
from effects.types.shapes import broadcast_all


class SpecialKind(Kind):
    """The functions; the value is the printed name, which is scipy's."""

    BETA_ODDS = "beta_odds"
    """x / (1 - x) of the x that is `betaincinv`."""
    BETA_PART = "beta_part"
    """`betainc` of x and 1 - x, where either may be too small to be had from the other."""
    BETAINC = "betainc"
    BETAINCINV = "betaincinv"
    BETALN = "betaln"
    DIGAMMA = "digamma"
    ERFC = "erfc"
    ERFCINV = "erfcinv"
    ERFCX = "erfcx"
    ERFINV = "erfinv"
    EXP1 = "exp1"
    EXPI = "expi"
    GAMMA = "gamma"
    GAMMAINC = "gammainc"
    GAMMAINCC = "gammaincc"
    GAMMAINCCINV = "gammainccinv"
    GAMMAINCINV = "gammaincinv"
    GAMMALN = "gammaln"
    HYP1F1 = "hyp1f1"
    I0 = "i0"
    I0E = "i0e"
    I1 = "i1"
    I1E = "i1e"
    J0 = "j0"
    J1 = "j1"
    K0 = "k0"
    K0E = "k0e"
    K1 = "k1"
    K1E = "k1e"
    LOG_NDTR = "log_ndtr"
    NDTR = "ndtr"
    SPENCE = "spence"
    TRIGAMMA = "trigamma"
    ZETA = "zeta"


_OPERANDS: Final = {
    SpecialKind.BETA_ODDS: 3,
    SpecialKind.BETA_PART: 4,
    SpecialKind.BETAINC: 3,
    SpecialKind.BETAINCINV: 3,
    SpecialKind.BETALN: 2,
    SpecialKind.GAMMAINCINV: 2,
    SpecialKind.GAMMAINCCINV: 2,
    SpecialKind.GAMMAINC: 2,
    SpecialKind.GAMMAINCC: 2,
    SpecialKind.HYP1F1: 3,
    SpecialKind.ZETA: 2,
}


@operation
class Special[V](Single[V]):
    """out[i] = kind(xs[0][i], …), the operands broadcast and of one dtype of real floating point.

    With `orders`, which has a number for each operand, its partial derivative of that order. Single precision and
    narrower floats are computed in double precision and rounded once. `short` says of doubles that they are rounded,
    too, by who asks for them.
    """

    kind: SpecialKind
    xs: tuple[V, ...]
    orders: tuple[int, ...] = ()
    short: bool = False

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: Special[Typed]) -> ShapedArray:
        avals = [x.aval for x in self.xs]
        takes = _OPERANDS.get(self.kind, 1)
        if len(avals) != takes or len(self.orders) not in (0, takes):
            raise DTypeError(f"{self.name} takes {takes} operands, and as many orders, got {len(avals)}")
        dtype = same_dtype(self.name, *avals)
        if not issubclass(dtype, dtypes.Floating):
            raise DTypeError(f"{self.name} takes real floating point, got {avals[0]}; convert with astype")
        return ShapedArray(broadcast_all([a.shape for a in avals]), dtype, all([a.weak_type for a in avals]))
