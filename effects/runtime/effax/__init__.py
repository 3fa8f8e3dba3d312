"""The public names of `effects`, `handlers` and `lowering` in one package, which installation puts beside them.

    import effax as fx

    fx.jit(fx.grad(lambda x: fx.sum(x**2)))(fx.ones(3))

The name `trace` is that of `effects`. Names are imported on first use; `import effax.linalg` and the like work as well.
"""

from importlib import import_module

try:
    from effects.runtime.names import of_all_packages
except ModuleNotFoundError as error:
    if error.name != "effects.runtime":
        raise
    place = import_module("effects").__file__
    raise ImportError(
        f"effax: {place} is imported as 'effects', which is a package of effax; rename it", name="effects"
    ) from None

__getattr__, __all__ = of_all_packages(__name__)


def __dir__() -> list[str]:
    return __all__
