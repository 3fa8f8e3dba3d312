"""Functions defined by equations, through which they are differentiated: linear solves, roots, iterations."""
