"""Meaning of `ShardMap`, a program over blocks, under every handler.

`rules.py` has its rules, `varying.py` knows along which axes a value differs from device to device, `as_vmap.py` says
the same by `vmap`, `mesh_axes.py` names the axes while a program over blocks is recorded.
"""
