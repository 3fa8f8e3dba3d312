"""Functions of SciPy that take arrays of any library by SciPy's own documents, each with arguments.

Every entry is a function of one array, of which the derivative is taken, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from scipy import (
    cluster,
    constants,
    differentiate,
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    spatial,
    special,
    stats,
)
from scipy.cluster import hierarchy, vq
from scipy.optimize import elementwise

_RNG: Final = np.random.default_rng(5)
POSITIVE: Final = 0.3 + _RNG.gamma(2.0, size=12)
OTHER: Final = 0.4 + _RNG.gamma(2.0, size=12)
SIGNED: Final = _RNG.normal(size=40)
SHARES: Final = _RNG.uniform(0.05, 0.95, size=12)
MATRIX: Final = _RNG.normal(size=(6, 3))
IMAGE: Final = _RNG.normal(size=(7, 8))

type Function = Callable[..., Any]
type Calls = dict[str, tuple[Function, np.ndarray[Any, Any]]]


def like(x: Any, values: Any) -> Any:
    """Further values as an array of the library of x."""
    return x.__array_namespace__().asarray(values)


def _of(module: Any, names: str, x: Any, *args: Any, **options: Any) -> Calls:
    """Functions of a module of x and further arguments, of which arrays are made arrays of x's library."""

    def call(function: Function, x: Any) -> Any:
        return function(x, *[like(x, a) if isinstance(a, np.ndarray) else a for a in args], **options)

    short = module.__name__.removeprefix("scipy.")
    return {f"{short}.{name}": (partial(call, getattr(module, name)), x) for name in names.split()}


def _each(module: str, functions: dict[str, Function], x: Any) -> Calls:
    return {f"{module}.{name}": (function, x) for name, function in functions.items()}


SPECIAL: Final = {
    **_of(
        special,
        "entr erf erfc erfcx exp1 exp10 exp2 exprel expi expit gamma gammaln gammasgn i0 i0e i1 i1e j0 j1 k0 k0e k1 "
        "k1e log_ndtr ndtr psi rgamma sinc spence y0 y1 cbrt cosm1 cosdg zetac "
        "softmax log_softmax logsumexp dawsn",
        POSITIVE,
    ),
    **_of(special, "erfinv logit ndtri ellipk ellipe ellipkm1", SHARES),
    **_of(
        special,
        "beta betaln binom boxcox gammainc gammaincc huber kl_div poch rel_entr xlog1py xlogy chdtr chdtrc",
        POSITIVE,
        OTHER,
    )
    | _of(special, "zeta", 1.0 + POSITIVE, OTHER)
    | _of(special, "gammaincinv gammainccinv chdtri", POSITIVE, SHARES)
    | _of(special, "stdtr", OTHER, SIGNED[:12]),
    **_each(
        "special",
        {
            "betainc": lambda x: special.betainc(like(x, POSITIVE), like(x, OTHER), x),
            "betaincc": lambda x: special.betaincc(like(x, POSITIVE), like(x, OTHER), x),
            "hyp1f1": lambda x: special.hyp1f1(like(x, POSITIVE), like(x, OTHER), x),
            "fdtrc": lambda x: special.fdtrc(like(x, POSITIVE), like(x, OTHER), x),
            "fdtr": lambda x: special.fdtr(like(x, POSITIVE), like(x, OTHER), x),
            "polygamma": lambda x: special.polygamma(like(x, np.arange(12.0) % 3), x),
            "multigammaln": lambda x: special.multigammaln(2.0 + x, 3),
            "expn": lambda x: special.expn(like(x, np.arange(12) % 4), x),
        },
        SHARES,
    ),
}

STATS: Final = {
    **_of(
        stats,
        "gmean hmean tmean tvar tmin tmax tstd tsem moment skew kurtosis describe skewtest kurtosistest normaltest "
        "jarque_bera sem zscore gzscore gstd iqr median_abs_deviation kstat kstatvar circmean circvar circstd "
        "entropy differential_entropy rankdata lmoment variation",
        0.5 + np.abs(SIGNED.reshape((2, 20))),
        axis=-1,
    ),
    **_of(stats, "expectile shapiro cumfreq relfreq sigmaclip", 0.5 + np.abs(SIGNED)),
    **_of(
        stats,
        "pearsonr spearmanrho chatterjeexi theilslopes siegelslopes linregress kendalltau ttest_ind ttest_rel wilcoxon "
        "ansari bartlett levene fligner mood f_oneway alexandergovern kruskal brunnermunzel mannwhitneyu "
        "epps_singleton_2samp ks_2samp cramervonmises_2samp",
        np.stack([POSITIVE, SHARES]),
        np.stack([OTHER, np.sin(OTHER)]),
        axis=-1,
    ),
    **_of(stats, "obrientransform", POSITIVE, OTHER),
    **_of(stats, "ttest_1samp pmean", np.stack([POSITIVE, SHARES]), 0.5, axis=-1),
    **_each(
        "stats",
        {
            "boxcox_llf": lambda x: stats.boxcox_llf(0.5, x),
            "trim_mean": lambda x: stats.trim_mean(x, 0.1),
            "zmap": lambda x: stats.zmap(x, like(x, OTHER)),
            "yeojohnson_llf": lambda x: stats.yeojohnson_llf(0.5, x),
            "friedmanchisquare": lambda x: stats.friedmanchisquare(x, like(x, OTHER), like(x, SHARES)),
            "power_divergence": lambda x: stats.power_divergence(x, lambda_="neyman"),
            "chisquare": lambda x: stats.chisquare(x),
            "directional_stats": lambda x: stats.directional_stats(x.reshape((4, 3))),
            "quantile": lambda x: stats.quantile(x, like(x, [0.2, 0.7])),
            "quantile_test": lambda x: stats.quantile_test(x, q=2.0, p=0.5).pvalue,
            "ks_1samp": lambda x: stats.ks_1samp(x, special.ndtr),
            "cramervonmises": lambda x: stats.cramervonmises(x, special.ndtr),
            "pointbiserialr": lambda x: stats.pointbiserialr(like(x, np.arange(12) % 2 == 0), x),
            "ttest_ind_from_stats": lambda x: stats.ttest_ind_from_stats(x[0], x[1], 9, x[2], x[3], 8),
            "bootstrap": lambda x: stats.bootstrap((x,), lambda x, axis: _mean(x, axis), n_resamples=9, rng=1),
            "permutation_test": lambda x: stats.permutation_test(
                (x, like(x, OTHER)), lambda x, y, axis: _mean(x, axis) - _mean(y, axis), n_resamples=9, rng=1
            ),
            "monte_carlo_test": lambda x: stats.monte_carlo_test(
                x, lambda size: like(x, np.cos(np.arange(np.prod(size))).reshape(size)), _mean, n_resamples=9
            ),
        },
        POSITIVE,
    ),
    **_of(stats, "false_discovery_control combine_pvalues", SHARES),
}


def _mean(x: Any, axis: int) -> Any:
    return x.mean(axis=axis)


SIGNAL: Final = {
    **_of(signal, "detrend hilbert envelope", SIGNED),
    **_of(signal, "convolve correlate fftconvolve oaconvolve", SIGNED, OTHER),
    **_of(signal, "convolve2d correlate2d", IMAGE, MATRIX[:3]),
    **_each(
        "signal",
        {
            "savgol_filter": lambda x: signal.savgol_filter(x, 5, 2),
            "resample": lambda x: signal.resample(x, 25),
            "resample_poly": lambda x: signal.resample_poly(x, 3, 2),
            "lfilter": lambda x: signal.lfilter(like(x, [0.2, 0.3]), like(x, [1.0, -0.4]), x),
            "filtfilt": lambda x: signal.filtfilt(like(x, [0.2, 0.3]), like(x, [1.0, -0.4]), x),
            "sosfilt": lambda x: signal.sosfilt(like(x, [[0.2, 0.3, 0.0, 1.0, -0.4, 0.1]]), x),
            "sosfiltfilt": lambda x: signal.sosfiltfilt(like(x, [[0.2, 0.3, 0.0, 1.0, -0.4, 0.1]]), x),
            "medfilt": lambda x: signal.medfilt(x, 3),
            "wiener": lambda x: signal.wiener(x, 5),
            "upfirdn": lambda x: signal.upfirdn(like(x, [1.0, 2.0, 1.0]), x, 2),
            "square": lambda x: signal.square(x),
            "gauss_spline": lambda x: signal.gauss_spline(x, 3),
            "vectorstrength": lambda x: signal.vectorstrength(x, 2.5),
            "freqz_zpk": lambda x: signal.freqz_zpk(x[:2], x[2:4], 1.5, worN=like(x, OTHER)),
            "windows.hann": lambda x: x[:9] * signal.windows.hann(9, xp=x.__array_namespace__()),
            "windows.kaiser": lambda x: x[:9] * signal.windows.kaiser(9, 3.0, xp=x.__array_namespace__()),
        },
        SIGNED,
    ),
}

OTHERS: Final = {
    **_of(cluster.vq, "whiten", MATRIX),
    **_each(
        "cluster",
        {
            "vq.vq": lambda x: vq.vq(x, x[:2] * 1.1),
            "vq.kmeans": lambda x: vq.kmeans(x, x[:2] * 1.1),
            "hierarchy.linkage": lambda x: hierarchy.linkage(x, "average"),
            "hierarchy.cophenet": lambda x: hierarchy.cophenet(hierarchy.linkage(x, "average")),
            "hierarchy.fcluster": lambda x: hierarchy.fcluster(hierarchy.linkage(x, "average"), 1.5),
        },
        MATRIX,
    ),
    **_of(integrate, "trapezoid cumulative_trapezoid simpson cumulative_simpson", SIGNED),
    **_each(
        "integrate",
        {
            "romb": lambda x: integrate.romb(x[:33]),
            "fixed_quad": lambda x: integrate.fixed_quad(lambda t: t * t * x[0], x[1], x[2]),
            "tanhsinh": lambda x: integrate.tanhsinh(lambda t, a: a * t * t, 0.0 * x, 1.0 + x * x, args=(x,)).integral,
            "nsum": lambda x: integrate.nsum(lambda k, a: a / k**2, 1.0 + 0.0 * x, 5.0 + 0.0 * x, args=(x,)).sum,
            "cubature": lambda x: integrate.cubature(lambda t: t[:, 0] * x[0], like(x, [0.0]), like(x, [2.0])).estimate,
        },
        SIGNED,
    ),
    **_of(optimize, "rosen rosen_der rosen_hess", POSITIVE),
    **_each(
        "optimize",
        {
            "rosen_hess_prod": lambda x: optimize.rosen_hess_prod(x, like(x, OTHER)),
            "elementwise.find_root": lambda x: (
                elementwise.find_root(lambda t, c: t**2 - c, (0.0 * x, 4.0 + 0.0 * x), args=(x,)).x
            ),
            "elementwise.find_minimum": lambda x: (
                elementwise.find_minimum(lambda t, c: (t - c) ** 2, (x - 2.0, x - 0.3, x + 3.0), args=(x,)).f_x
            ),
            "elementwise.bracket_root": lambda x: (
                elementwise.bracket_root(lambda t, c: t - c, x - 0.3, args=(x,)).bracket
            ),
            "elementwise.bracket_minimum": lambda x: (
                elementwise.bracket_minimum(lambda t, c: (t - c) ** 2, x - 0.3, args=(x,)).bracket
            ),
        },
        POSITIVE,
    ),
    **_each(
        "differentiate",
        {
            "derivative": lambda x: differentiate.derivative(lambda t: t**3, x).df,
            "jacobian": lambda x: differentiate.jacobian(lambda t: t**2, x[:3]).df,
            "hessian": lambda x: differentiate.hessian(lambda t: (t**3).sum(axis=0), x[:2]).ddf,
        },
        POSITIVE,
    ),
    **_of(fft, "fft ifft rfft irfft hfft ihfft fftn rfftn fftshift dct idct dst dctn", SIGNED),
    **_each("fft", {"fht": lambda x: fft.fht(x, 0.1, 0.3)}, SIGNED),
    **_each(
        "linalg",
        {
            "block_diag": lambda x: linalg.block_diag(x, x),
            "fiedler": lambda x: linalg.fiedler(x[0]),
            "orthogonal_procrustes": lambda x: linalg.orthogonal_procrustes(x, like(x, np.sin(MATRIX))),
        },
        MATRIX,
    ),
    **_of(ndimage, "laplace sobel prewitt center_of_mass sum variance maximum", IMAGE),
    **_each(
        "ndimage",
        {
            "gaussian_filter": lambda x: ndimage.gaussian_filter(x, 1.0),
            "uniform_filter": lambda x: ndimage.uniform_filter(x, 3),
            "map_coordinates": lambda x: ndimage.map_coordinates(x, like(x, [[1.3, 2.2], [2.1, 3.4]]), order=1),
            "zoom": lambda x: ndimage.zoom(x, 1.5, order=1),
            "grey_erosion": lambda x: ndimage.grey_erosion(x, 3),
        },
        IMAGE,
    ),
    **_each(
        "interpolate",
        {
            "CubicSpline": lambda x: interpolate.CubicSpline(like(x, np.arange(12.0)), x)(like(x, SHARES)),
            "make_interp_spline": lambda x: interpolate.make_interp_spline(like(x, np.arange(12.0)), x)(
                like(x, SHARES)
            ),
            "RBFInterpolator": lambda x: interpolate.RBFInterpolator(like(x, OTHER[:, None]), x)(
                like(x, SHARES[:, None])
            ),
            "RegularGridInterpolator": lambda x: interpolate.RegularGridInterpolator((like(x, np.arange(12.0)),), x)(
                like(x, SHARES[:, None])
            ),
        },
        POSITIVE,
    ),
    **_each(
        "spatial",
        {
            "Rotation.as_matrix": lambda x: spatial.transform.Rotation.from_quat(x[:4]).as_matrix(),
            "Rotation.apply": lambda x: spatial.transform.Rotation.from_rotvec(x[:3]).apply(x[3:6]),
            "Rotation.as_euler": lambda x: spatial.transform.Rotation.from_quat(x[:4]).as_euler("xyz"),
            "RigidTransform.as_matrix": lambda x: spatial.transform.RigidTransform.from_translation(x[:3]).as_matrix(),
            "Slerp": lambda x: spatial.transform.Slerp(
                like(x, [0.0, 1.0]), spatial.transform.Rotation.from_rotvec(x[:6].reshape((2, 3)))
            )(like(x, [0.3])).as_rotvec(),
        },
        POSITIVE,
    ),
    **_each("constants", {"convert_temperature": lambda x: constants.convert_temperature(x, "C", "K")}, POSITIVE),
}

CALLS: Final[Calls] = SPECIAL | STATS | SIGNAL | OTHERS
