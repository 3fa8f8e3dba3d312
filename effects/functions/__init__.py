"""The public functions: promotion, broadcasting and argument checking, then `perform`.

One file per family, as in `effects.operations`. Names, signatures and semantics follow the Python Array API standard,
then NumPy.
"""
