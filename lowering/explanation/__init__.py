"""`explain`: reasons of compilations, from comparable facts of the calls."""
