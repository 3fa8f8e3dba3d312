"""Advice for errors at a line of another library, which the user does not change."""

from __future__ import annotations

import os
import sys
from typing import Final

from effects.runtime.cpython.source import callers, user_location

_NAMES: Final = {
    "matplotlib": "matplotlib",
    "mpl_toolkits": "matplotlib",
    "pandas": "pandas",
    "scipy": "SciPy",
    "seaborn": "seaborn",
    "sklearn": "scikit-learn",
}
"""Libraries written for NumPy's arrays, by the folder that they are installed in."""

_DISPATCH: Final = "Set SCIPY_ARRAY_API=1 in the environment before SciPy is imported"


def library() -> str:
    """Name of the library whose line causes an error; "" for the user's own line."""
    place = user_location()
    folder = "" if place is None else place[0].co_filename.rpartition("-packages/")[2].partition("/")[0]
    return _NAMES.get(folder, "")


def in_library() -> str:
    """Advice if a library's line needs an unknown value; "" for the user's own line."""
    name = library()
    if name == "SciPy" and (own := _own_of_scipy()) is not None:
        return f"This function of SciPy's takes NumPy's arrays only: write fx.{own}"
    if name == "SciPy" and not os.environ.get("SCIPY_ARRAY_API"):
        return f"{_DISPATCH}: only then its functions take other arrays than NumPy's"
    if name == "scikit-learn" and not sys.modules["sklearn"].get_config()["array_api_dispatch"]:
        return f"{_DISPATCH}, and write sklearn.set_config(array_api_dispatch=True): only then it takes other arrays"
    return name and (
        f"{name} looks at values here: call it outside of jit, vmap and derivatives, or by pure_callback, of handlers"
    )


def _own_of_scipy() -> str | None:
    """The function here for the running one of SciPy's linear algebra, or of its distributions' methods."""
    for frame in callers():
        filename, name = frame.f_code.co_filename, frame.f_code.co_name
        if "/scipy/linalg/" in filename and hasattr(sys.modules["effects"].linalg, name):
            return f"linalg.{name}"
        if filename.endswith("/scipy/stats/_distn_infrastructure.py"):
            distribution = getattr(frame.f_locals.get("self"), "name", None)
            if hasattr(getattr(sys.modules["effects"].stats, str(distribution), None), name):
                return f"stats.{distribution}.{name}"
    return None
