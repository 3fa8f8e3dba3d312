"""Placement of arrays on devices and over meshes."""
