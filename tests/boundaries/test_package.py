"""The package as it is installed: one namespace, a report for bugs, and what a wheel and an archive of sources have."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from importlib import import_module
from pathlib import Path
from zipfile import ZipFile

import pytest

import effects as fx
from effects import report
from effects.runtime import effax
from effects.runtime.names import PACKAGES, listed
from tests.boundaries.sources import NAMESPACES, ROOT
from tests.boundaries.test_documents import LINK


def run(*arguments: str, path: Path = ROOT, cwd: Path = ROOT, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_namespace_has_the_names_of_all() -> None:
    names = {name: package for package in reversed(PACKAGES) for name in listed(package)}
    assert len(names) > 600 and set(names) == set(dir(effax))
    for name, package in names.items():
        assert getattr(effax, name) is getattr(import_module(package), name)
    with pytest.raises(ImportError, match=r"no `relu`: write nn\.relu\b"):
        from effects.runtime.effax import relu  # type: ignore[attr-defined]  # noqa: F401, PLC0415
    with pytest.raises(AttributeError, match="module 'effax' has no attribute 'abacus'"):
        effax.abacus  # type: ignore[attr-defined]
    with pytest.raises(fx.EffaxError, match=r"no `loadtxt`: (.*)\n  at .*test_package\.py:\d+ \("):  # the user's line
        effax.loadtxt  # type: ignore[attr-defined]


def test_a_report_says_what_is_there() -> None:
    parts = report.report()
    assert parts["versions"]["numpy"] == import_module("numpy").__version__
    assert parts["versions"]["jaxlib"] == import_module("jaxlib").__version__
    assert parts["devices"].keys() == {device.name for device in import_module("lowering").devices()}
    printed = run("-m", "effects.report", EFFAX_PLATFORMS="abacus", EFFAX_DISK="off")
    assert re.search(r"^    none  +DeviceError: .*there is no platform 'abacus' here", printed, re.MULTILINE)
    assert re.search(r"^    EFFAX_PLATFORMS  +abacus$", printed, re.MULTILINE)
    assert re.search(r"^    programs on disk  +no programs are kept on disk$", printed, re.MULTILINE)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an archive of the sources, the wheel that is built from it, and an editable wheel."""
    folder = tmp_path_factory.mktemp("built")
    listed_files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed_files.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / "sources" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "sources" / name).write_bytes((ROOT / name).read_bytes())
    hook = "import sys; sys.path.insert(0, '.ci'); import build_backend as b; getattr(b, sys.argv[1])(sys.argv[2])"
    run("-c", hook, "build_sdist", str(folder), path=folder, cwd=folder / "sources")
    run("-c", hook, "build_editable", str(folder / "editable"), path=folder, cwd=folder / "sources")
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        sources.extractall(folder, filter="data")
    run("-c", hook, "build_wheel", str(folder), path=folder, cwd=folder / archive.name.removesuffix(".tar.gz"))
    return folder


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("file", ["{}.py", "{}/__init__.py"])
def test_a_module_of_the_users_in_place_of_a_package_is_named(package: str, file: str, tmp_path: Path) -> None:
    (place := tmp_path / file.format(package)).parent.mkdir(exist_ok=True)
    place.write_text("")
    (script := tmp_path / "script.py").write_text("import effax")
    path = os.pathsep.join([str(ROOT), str(ROOT / "effects" / "runtime")])
    with pytest.raises(AssertionError, match=f"effax: {re.escape(str(place))} is imported as '{package}'"):
        run(str(script), path=Path(path), cwd=tmp_path)


SAME_NAMES = """
import importlib, sys
for name in sys.argv[1:]:
    ours, theirs = importlib.import_module("effax." + name), importlib.import_module("effects." + name)
    assert all([ours.__dict__[entry] is getattr(theirs, entry) for entry in theirs.__all__]), name
    assert ours.__dict__.get("__getattr__") is theirs.__dict__.get("__getattr__"), name
"""


@pytest.mark.slow
def test_a_wheel_has_the_three_packages_and_the_namespace(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(built / "installed")
    assert {path.name for path in (built / "installed").iterdir() if path.suffix == ""} == {*PACKAGES, "effax"}
    program = "import effax as fx; print(fx.__version__, fx.__file__, float(fx.jit(fx.grad(fx.sin))(0.0)))"
    run("-c", SAME_NAMES, *NAMESPACES, path=built / "installed", cwd=built)
    (built / "model.py").write_text("from effax import F32\ndef f[N](x: F32[N]) -> F32[N]:\n    return x\n")
    (built / "script.py").write_text("import sys; print(sys.argv[1:])")
    for command, expected in {
        ("check", "model.py"): "0 errors in 1 function of 1 file",
        ("report",): "    EFFAX_DISK",
        ("launch", "-n", "1", "script.py", "-x"): "[0] ['-x']",
    }.items():
        assert expected in run("-m", f"effax.{command[0]}", *command[1:], path=built / "installed", cwd=built)
    (top_level,) = (built / "installed").glob("*.dist-info/top_level.txt")
    assert top_level.read_text().split() == ["effax", *PACKAGES]
    version, file, slope = run("-c", program, path=built / "installed", cwd=built).split()
    assert (version, slope) == (effax.__version__, "1.0")
    assert Path(file) == built / "installed" / "effax" / "__init__.py"
    (metadata,) = (built / "installed").glob("*.dist-info/METADATA")
    links = LINK.findall(metadata.read_text())
    assert len(links) > 50 and all([link.startswith(("https://", "#")) for link in links])
    home = "https://github.com/effax/effax/blob/main/"
    assert all([(ROOT / link.removeprefix(home).partition("#")[0]).exists() for link in links if home in link])


@pytest.mark.slow
def test_an_archive_has_tests_documents_and_examples(built: Path) -> None:
    (sources,) = built.glob("effax-*/")
    for folder in ("tests", "docs", "examples", "benchmarks", *PACKAGES):
        expected = {path.relative_to(built / "sources") for path in (built / "sources" / folder).rglob("*.*")}
        assert expected == {path.relative_to(sources) for path in (sources / folder).rglob("*.*")}
    assert (sources / ".ci" / "run").is_file()


@pytest.mark.slow
def test_an_editable_wheel_has_a_path_that_type_checkers_read(built: Path) -> None:
    (wheel,) = (built / "editable").glob("*.whl")
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        assert {name for name in names if ".dist-info/" not in name} == {
            *[f"effax/{name}" for name in ("__init__.py", "__init__.pyi", "py.typed", "operations.py")],
            *[f"effax/{name}.py" for name in (*NAMESPACES, "check", "report", "launch")],
            *[name for name in names if name.endswith(".pth")],
        }
        (path,) = [archive.read(name).decode() for name in names if name.endswith(".pth")]
        (record,) = [archive.read(name).decode() for name in names if name.endswith("RECORD")]
        archive.extractall(built / "site")
    assert path.strip() == str(built / "sources")
    assert sorted([line.partition(",")[0] for line in record.splitlines()]) == sorted(names)
    program = "import effax as fx; print(fx.vmap(fx.sin)(fx.zeros(2)))"
    assert run("-c", program, path=built / "site", cwd=built / "sources") == "Array([0., 0.], float64)\n"
