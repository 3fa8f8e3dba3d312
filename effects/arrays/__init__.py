"""What values are: arrays, to Python, to NumPy and to the type checker, and those whose numbers are known."""
