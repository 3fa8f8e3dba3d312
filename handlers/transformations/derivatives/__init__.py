"""Derivatives, forward, reverse and of higher order."""
