"""Products of vectors, matrices and tensors, and helpers of functions of matrices."""
