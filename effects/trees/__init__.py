"""Containers of arrays: flattening, traversal and rebuilding."""
