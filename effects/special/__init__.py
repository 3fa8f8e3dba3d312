"""Special functions, with the names and arguments of scipy.

    from effects import special                 # or fx.special

Right to a few units in the last place, in every region, eagerly and compiled, those of single precision where it is not
computed in double precision and rounded once. All are differentiable in all floating arguments.
"""

from typing import TYPE_CHECKING

from effects.functions.elementwise.further import sinc
from effects.functions.elementwise.transcendental import cbrt, erf, exp2, expm1, log1p
from effects.functions.reductions.exponentials import log_softmax, logsumexp, softmax
from effects.runtime.names import refuse_other_names
from effects.runtime.scipy_spellings import SPECIAL
from effects.special.bessel import i0, i0e, i1, i1e, j0, j1, k0, k0e, k1, k1e, y0, y1
from effects.special.combinatorics import binom, comb, factorial, multigammaln, poch
from effects.special.error import erfc, erfcinv, erfcx, erfinv, log_ndtr, ndtr, ndtri, owens_t, wofz
from effects.special.gamma import (
    beta,
    betainc,
    betaincinv,
    betaln,
    digamma,
    gamma,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    gammaln,
    gammasgn,
    loggamma,
    polygamma,
    psi,
    rgamma,
    zeta,
)
from effects.special.harmonics import sph_harm_y
from effects.special.hypergeometric import hyp1f1, hyp2f1
from effects.special.information import entr, expit, kl_div, log_expit, logit, rel_entr, xlog1py, xlogy
from effects.special.integrals import dawsn, ellipe, ellipk, ellipkm1, exp1, expi, expn, exprel, fresnel, sici, spence
from effects.special.probability import betaincc, chdtr, chdtrc, fdtr, fdtrc, stdtr, stdtrit

if not TYPE_CHECKING:  # to the type checker the names below are all there are
    __getattr__ = refuse_other_names("effects.special", SPECIAL)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "beta",
    "betainc",
    "betaincc",
    "betaincinv",
    "betaln",
    "binom",
    "cbrt",
    "chdtr",
    "chdtrc",
    "comb",
    "dawsn",
    "digamma",
    "ellipe",
    "ellipk",
    "ellipkm1",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp1",
    "exp2",
    "expi",
    "expit",
    "expm1",
    "expn",
    "exprel",
    "factorial",
    "fdtr",
    "fdtrc",
    "fresnel",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "gammasgn",
    "hyp1f1",
    "hyp2f1",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "j0",
    "j1",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kl_div",
    "log1p",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "loggamma",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "owens_t",
    "poch",
    "polygamma",
    "psi",
    "rel_entr",
    "rgamma",
    "sici",
    "sinc",
    "softmax",
    "spence",
    "sph_harm_y",
    "stdtr",
    "stdtrit",
    "wofz",
    "xlog1py",
    "xlogy",
    "y0",
    "y1",
    "zeta",
]
