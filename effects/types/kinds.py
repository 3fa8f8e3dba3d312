"""Kinds of functions of two arrays, for type checkers: the dtype of the result, given the one that `promote` gives.

The bases of a kind say which Python numbers it takes beside an array.
"""

from __future__ import annotations


class Numeric:
    """Takes numbers."""


class Whole:
    """Gives integers for an integer array and a Python int."""


class Integral(Whole):
    """Keeps integers beside a Python int, where `Kept` keeps all numbers."""


class Truthful:
    """Gives bools for bools."""


class Generic(Numeric):
    """Takes an array whose dtype is a type variable beside any other array."""


class Plain(Generic, Whole):
    """Gives integers for integers, and the default float for an integer array and a Python float."""


class Fractional(Numeric):
    """Gives the default float for integers."""


class Complexes(Numeric):
    """Takes complex numbers, too."""


class Reals(Numeric):
    """Takes real numbers alone."""


class Kept(Plain, Complexes, Truthful):
    """The dtype stays: `add`."""


class Counted(Plain, Reals, Integral):
    """The dtype stays, if it is one of real numbers: `floor_divide`."""


class Divided(Fractional, Complexes, Generic):
    """Whole numbers become the default float: `divide`."""


class Measured(Fractional, Reals):
    """The same of real numbers: `gammainc`."""


class Bitwise(Integral, Truthful):
    """The dtype stays, if it is one of whole numbers or bools: `bitwise_and`."""
