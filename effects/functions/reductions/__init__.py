"""Folds along axes: sums, extremes, running folds, folds of segments, differences."""
