"""How the call of a transformed function is taken apart, and what becomes of it."""
