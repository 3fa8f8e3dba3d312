"""Python while a program runs."""
