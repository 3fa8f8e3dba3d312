"""Meaning of `ShardMap`, a program over blocks, under every handler.

`row.py` has its rules, `differing.py` knows along which axes a value differs from device to device, `lanes.py` says
the same by `vmap`, `named.py` names the axes while a program over blocks is written down.
"""
