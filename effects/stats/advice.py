"""Errors for methods that a distribution does not have, and the text of `help` for those that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from effects.errors import ArgumentError, UnknownAttribute

_DRAWN: Final = "random numbers are drawn by effects.random, as normal(key, shape)"
_MOMENTS: Final = "there are densities, distribution functions and quantiles; write the moments out"
_INSTEAD: Final = {
    "rvs": _DRAWN,
    "random": _DRAWN,
    "sample": _DRAWN,
    "fit": "minimize the negative sum of its log densities, with effects.optimize.minimize",
    "nnlf": "write the sum of -{name}.{density}(x, ...)",
    "median": "write {name}.ppf(0.5, ...)",
    "interval": "write {name}.ppf(0.5 - p / 2, ...) and {name}.ppf(0.5 + p / 2, ...)",
    **dict.fromkeys(("mean", "var", "std", "stats", "moment", "entropy", "expect", "support"), _MOMENTS),
    **dict.fromkeys(("pdf", "logpdf"), "numbers that are counted have pmf and logpmf"),
    **dict.fromkeys(("pmf", "logpmf"), "where there are densities they are pdf and logpdf"),
    **dict.fromkeys(("isf", "logcdf", "logsf"), "write it by ppf, cdf or sf"),
}
_WITHOUT_TAILS: Final = dict.fromkeys(
    ("cdf", "logcdf", "sf", "logsf", "ppf", "isf", "median", "interval"), "there are {density} and {plain}"
)


class Advising:
    """A distribution, which is neither called nor has methods besides its own."""

    name: str

    def _density(self) -> str:
        return "logpdf" if hasattr(type(self), "logpdf") else "logpmf"

    def __repr__(self) -> str:
        return f"stats.{self.name}"

    if not TYPE_CHECKING:  # to the type checker there is nothing else

        def __getattr__(self, method: str) -> NoReturn:
            if method.startswith("__"):
                raise AttributeError(method)
            instead = _INSTEAD if hasattr(type(self), "cdf") else _INSTEAD | _WITHOUT_TAILS
            advice = instead.get(method)
            if advice is None:
                raise AttributeError(
                    f"{type(self).__name__!r} object has no attribute {method!r}", name=method, obj=self
                )
            names = {"name": self.name, "density": self._density(), "plain": self._density().removeprefix("log")}
            raise UnknownAttribute(f"{self!r} has no `{method}`: {advice.format(**names)}")

        def __call__(self, *parameters: object, **named: object) -> NoReturn:
            method = "cdf" if hasattr(type(self), "cdf") else self._density()
            raise ArgumentError(
                f"{self!r} is not callable: pass parameters to its methods, as in {self.name}.{method}(x, ...)"
            )


def described(name: str, kind: str, first: str, shapes: tuple[str, ...], places: str) -> str:
    """Text of `help` for a distribution."""
    parameters = ", ".join((first, *shapes, places))
    of = f" of the shape parameters {', '.join(shapes)}" if shapes else ""
    return f"The {kind} distribution {name}{of}; its methods take ({parameters}), quantiles q in place of {first}."
