"""Programs: operations, the chain of handlers that interprets them, and programs as values."""
