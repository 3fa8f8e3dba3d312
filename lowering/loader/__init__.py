"""Batches of examples, in an order that a key determines, prefetched by a thread and sharded over meshes.

`loader` is what users call, `sources` is how examples are read, `prefetching` the thread.
"""
