"""The format of a compiled program in a file: five lines of text, then the serialised executable.

    effax program 1
    the SHA-256 of all that follows
    the key
    the seconds that compiling took
    the program's name

A damaged file is detected by its checksum before the runtime sees any of it, since loading an executable runs its code.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final, NamedTuple

from returns.result import Failure, Result, Success

_FORMAT: Final = b"effax program 1"
_LINES: Final = 5


class Entry(NamedTuple):
    """A compiled program."""

    key: str
    name: str
    seconds: float
    executable: bytes


def encoded(entry: Entry) -> bytes:
    """The file of an entry."""
    content = f"{entry.key}\n{entry.seconds:.6f}\n{entry.name}\n".encode() + entry.executable
    return b"\n".join([_FORMAT, sha256(content).hexdigest().encode(), content])


def decoded(file: bytes, key: str) -> Result[Entry, str]:
    """The entry in a file that should be that of `key`, or why it is not.

    >>> entry = Entry("5f1c", "step", 1.25, b"machine code")
    >>> decoded(encoded(entry), "5f1c").unwrap() == entry
    True
    >>> decoded(encoded(entry)[:-1], "5f1c").failure(), decoded(encoded(entry), "77aa").failure()
    ('damaged', 'of another program')
    """
    form, _, rest = file.partition(b"\n")
    checksum, _, content = rest.partition(b"\n")
    if form != _FORMAT:
        return Failure("of another format")
    if checksum != sha256(content).hexdigest().encode():
        return Failure("damaged")
    try:
        its_key, seconds, name, executable = content.split(b"\n", _LINES - 2)
        entry = Entry(its_key.decode(), name.decode(), float(seconds), executable)
    except ValueError:
        return Failure("of another format")
    return Success(entry) if entry.key == key else Failure("of another program")
