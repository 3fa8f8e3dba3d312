"""Handlers for debugging: the origin of NaN and of float64, keys used twice, a log of operations, plain Python."""
