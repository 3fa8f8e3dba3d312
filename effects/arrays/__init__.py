"""Arrays: their protocols for Python, NumPy and the type checker, and the concrete arrays, whose elements are known."""
