"""Services of the process: caches, settings for a block, stack depth, the garbage collector, public names."""
