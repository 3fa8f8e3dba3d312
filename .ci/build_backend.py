"""The build backend: setuptools', with what pyproject.toml cannot say.

The package `effax`, one namespace of the three packages, is effects/runtime/effax in the repository, where these are
the folders at the top. In a wheel it stands beside them, in an editable one as a copy: a mapping of packages to
folders would make the editable installation a hook of imports, which type checkers do not follow. Each package of
effects that lists public names, `effects.optim` say, has a module `effax.optim` of the same names, and each command
has one that runs it, as `python -m effax.check` does. An archive of sources has tests, documents, examples and
benchmarks. On an index the links of the README lead to the repository.
"""

import re
import tomllib
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from setuptools import build_meta
from setuptools.build_meta import (  # the hooks that stay as they are
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from setuptools.command.egg_info import egg_info

NAMESPACE = Path("effects", "runtime", "effax")
COMMANDS = ("effects.check", "effects.report", "lowering.launch")
ARCHIVED = (".ci", "benchmarks", "docs", "examples", "tests")
LEFT_OUT = ("__pycache__", "results")


__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]
type Settings = dict[str, str | list[str] | None] | None


def build_wheel(folder: str, settings: Settings = None, metadata: str | None = None) -> str:
    """setuptools' wheel, with the namespace."""
    return _with_namespace(folder, build_meta.build_wheel(folder, settings, metadata))


def build_editable(folder: str, settings: Settings = None, metadata: str | None = None) -> str:
    """setuptools' editable wheel, which has nothing but a file that names this folder, with the namespace."""
    return _with_namespace(folder, build_meta.build_editable(folder, settings, metadata))


def _with_namespace(folder: str, name: str) -> str:
    wheel = Path(folder, name)
    with ZipFile(wheel) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    files = {f"effax/{file.name}": file.read_bytes() for file in sorted(NAMESPACE.iterdir()) if file.is_file()}
    texts = {file.parent.name: file.read_text("utf-8") for file in sorted(Path("effects").glob("*/__init__.py"))}
    public = [name for name, text in texts.items() if "__all__" in text]
    files |= {f"effax/{name}.py": _same_names(name, "__getattr__" in texts[name]) for name in public}
    files |= {f"effax/{command.partition('.')[2]}.py": _running(command) for command in COMMANDS}
    (top_level,) = [entry for entry in entries if entry.endswith(".dist-info/top_level.txt")]
    entries[top_level] = b"effax\n" + entries[top_level]
    (record,) = [entry for entry in entries if entry.endswith(".dist-info/RECORD")]
    recorded = [line for line in entries[record].decode().splitlines(True) if not line.startswith(f"{top_level},")]
    changed = {**files, top_level: entries[top_level]}
    entries[record] = "".join([*[_recorded(*item) for item in changed.items()], *recorded]).encode()
    with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
        for entry, data in {**files, **entries}.items():
            archive.writestr(entry, data)
    return name


def _same_names(name: str, tells_of_others: bool) -> bytes:
    """The module `effax.name`, whose errors of names that it does not have say what to write, too."""
    text = f"from effects.{name} import *\n"
    if tells_of_others:
        text = f"from typing import TYPE_CHECKING\n\n{text}"
        text += f"\nif not TYPE_CHECKING:\n    from effects.{name} import __getattr__\n"
    return text.encode()


def _running(command: str) -> bytes:
    """The module that `python -m` finds, which runs a command."""
    run = f'run_module("{command}", run_name="__main__", alter_sys=True)'
    return f'from runpy import run_module\n\nif __name__ == "__main__":\n    {run}\n'.encode()


def _recorded(name: str, data: bytes) -> str:
    digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


class Metadata(egg_info):
    """The description with links from the root of the repository, and the files of an archive of sources."""

    def finalize_options(self) -> None:
        super().finalize_options()
        home = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
        text = Path("README.md").read_text(encoding="utf-8")
        self.distribution.metadata.long_description = re.sub(r"\]\((?!\w+://|#)", f"]({home}/blob/main/", text)

    def find_sources(self) -> None:
        super().find_sources()
        files = [path for folder in ARCHIVED for path in Path(folder).rglob("*") if path.is_file()]
        files += [*Path().glob("*.txt"), *Path().glob("*.ini"), *Path().glob(".pre-commit-*"), Path("Makefile")]
        self.filelist.extend([str(path) for path in files if not set(path.parts) & set(LEFT_OUT)])
