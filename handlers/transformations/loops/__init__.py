"""Loops: while, for, scan, map, and the associative scan."""
