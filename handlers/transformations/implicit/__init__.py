"""Functions that are defined by equations, which are differentiated: solutions of linear ones, roots, iterations."""
