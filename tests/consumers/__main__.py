"""Counts of what consumers of the Array API do on arrays that can be assigned to.

    make consumers                                  # everything; ten minutes
    make consumers CONSUMERS=calls                  # calls of users, in each mode
    make consumers CONSUMERS="scipy special fft"    # SciPy's own tests of these modules

What fails is printed with why. The folder's other files have the calls, and the plug-in of SciPy's tests.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from typing import Final

from sklearn import config_context

from tests.consumers import extra_calls, scipy_calls, sklearn_calls
from tests.consumers.modes import MODES, attempt

MODULES: Final = (
    *("special", "stats", "signal", "linalg", "cluster", "integrate", "optimize", "interpolate", "fft", "ndimage"),
    *("spatial", "differentiate", "constants", "_lib"),
)
_SECONDS: Final = 90
"""For one test of SciPy's."""


def _calls() -> None:
    collections = {
        "SciPy": scipy_calls.CALLS,
        "scikit-learn": sklearn_calls.CALLS,
        "array-api-extra": extra_calls.EXTRA,
        "einops": extra_calls.EINOPS,
        "xarray": extra_calls.XARRAY,
    }
    rows = []
    for library, calls in collections.items():
        right: Counter[str] = Counter()
        with config_context(array_api_dispatch=True):
            for name, (f, x) in calls.items():
                for mode in MODES:
                    wrong = attempt(mode, f, x)
                    right[mode] += not wrong
                    if wrong:
                        print(f"{name}, {mode}: {' '.join(wrong.split())[:200]}", flush=True)
        rows.append(f"{library:16}{len(calls):6}" + "".join([f"{right[mode]:8}" for mode in MODES]))
    print("\n" + f"{'':16}{'calls':>6}" + "".join([f"{mode:>8}" for mode in MODES]), *rows, sep="\n", flush=True)


def _tests_of_scipy(modules: list[str]) -> None:
    """SciPy's own tests that take an array backend, but the slow ones."""
    total: Counter[str] = Counter()
    for module in modules:
        command = (
            *(
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "--pyargs",
                f"scipy.{module}",
                "-p",
                "tests.consumers.scipy_backend",
            ),
            *("-p", "no:cacheprovider", "-W", "ignore", "-m", "not slow", "--tb=line", f"--timeout={_SECONDS}", "-rf"),
            *("-c", os.devnull, f"--rootdir={sys.prefix}"),  # not this repository's settings
        )
        printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        counts = Counter(
            {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", printed[-200:])}
        )
        print(*re.findall(r"^FAILED .*", printed, re.MULTILINE), sep="\n")
        print(f"scipy.{module}: {counts['passed']} passed, {counts['failed'] + counts['error']} failed", flush=True)
        total += counts
    of = sum(total.values())
    print(f"\nSciPy's own tests: {total['passed']} of {of} passed, {100 * total['passed'] / max(1, of):.2f} %")


if __name__ == "__main__":
    what, *modules = sys.argv[1:] or ["everything"]
    if what != "scipy":
        _calls()
    if what != "calls":
        _tests_of_scipy(modules or list(MODULES))
