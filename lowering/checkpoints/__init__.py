"""Checkpoints: trees of arrays, sharded or not, written by all processes at once and read on other meshes.

`saving` and `loading` are what users call. A folder has a folder for each step (`folders`), which contains the arrays
as tensorstore's chunks (`chunks`) and a manifest (`manifest`). `stages` has the steps that processes take together.
"""
