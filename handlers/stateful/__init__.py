"""Handlers without carriers: how their state goes through programs, be they of an effect or of operations."""
