"""Assignment as an effect: arrays that can be assigned to, for NumPy's programs, under every transformation.

`memory` has the effect: recorded programs read and write the current elements by requests, so that loops carry them.
`lenses` are the ways to see a part of an array; `array` has the arrays and their views, `methods` their operators,
`namespace` the functions that give such arrays, and `extent` the function and the block inside of which they live.
"""
