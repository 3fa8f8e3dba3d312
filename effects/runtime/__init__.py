"""Services of the process: caches, settings, stack depth, the garbage collector, the user's lines, public names."""
