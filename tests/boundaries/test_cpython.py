"""Uses of CPython's insides lie in one folder, and each can be switched off: results are the same without them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Final

import pytest

from effects.runtime.cpython.switches import NAMES
from tests.boundaries.sources import PACKAGES, ROOT, files

INSIDES: Final = re.compile(
    r"sys\._getframe|f_lasti|co_code|co_positions|import dis\b|import gc\b"
    r"|setprofile|setrecursionlimit|pythonapi|getrefcount"
)
ELSEWHERE: Final = {
    "effects/arrays/dlpack.py",  # capsules, which DLPack is made of
    "effects/check/staging.py",  # the column of an error, in the checker's own process
    "effects/mypy_plugin/modules.py",  # the depth of mypy's process
    "effects/runtime/names.py",  # the module that defines a name
    "handlers/tabular/fields.py",  # the module that defines a class
    "lowering/pjrt/processes.py",  # what a process keeps to its end
}


def test_insides_of_cpython_are_used_in_one_folder() -> None:
    users = {path for path in files(*PACKAGES) if INSIDES.search((ROOT / path).read_text())}
    assert {path for path in users if not path.startswith("effects/runtime/cpython/")} == ELSEWHERE


PROGRAM: Final = """
import effects as fx
from handlers import grad, make_jaxpr, scan, vmap
from lowering import jit

def f(x):
    return scan(lambda c, _: (fx.sin(c) * x, c), x, length=5)[0]

print(jit(vmap(grad(f)))(fx.linspace(0.1, 0.9, 3)).tolist())
print(make_jaxpr(grad(f))(0.5))

def deep(n):
    return (lambda x: fx.sin(x)) if n == 0 else (lambda x: vmap(deep(n - 1))(x[None])[0])

print(float(deep(20)(fx.asarray(0.5))))
with fx.default_float(fx.float32):
    print(fx.ones(2).dtype)
print(fx.ones(2).dtype)
cyclic = []
cyclic.append(cyclic)
for attempt in (lambda: fx.ones(2) + fx.ones(3), lambda: fx.tree_leaves(cyclic), lambda: fx.nothing):
    try:
        attempt()
    except Exception as error:
        print(type(error).__name__)
"""


def _printed(without: str) -> str:
    environment = {**os.environ, "EFFAX_WITHOUT": without}
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def test_results_are_the_same_without_each() -> None:
    expected = _printed("")
    assert "TreeError" in expected and expected.count("\n") > 10
    for name in (*NAMES, "all"):
        assert _printed(name) == expected, name


def test_an_unknown_switch_is_told() -> None:
    with pytest.raises(subprocess.CalledProcessError) as raised:
        _printed("frames")
    assert "EFFAX_WITHOUT: frames is none of source, collector" in raised.value.stderr
