"""What a process has besides values: caches, what is set for a block, room on the stack, the collector."""
