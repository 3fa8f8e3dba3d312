"""Kinds of functions of two arrays, to type checkers: what becomes of the dtype that the arrays meet in.

A kind says what numbers of Python's it takes beside an array, too: the classes that it is one of.
"""

from __future__ import annotations


class Numeric:
    """Those of numbers."""


class Whole:
    """Those that ints leave integers in."""


class Truthful:
    """Those of which bools are the result of bools."""


class Generic(Numeric):
    """Those of which arrays of a family of dtypes meet others."""


class Plain(Generic, Whole):
    """Those of which whole numbers are the result of whole numbers, and fractions where one has fractions."""


class Fractional(Numeric):
    """Those that have fractions of whole numbers."""


class Complexes(Numeric):
    """Those of complex numbers, too."""


class Reals(Numeric):
    """Those of real numbers alone."""


class Kept(Plain, Complexes, Truthful):
    """The dtype stays: `add`."""


class Counted(Plain, Reals):
    """The dtype stays, if it is one of real numbers: `floor_divide`."""


class Divided(Fractional, Complexes, Generic):
    """Whole numbers become the default float: `divide`."""


class Measured(Fractional, Reals):
    """The same of real numbers: `gammainc`."""


class Bitwise(Whole, Truthful):
    """The dtype stays, if it is one of whole numbers or bools: `bitwise_and`."""
