"""Effects beyond arrays: what a program asks of a handler besides operations on arrays."""
