"""Trees of arrays in files: `.npz`, `.safetensors`, and `.npy` for an array alone."""
