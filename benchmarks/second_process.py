"""python -m benchmarks.second_process LIBRARY MODEL FOLDER: a process of one library that takes one training step.

It prints the seconds from the first call to the result, after the imports. The library keeps programs in the folder.
"""

import sys
import time
from typing import Any

from benchmarks.programs import attention_arguments, attention_loss, mlp_arguments, mlp_loss, sgd_step

MODELS = {"perceptron": (mlp_loss, mlp_arguments), "attention block": (attention_loss, attention_arguments)}


def library(name: str, folder: str) -> tuple[Any, Any, Any, Any]:
    """Its namespace, `value_and_grad`, `jit` and `block_until_ready`."""
    if name == "effax":
        import effects as fx  # noqa: PLC0415  # one library in a process
        import handlers  # noqa: PLC0415
        import lowering  # noqa: PLC0415

        lowering.keep_on_disk(folder)
        return fx, handlers.value_and_grad, lowering.jit, lowering.block_until_ready
    import jax  # noqa: PLC0415

    jax.config.update("jax_compilation_cache_dir", folder)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.05)
    return jax.numpy, jax.value_and_grad, jax.jit, jax.block_until_ready


def main() -> None:
    """One step."""
    name, model, folder = sys.argv[1:]
    np, value_and_grad, jit, block = library(name, folder)
    loss, arguments = MODELS[model]
    values = arguments()
    start = time.perf_counter()
    block(jit(sgd_step(value_and_grad, loss(np, 0.5)))(*values))
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
