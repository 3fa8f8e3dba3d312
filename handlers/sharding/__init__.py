"""Meaning of `ShardMap`, a program over blocks, under every handler.

`rules.py` has its rules, `varying.py` tracks along which axes a value differs from device to device, `as_vmap.py` runs
the program by `vmap`, `mesh_axes.py` names the axes while a program over blocks is recorded.
"""
