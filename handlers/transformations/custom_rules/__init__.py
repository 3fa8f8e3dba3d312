"""Functions with rules of the user's own."""
