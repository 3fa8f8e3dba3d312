"""Calls of jitted functions: cache keys, prepared calls, donation."""
