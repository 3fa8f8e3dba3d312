"""Checkpoints: trees of arrays, cut over meshes or whole, written by all processes at once and read on other meshes.

`saving` and `loading` are what users call. A folder has a folder for each step (`folders`), that one the arrays, as
tensorstore keeps them (`chunks`), and a manifest that says what they are (`manifest`). `together` is how processes go
from one stage to the next.
"""
