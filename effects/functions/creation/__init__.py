"""Arrays of numbers, of sequences, of positions; triangles and diagonals of matrices."""
