"""Uses of CPython that its language does not promise: each can be switched off (`switches`), and is tested so."""
