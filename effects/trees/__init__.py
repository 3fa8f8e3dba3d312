"""Containers of arrays: how they are taken apart, walked and put together."""
