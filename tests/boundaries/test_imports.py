"""Imports point one way: effects, handlers, lowering. jaxlib has four doors, and jax none."""

from __future__ import annotations

from typing import Final

import pytest

from tests.boundaries.sources import NAMESPACES, PACKAGES, ROOT, files, imports, modules, named_modules, runs_with
from tests.processes import printed

OUTER: Final = {"effects": {"handlers", "lowering"}, "handlers": {"lowering"}, "lowering": set[str]()}
LATE: Final = {
    "effects/program/chain.py": {"handlers.evaluate"},  # what the root of every chain means
    "effects/arrays/concrete.py": {"lowering"},  # who owns the devices
    "effects/report.py": {"lowering"},  # what it tells of
    "effects/runtime/pictures.py": {"lowering.showing.notebooks"},  # who draws
}
"""The only modules of outer layers that are named inside: found on first use, so that a user imports what is needed."""

COMPOSED: Final = {
    "effects/arrays/protocols.py",  # of NumPy's names, `apply_along_axis`
    "effects/check/loading.py",
    "effects/check/staging.py",
    "effects/functions/elementwise/custom_derivatives.py",
    "effects/functions/manipulation/padding.py",  # by a function
    "effects/functions/polynomials/fitting.py",
    "effects/functions/products/determinants.py",
    "effects/functions/products/matrix_functions.py",
    "effects/linalg/columns.py",
    "effects/functions/reductions/exponentials.py",
    "effects/integrate/gradients.py",
    "effects/integrate/initial_values.py",
    "effects/integrate/methods.py",
    "effects/integrate/odes.py",
    "effects/integrate/problems.py",
    "effects/integrate/panels.py",
    "effects/integrate/stepping.py",
    "effects/mypy_plugin/modules.py",
    "effects/optim/composition.py",
    "effects/optim/gradient_transformation.py",
    "effects/optimize/least_squares.py",
    "effects/optimize/line_searches.py",
    "effects/optimize/minimizing.py",
    "effects/optimize/second_order.py",
    "effects/optimize/objective.py",
    "effects/optimize/quasi_newton.py",
    "effects/optimize/simplex.py",
    "effects/random/counts.py",
    "effects/random/gammas.py",
    "effects/random/inverse_gaussian.py",
    "effects/random/multivariate.py",
    "effects/random/truncated.py",
    "effects/special/calling.py",
    "effects/special/combinatorics.py",
    "effects/special/harmonics.py",
    "effects/stats/densities.py",
    "effects/stats/discrete.py",
    "effects/stats/distribution.py",
    "effects/stats/standard.py",
    "effects/stats/symmetric.py",
    "effects/stats/truncated.py",
}
"""The files of `effects` that are users of transformations: they `import handlers`, for public names of it."""

JAXLIB: Final = ("effects/trees/keys.py", "effects/trees/pytree.py", "lowering/pjrt/", "lowering/stablehlo/")
MLIR: Final = ("lowering/stablehlo/",)

SOURCES: Final = files(*PACKAGES)


def _within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def test_layers() -> None:
    for path in SOURCES:
        _in_its_layer(path)


def _in_its_layer(path: str) -> None:
    outer = OUTER[path.split("/", maxsplit=1)[0]]
    actual = {module for module in imports(path) if module.split(".")[0] in outer}
    expected = {"handlers"} if path in COMPOSED else set[str]()
    assert actual == expected, f"{path} imports {sorted(actual)}, of an outer layer"
    named = {module for module in named_modules(path) if module.split(".")[0] in (*outer, "jax")}
    assert named == LATE.get(path, set()), f"{path} names {sorted(named)}"


def test_jaxlib_and_jax() -> None:
    for path in SOURCES:
        _by_the_doors(path)


def _by_the_doors(path: str) -> None:
    modules = {*imports(path), *named_modules(path)}
    assert not [m for m in modules if _within(m, "jax")], f"{path} imports jax"
    jaxlib = [m for m in modules if _within(m, "jaxlib")]
    assert not jaxlib or path.startswith(JAXLIB), f"{path} imports {jaxlib}; only {', '.join(JAXLIB)} may"
    mlir = [m for m in jaxlib if _within(m, "jaxlib.mlir")]
    assert not mlir or path.startswith(MLIR), f"{path} imports {mlir}; only {', '.join(MLIR)} may"
    if path.startswith(MLIR):
        assert jaxlib == mlir or not [m for m in jaxlib if m != "jaxlib" and m not in mlir], f"{path} imports {jaxlib}"


FOLDERS: Final = (
    "runtime",
    "types",
    "program",
    "operations",
    "arrays",
    "functions",
    "trees",
    "files",
    "requests",
    "optim",
    "integrate",
    "optimize",
    "signal",
)
"""The folders of effects, from the inside outward: those after `requests` are programs that users could write."""

OUTWARD: Final = {
    ("effects.arrays.methods", "functions"),  # methods are functions: it is imported last, and by nobody
    ("effects.random.keys", "trees"),  # keys are nodes of them
    ("effects.stats.kernel_density", "trees"),  # so are densities of samples
    ("effects.operations.callbacks", "arrays"),  # arrays are what the host gets,
    ("effects.operations.callbacks", "trees"),  # in trees
    ("effects.operations.custom_rules", "arrays"),  # rules are given arrays
}
"""What a module imports of a folder further out, and why."""

CIRCLES: Final = {
    frozenset(f"effects.functions.elementwise.{name}" for name in ("arithmetic", "logic", "transcendental", "unary")),
    frozenset({"effects.program.jaxpr", "effects.program.printing"}),  # a program prints itself
}
"""Modules that import each other when the program runs: functions of elements are made of one another."""


def _reached(start: str) -> set[str]:
    """The modules that importing a module imports."""
    found: set[str] = set()
    left = [start]
    while left:
        new = runs_with(modules()[left.pop()]) - found
        found |= new
        left += new
    return found


def test_circles_of_imports_are_as_small_as_they_can_be() -> None:
    reached = {name: _reached(name) for name in modules()}
    circles = {frozenset(n for n in reached[name] if name in reached[n]) for name in reached if name in reached[name]}
    assert circles == CIRCLES


def test_folders_of_effects_import_inward() -> None:
    def place(name: str) -> int:
        folder = name.split(".")[1]
        return FOLDERS.index(folder if folder in FOLDERS else "functions")

    inside = [name for name in modules() if name.startswith("effects.") and name.split(".")[1] in FOLDERS + NAMESPACES]
    found = {
        (name, other.split(".")[1])
        for name in inside
        for other in runs_with(modules()[name]) & set(inside)
        if place(other) > place(name)
    }
    assert found == OUTWARD


def test_type_checkers_of_users_programs_read_neither_rules_nor_mlir() -> None:
    read = {"handlers.vmap", "lowering.jit"}  # to type checkers the names of modules may be what is imported
    stubs = {name: path for name in modules() if (ROOT / (path := f"{name.replace('.', '/')}/__init__.pyi")).exists()}
    seen = modules() | stubs
    left = [seen[name] for name in (*PACKAGES, *read)]
    while left:
        full = set(imports(left.pop()))
        assert not [name for name in full if _within(name, "jaxlib.mlir") or _within(name, "ml_dtypes")]
        parents = {name.rsplit(".", count)[0] for name in full for count in range(1, name.count(".") + 1)}
        new = (full | parents) & modules().keys() - read - set(PACKAGES)
        read |= new
        left += [seen[name] for name in new]
    assert "handlers.jvp.rules" in read
    assert not read & {f"{column}.reduction" for column in ("handlers.jvp", "handlers.vmap", "lowering.stablehlo")}


_DEMO: Final = """
import sys

class NoJax:
    def find_spec(self, name, path=None, target=None):
        if name == "jax" or name.startswith("jax."):
            raise ImportError(f"{name} was imported")

sys.meta_path.insert(0, NoJax())
import effects as fx
from handlers import grad, hessian, jvp, make_jaxpr, vmap
from lowering import jit

def loss(w, x):
    return fx.sum(fx.tanh(x @ w) ** 2) + fx.sum(fx.erf(w))

w, x = fx.ones(3), fx.ones((4, 3))
assert grad(loss)(w, x).shape == jit(grad(loss))(w, x).shape == (3,)
assert jit(vmap(grad(loss), in_axes=(None, 0)))(w, x).shape == (4, 3)
assert hessian(loss)(w, x).shape == (3, 3)
assert jit(loss).lower(w, x).as_text() and make_jaxpr(jit(loss))(w, x)
print([name for name in sys.modules if name == "jax" or name.startswith("jax.")])
"""


def test_everything_runs_without_jax() -> None:
    assert printed(_DEMO) == "[]\n"


def test_inner_layers_run_without_the_outer_ones() -> None:
    program = """
import sys
import effects as fx
x = fx.asarray([1.0, 2.0])
assert not [m for m in sys.modules if m.split(".")[0] in ("handlers", "lowering")], "importing effects is enough"
from handlers import checkpoint_policies, grad, make_jaxpr, vmap
assert grad(lambda v: fx.sum(fx.sin(v) * v))(x).shape == vmap(fx.cos)(x).shape
make_jaxpr(fx.sin)(x)
print([m for m in sys.modules if m.split(".")[0] == "lowering" or m.startswith("jaxlib.mlir")])
"""
    assert printed(program) == "[]\n"


@pytest.mark.parametrize("transform", ["lambda f: f", "handlers.grad", "handlers.vmap"])
def test_rules_are_found_without_another_operation_having_asked_for_them(transform: str) -> None:
    program = f"""
import effects as fx
import handlers

f = lambda x: fx.sum(handlers.checkpoint_name(fx.sin(x), "wave"))
transform = {transform}
print(transform(f)(fx.zeros((2, 3)) if transform is handlers.vmap else fx.zeros(3)))
"""
    assert "Array(" in printed(program)
