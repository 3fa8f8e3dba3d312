"""Conditionals: of two branches, and of several."""
