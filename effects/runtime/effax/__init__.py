"""The public names of `effects`, `handlers` and `lowering` under one name, which installing effax puts beside them.

    import effax as fx

    fx.jit(fx.grad(lambda x: fx.sum(x**2)))(fx.ones(3))

The name `trace` is that of `effects`. The names are imported when they are first asked for; `import effax.linalg` and
its like are there besides.
"""

from importlib import import_module

try:
    from effects.runtime.names import PACKAGES, listed, unknown
    from effects.runtime.spellings import FUNCTIONS
except ModuleNotFoundError as error:
    if error.name != "effects.runtime":
        raise
    place = import_module("effects").__file__
    raise ImportError(
        f"effax: {place} is imported as 'effects', which is a package of effax; rename it", name="effects"
    ) from None

_HOMES = {name: package for package in reversed(PACKAGES) for name in listed(package)}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise unknown("effects", name, FUNCTIONS)
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
