"""Functions of single elements: arithmetic, comparisons, transcendental functions, parts of numbers."""
