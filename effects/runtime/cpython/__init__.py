"""Uses of CPython's internals: each can be switched off (`switches`), and is tested so."""
