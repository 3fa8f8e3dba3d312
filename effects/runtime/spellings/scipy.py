"""Names of SciPy's."""

from __future__ import annotations

from typing import Final

_ALGEBRA: Final = {
    "LinAlgError": "write LinearAlgebraError, of effects, which is one of NumPy's, too",
    "cg": "write cg, of handlers",
    "dot": "write dot, of effects",
    "eigvalues": "write eigvals(x), or eigvalsh(x) of a symmetric matrix",
    "einsum": "write einsum, of effects",
    "eigvalsh_tridiagonal": "write eigvalsh(x), of the whole matrix",
    "expm_frechet": "write jvp(expm, (a,), (e,)), of handlers",
    "fiedler": "write abs(a[:, None] - a)",
    "helmert": "write asarray(scipy.linalg.helmert(n))",
    "invpascal": "write asarray(scipy.linalg.invpascal(n))",
    "kron": "write kron, of effects",
    "null_space": "write v = svd(x)[2].mT.conj(), of which v[:, rank:] are the columns",
    "orth": "write svd(x, full_matrices=False)[0][:, :rank]",
    "triangular_solve": "write solve_triangular(a, b)",
}

_FOURIER: Final = {
    "dct": "write 2 * sum(x * cos(pi * k[:, None] * (n + 0.5) / n.size), axis=1), for k and n arange(x.size)",
    "dst": "write 2 * sum(x * sin(pi * (k[:, None] + 1) * (n + 0.5) / n.size), axis=1), for k and n arange(x.size)",
    "fftconvolve": "write signal.fftconvolve(x, y), of effects",
}

_SPECIAL: Final = {
    "bernoulli": "these are random numbers: random.bernoulli(key, p)",
    "erf_inv": "write erfinv(x)",
    "iv": "there are i0(x) and i1(x)",
    "jv": "there are j0(x) and j1(x)",
    "yv": "there are y0(x) and y1(x)",
    "kv": "there are k0(x) and k1(x)",
    "lambertw": "there is none; solve w * exp(w) = x by handlers.custom_root",
    "igamma": "write gammainc(a, x)",
    "igammac": "write gammaincc(a, x)",
    "lgamma": "write gammaln(x)",
    "logistic": "write expit(x)",
    "perm": "write poch(n - k + 1, k)",
    "sph_harm": "write sph_harm_y(n, m, theta, phi), whose polar angle comes first",
}

_DISTRIBUTIONS: Final = "write {0}, with loc and scale"
_STATISTICS: Final = {
    "exponential": _DISTRIBUTIONS.format("expon"),
    "gumbel": _DISTRIBUTIONS.format("gumbel_r"),
    "loguniform": "write uniform.logpdf(log(x), log(a), log(b / a)) - log(x)",
    "lognormal": _DISTRIBUTIONS.format("lognorm"),
    "normal": _DISTRIBUTIONS.format("norm"),
    "student_t": _DISTRIBUTIONS.format("t"),
    "weibull": _DISTRIBUTIONS.format("weibull_min"),
    "kurtosis": "write mean(z**4) - 3, for z = (x - mean(x)) / std(x)",
    "skew": "write mean(z**3), for z = (x - mean(x)) / std(x)",
    "ttest_1samp": "write 2 * t.sf(abs(z), n - 1), for z = (mean(x) - m) / sem(x) of n samples",
    "zscore": "write (x - mean(x)) / std(x)",
}

_INTEGRALS: Final = {
    "cumulative_trapezoid": "write cumsum((y[1:] + y[:-1]) / 2 * diff(x)), of effects",
    "fixed_quad": "write quad(f, a, b)",
    "ode": "write odeint(f, y0, t)",
    "dblquad": "write quad(lambda x: quad(f, a, b, x).value, c, d)",
    "simpson": "write quad(f, a, b), of a function; trapezoid(y, x), of effects, for values",
    "quadrature": "write quad(f, a, b)",
    "quad_vec": "write quad(f, a, b), of f that gives arrays",
    "romberg": "write quad(f, a, b)",
    "trapezoid": "write trapezoid(y, x), of effects",
}

_BY_SCIPY: Final = "it is SciPy's; its result for known values goes on by asarray"
_SIGNALS: Final = {
    "butter": _BY_SCIPY,
    "find_peaks": _BY_SCIPY,
    "firwin": _BY_SCIPY,
    "hamming": "write get_window('hamming', n)",
    "hann": "write get_window('hann', n)",
    "hilbert": "write ifft(fft(x) * where(k == -0.5, 1, 1 + sign(k))), for k = fftfreq(n), of effects.fft",
    "lfilter": "write scan, of handlers, over the samples; convolve(x, b) for a filter without feedback",
    "coherence": "write abs(csd(x, y)[1]) ** 2 / (welch(x)[1] * welch(y)[1])",
    "convolve2d": "write convolve(x, y, mode), after pad(x, …) for other boundaries",
    "correlate2d": "write correlate(x, y, mode), after pad(x, …) for other boundaries",
    "oaconvolve": "write fftconvolve(x, y)",
    "periodogram": "write welch(x, window='boxcar', nperseg=n), of n points",
    "sosfilt": "write scan, of handlers, over the samples, for each section",
    "spectrogram": "write abs(stft(x)[2]) ** 2",
    "windows": "write get_window(name, n), or get_window(name, n, fftbins=False) for symmetric ones",
}

_OPTIMIZATION: Final = {
    "OptimizeResult": "write Minimum, of which it has x, fun, jac, steps for nit, evaluations for nfev",
    "curve_fit": "write least_squares(f, x0), of f that gives the residuals",
    "bisect": "write root(f, x0), of a scalar x0",
    "brentq": "write root(f, x0), of a scalar x0",
    "fmin_bfgs": "write minimize(f, x0)",
    "fsolve": "write root(f, x0)",
    "leastsq": "write least_squares(f, x0)",
    "minimize_scalar": "write minimize(f, x0), of a scalar x0",
    "newton": "write root(f, x0), of a scalar x0",
    "root_scalar": "write root(f, x0), of a scalar x0",
}

_SEARCH: Final = {
    "success": "write result.converged",
    "message": "write optimize.Status(int(result.status)).name",
    **dict.fromkeys(["iterations", "nit"], "write result.steps"),
    **dict.fromkeys(["function_calls", "nfev", "njev"], "write result.evaluations"),
}
_SOLUTION: Final = {
    "success": "write result.status >= 0",
    "message": "its status is 0 at the end, 1 at a terminal event, -1 where there is no answer",
    **dict.fromkeys(["nfev", "nit", "njev", "nlu"], "write result.steps, of which each has the stages of its method"),
    "ts": "write result.t",
    "ys": "write result.y",
}

NAMES: Final[dict[str, dict[str, str]]] = {
    "LeastSquares": {**_SEARCH, "optimality": "write max(abs(result.grad)), of effects"},
    "Minimum": {**_SEARCH, "hess_inv": "write linalg.inv(hessian(f)(result.x)), with hessian of handlers"},
    "Root": {**_SEARCH, "root": "write result.x"},
    "Solution": _SOLUTION,
    "effects.fft": _FOURIER,
    "effects.integrate": _INTEGRALS,
    "effects.linalg": _ALGEBRA,
    "effects.optimize": _OPTIMIZATION,
    "effects.signal": _SIGNALS,
    "effects.special": _SPECIAL,
    "effects.stats": _STATISTICS,
}
