"""What a derivative keeps in memory, and what it computes again."""
