"""Sorting and searching, and vectors as sets."""
