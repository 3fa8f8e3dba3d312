"""The public names of `effects.special`, each with the module that has it."""

from effects.functions.elementwise.further import sinc as sinc
from effects.functions.elementwise.transcendental import (
    cbrt as cbrt,
    erf as erf,
    exp2 as exp2,
    expm1 as expm1,
    log1p as log1p,
)
from effects.functions.reductions.exponentials import (
    log_softmax as log_softmax,
    logsumexp as logsumexp,
    softmax as softmax,
)
from effects.special.bessel import (
    i0 as i0,
    i0e as i0e,
    i1 as i1,
    i1e as i1e,
    j0 as j0,
    j1 as j1,
    k0 as k0,
    k0e as k0e,
    k1 as k1,
    k1e as k1e,
    y0 as y0,
    y1 as y1,
)
from effects.special.combinatorics import (
    binom as binom,
    comb as comb,
    factorial as factorial,
    multigammaln as multigammaln,
    poch as poch,
)
from effects.special.error import (
    erfc as erfc,
    erfcinv as erfcinv,
    erfcx as erfcx,
    erfinv as erfinv,
    log_ndtr as log_ndtr,
    ndtr as ndtr,
    ndtri as ndtri,
    owens_t as owens_t,
    wofz as wofz,
)
from effects.special.gamma import (
    beta as beta,
    betainc as betainc,
    betaincinv as betaincinv,
    betaln as betaln,
    digamma as digamma,
    gamma as gamma,
    gammainc as gammainc,
    gammaincc as gammaincc,
    gammainccinv as gammainccinv,
    gammaincinv as gammaincinv,
    gammaln as gammaln,
    gammasgn as gammasgn,
    loggamma as loggamma,
    polygamma as polygamma,
    psi as psi,
    rgamma as rgamma,
    zeta as zeta,
)
from effects.special.harmonics import sph_harm_y as sph_harm_y
from effects.special.hypergeometric import hyp1f1 as hyp1f1, hyp2f1 as hyp2f1
from effects.special.information import (
    entr as entr,
    expit as expit,
    kl_div as kl_div,
    log_expit as log_expit,
    logit as logit,
    rel_entr as rel_entr,
    xlog1py as xlog1py,
    xlogy as xlogy,
)
from effects.special.integrals import (
    dawsn as dawsn,
    ellipe as ellipe,
    ellipk as ellipk,
    ellipkm1 as ellipkm1,
    exp1 as exp1,
    expi as expi,
    expn as expn,
    exprel as exprel,
    fresnel as fresnel,
    sici as sici,
    spence as spence,
)
from effects.special.probability import (
    betaincc as betaincc,
    chdtr as chdtr,
    chdtrc as chdtrc,
    fdtr as fdtr,
    fdtrc as fdtrc,
    stdtr as stdtr,
    stdtrit as stdtrit,
)
