"""Functions that move elements without changing them: shape, order, joining, splitting, repetition, padding."""
