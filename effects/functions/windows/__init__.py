"""Functions of windows that move along axes: convolutions, pooling, window functions."""
