"""Calls of transformed functions: arguments, names, static arguments, staging."""
