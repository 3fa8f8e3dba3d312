"""Compiled programs on disk, so that no process compiles what another has compiled before on this machine."""
