"""Polynomials as vectors of coefficients: arithmetic, fits, roots."""
