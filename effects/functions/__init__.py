"""The public functions: promotion, broadcasting and argument checking, then `perform`.

A file for each family, in folders by the groups of NumPy's documents. Names, signatures and semantics follow the Python
Array API standard, then NumPy.
"""
