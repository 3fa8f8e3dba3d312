"""Named and unnamed axes: batching, and collectives along them."""
