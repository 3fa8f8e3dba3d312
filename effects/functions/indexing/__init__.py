"""Reading and writing at positions: `x[key]`, `x.at[key]`, `take`, `select`, slices that programs move."""
