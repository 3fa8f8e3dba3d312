"""Handlers of effects: states, the laws of transformations, and how requests go through programs."""
