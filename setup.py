"""The parts of packaging that pyproject.toml cannot say.

The package `effax`, one namespace of the three packages, is effects/runtime/effax in the repository, where these are
the folders at the top. In a wheel it stands beside them, in an editable one as a copy: a mapping of packages to folders
would make the editable installation a hook of imports, which type checkers do not follow.

On an index the links of the README lead to the repository.
"""

import re
import tomllib
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from shutil import copytree, ignore_patterns
from zipfile import ZIP_DEFLATED, ZipFile

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel

NAMESPACE = Path("effects", "runtime", "effax")


class WithNamespace(build_py):
    """Copies the package `effax` into what a wheel is made of."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            copytree(
                NAMESPACE, Path(self.build_lib, "effax"), ignore=ignore_patterns("__pycache__"), dirs_exist_ok=True
            )


class EditableWithNamespace(editable_wheel):
    """Copies it into an editable wheel, which has nothing but a file that names this folder."""

    def run(self) -> None:
        super().run()
        (wheel,) = Path(self.dist_dir).glob("*.whl")
        with ZipFile(wheel) as archive:
            entries = {name: archive.read(name) for name in archive.namelist()}
        files = {f"effax/{file.name}": file.read_bytes() for file in NAMESPACE.iterdir() if file.is_file()}
        (record,) = [name for name in entries if name.endswith(".dist-info/RECORD")]
        entries[record] = "".join([_recorded(name, data) for name, data in files.items()]).encode() + entries[record]
        with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
            for name, data in {**files, **entries}.items():
                archive.writestr(name, data)


def _recorded(name: str, data: bytes) -> str:
    digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def description() -> str:
    """The README with links from the root of the repository."""
    home = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
    text = Path("README.md").read_text(encoding="utf-8")
    return re.sub(r"\]\((?!\w+://|#)", f"]({home}/blob/main/", text)


setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    cmdclass={"build_py": WithNamespace, "editable_wheel": EditableWithNamespace},
)
