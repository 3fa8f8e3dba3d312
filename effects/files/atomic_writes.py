"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from effects.errors import EffaxError, FileError, MissingFileError


@contextmanager
def atomic_write(path: Path, advice: str = "") -> Iterator[IO[bytes]]:
    """A new file to write to, which replaces `path` when the block ends; if it ends by an error nothing is left.

    Readers of `path` meanwhile see the old file. A link stays one, and permissions are kept. A path that is no file is
    refused, with `advice`.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        if target.is_dir():
            raise FileError(f"save: {path} is a folder; give the path of a file")
        raise FileError(f"save: {path} is not a regular file{advice}")
    new = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}")
    try:
        with new.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, new)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)


@contextmanager
def translated_errors(function: str, path: Path) -> Iterator[None]:
    """Translate errors of the operating system about a file to errors of this library."""
    try:
        yield
    except EffaxError:
        raise
    except FileNotFoundError as error:
        missing = "file" if path.parent.is_dir() else f"folder {path.parent} for"
        raise MissingFileError(f"{function}: there is no {missing} {path}") from error
    except (OSError, ValueError) as error:  # ValueError: the path has a null character
        raise FileError(f"{function}: {path}: {error}") from error
