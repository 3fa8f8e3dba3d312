"""Special functions of real numbers, element by element."""

from __future__ import annotations

from effects.errors import DTypeError
from effects.operations.elementwise import same_dtype
from effects.program.operation import Kind, Single, operation
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed
from effects.types.shapes import broadcast_all


class SpecialKind(Kind):
    """The functions; the value is the printed name, which is scipy's. Those of several arguments say of how many."""

    def __new__(cls, printed: str, arity: int = 1) -> SpecialKind:
        kind = object.__new__(cls)
        kind._value_ = printed
        return kind

    def __init__(self, printed: str, arity: int = 1) -> None:
        super().__init__(printed)
        self.arity = arity

    BETA = "beta", 2
    BETA_ODDS = "beta_odds", 3
    """x / (1 - x) of the x that is `betaincinv`."""
    BETA_PART = "beta_part", 4
    """`betainc` of x and 1 - x, where either may be too small to be had from the other."""
    BETAINC = "betainc", 3
    BETAINCINV = "betaincinv", 3
    BETALN = "betaln", 2
    BINOM = "binom", 2
    CI = "ci"
    DAWSN = "dawsn"
    DIGAMMA = "digamma"
    ELLIPE = "ellipe"
    ELLIPKM1 = "ellipkm1"
    ENTR = "entr"
    ERFC = "erfc"
    ERFCINV = "erfcinv"
    ERFCX = "erfcx"
    ERFINV = "erfinv"
    EXP1 = "exp1"
    EXPI = "expi"
    EXPN = "expn", 2
    EXPREL = "exprel"
    FRESNEL_C = "fresnel_c"
    FRESNEL_S = "fresnel_s"
    GAMMA = "gamma"
    GAMMAINC = "gammainc", 2
    GAMMAINCC = "gammaincc", 2
    GAMMAINCCINV = "gammainccinv", 2
    GAMMAINCINV = "gammaincinv", 2
    GAMMALN = "gammaln"
    GAMMASGN = "gammasgn"
    HYP1F1 = "hyp1f1", 3
    HYP2F1 = "hyp2f1", 4
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
    KL_DIV = "kl_div", 2
    LOG_NDTR = "log_ndtr"
    LOGIT = "logit"
    NDTR = "ndtr"
    NDTRI = "ndtri"
    OWENS_T = "owens_t", 2
    POCH = "poch", 2
    REL_ENTR = "rel_entr", 2
    RGAMMA = "rgamma"
    SI = "si"
    SPENCE = "spence"
    TRIGAMMA = "trigamma"
    XLOG1PY = "xlog1py", 2
    XLOGY = "xlogy", 2
    Y0 = "y0"
    Y1 = "y1"
    ZETA = "zeta", 2


@operation
class Special[V](Single[V]):
    """out[i] = kind(xs[0][i], …), the operands broadcast and of one dtype of real floating point.

    With `orders`, which has a number for each operand, its partial derivative of that order. Narrower floats are
    rounded once. `left_out` says of doubles what may be left out
    of them, relatively, since they are rounded, too, by who asks for them.
    """

    kind: SpecialKind
    xs: tuple[V, ...]
    orders: tuple[int, ...] = ()
    left_out: float = 0.0

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: Special[Typed]) -> ShapedArray:
        avals = [x.aval for x in self.xs]
        takes = self.kind.arity
        if len(avals) != takes or len(self.orders) not in (0, takes):
            raise DTypeError(f"{self.name} takes {takes} operands, and as many orders, got {len(avals)}")
        dtype = same_dtype(self.name, *avals)
        if not issubclass(dtype, dtypes.Floating):
            raise DTypeError(f"{self.name} takes real floating point, got {avals[0]}; convert with astype")
        return ShapedArray(broadcast_all([a.shape for a in avals]), dtype, all([a.weak_type for a in avals]))
