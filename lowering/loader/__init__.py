"""Batches of examples, in an order that a key gives, read ahead by a thread and cut over meshes.

`loader` is what users call, `sources` is how examples are read, `prefetching` the thread.
"""
