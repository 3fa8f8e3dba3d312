"""Handlers of the library's own effects: one file for each effect."""
