"""Means, variances, covariances, quantiles, histograms."""
