"""`Tabular`: users' handlers that are a table of rules over a carrier class."""
