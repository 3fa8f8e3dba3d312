"""Products of vectors, matrices and tensors, and what programs of matrices share."""
